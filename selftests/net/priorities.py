# SPDX-License-Identifier: GPL-2.0-or-later
"""Two priorities on one path, of which the receiver stops one.

	host1 -- leaf -- host0

Two clients of iperf3 at host1, each with a DSCP of its own, send more than the
wire takes. On Ethernet the table of the NIC ("dcb app") makes of the DSCPs the
two priorities that the profile has PFC for. Elsewhere the kernel makes 2 of
AF11 and 4 of EF, which are service levels and, with the table as it is, lanes.

With frames of L bytes on the wire, C / 8 L of them pass in a second: all of the
one class when the other is stopped, else shared as the profile's scheduler has
it. What control frames took of the time is counted.
"""

import sys
import time

from iperf import SLOT, Pair, Window, into
from ktap import expect, expect_in, tell
from lossless import LINES, PROFILES
from shipped import Lab
from two_nodes import run

# Until the stop is felt, in frames: half of the switch's 60.8 MB are 3,400, and
# every other frame is the other class's.
SETTLE = {"ib-ndr": 500, "ethernet-400g": 8000, "nvlink5": 500,
          "ethernet-uec-400g": 500}
SLOTS = 1000
COUNT = 5000
# An interrupt for many frames hands a socket more at once than it has room for.
EACH = "nic: {moderation: {rx-usecs: 0}}"
AF11, AF31, EF = 10, 26, 46	# DSCPs


def lab_of(profile):
    """A lab, two pairs of iperf3, and a DSCP and its class for each."""
    lab = Lab(profile, LINES + [EACH])
    pairs = [Pair(lab, "host1", "host0", 5201 + i) for i in range(2)]
    time.sleep(0.05)	# until the servers listen
    if not profile.startswith("ethernet"):
        return lab, pairs, [(AF11, 2), (EF, 4)]
    # What host2 has in its table is none of host1's business.
    for node, dscp, priority in (("host2", AF31, 7), ("host2", AF11, 7),
                                 ("host1", AF31, 3), ("host1", AF11, 0)):
        run(f"ip netns exec {node} dcb app add dev eth0 "
            f"dscp-prio {dscp}:{priority}")
    return lab, pairs, [(AF31, 3), (AF11, 0)]


def phase(problems, lab, classes, stopped):
    """Stop some of the classes and look what gets through."""
    lab.take("host0", rx_stop=sum(1 << c for c in stopped))
    Window(lab, [], SETTLE[lab.profile])
    seen = Window(lab, [into("host0-leaf", c) for c in classes], SLOTS)
    share, slack = shares(lab, [c for c in classes if c not in stopped])
    for cls, count in zip(classes, seen.count):
        part = share.get(cls, 0)
        expect_in(problems, f"{cls} without {stopped}",
                  (seen.slots - seen.control) * part - slack * (part > 0),
                  seen.slots * part + slack * (part > 0), count)


def shares(lab, classes):
    """What the classes that are free get, and how many frames that may be off.

    In turn, with the tables of InfiniBand as they ship; otherwise in the ratio
    of their weights, within a visit and a frame. Without weights, the highest.
    """
    port = lab.nics["host0"]
    weight = [port["weights"][c] for c in classes] if "weights" in port else []
    if port["scheduler"] == "vlarb" or len(classes) == 1:
        return {c: 1 / len(classes) for c in classes}, 1
    if not any(weight):
        return {max(classes): 1}, 1
    visit = max(weight) * port["quantum"] / SLOT[lab.profile][0]
    return {c: w / sum(weight) for c, w in zip(classes, weight)}, visit + 1


def separate(problems, profile):
    """One class at 0, the other at line rate, and the other way round."""
    lab, pairs, marks = lab_of(profile)
    classes = [cls for _, cls in marks]
    lab.take("host0", rx_stop=1 << classes[0])
    for pair, (dscp, _) in zip(pairs, marks):
        pair.begin(dscp, "-t", "60")
    for stopped in (classes[:1], [], classes[1:], []):
        phase(problems, lab, classes, stopped)
    for pair in pairs:
        pair.kill()
    expect(problems, "lost", [], lab.lost())
    lab.end()


def reported(problems, profile):
    """What iperf3 says: all of it arrives, of the stopped class in the end.

    The stopped client has not ended when the other one has. What the NIC holds
    comes at 2 C when it goes on, as more at once is more than iperf3's socket
    has room for.
    """
    lab, (held, free), marks = lab_of(profile)
    lab.take("host0", rx_stop=1 << marks[0][1], rx_rate=2 * lab.rate)
    for pair, (dscp, _) in zip((held, free), marks):
        pair.begin(dscp, "-n", str(COUNT * lab.datagram))
    result = free.result()
    expect(problems, "lost of the free class", 0, result["lost_packets"])
    expect(problems, "the other ended", None, held.client.poll())
    lab.take("host0", rx_stop=0)
    result = held.result()
    expect(problems, "packets", COUNT, result["packets"])
    expect(problems, "lost at last", 0, result["lost_packets"])
    expect(problems, "lost", [], lab.lost())
    lab.end()


if __name__ == "__main__":
    sys.exit(tell([(f"{profile}: {test.__doc__.splitlines()[0]}", test, profile)
                   for profile in PROFILES for test in (separate, reported)]))
