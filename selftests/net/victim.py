# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow to an idle host, behind one to a busy host.

	host2 (A) --.              .-- host0, hot, where A and the others send to
	            near -- far --<
	host3 (V) --'     trunk    '-- host1, cold, where V sends to
	                   host4, ... at far: n - 1 more senders

hot takes C. Its port serves n inputs in turn, so that A gets C / n. What A may
not send waits where the trunk ends. With V in the same class there is no way
around it: near serves A and V in turn, so V gets C / n as well, though its own
output is idle. In a class of its own V gets what A leaves of the trunk,
C - C / n.

In a time of m n slots hot gets m n frames, and m of them from each. What came
over the trunk in it may differ from what left for hot by what waits at its end:
with credits by a frame, as a frame that leaves makes room for one that comes;
with PFC, which goes on and off, by the threshold and the headroom. V differs
from A by as much. Control frames take time of the trunk that V does without.
"""

import sys
import time

from iperf import Pair, Window, into
from ktap import expect, expect_in, tell
from shipped import Lab

AF11, EF = 10, 46	# DSCPs, of which the kernel makes
CLASS = {AF11: 2, EF: 4}
M = {"ib-ndr": 100, "ethernet-400g": 1250}	# hold is 2 % of V at the most
# To pause where a few frames wait, so that few of them are many pauses; it is
# more than what the wire carries until a resume is felt (pfc.rst, Headroom).
THRESHOLD = 131072


def lines_of(profile, n):
    """The topology, without its name and profile."""
    nodes = n + 3
    lines = [f'nodes: [{{name: "host[0-{nodes - 1}]"}}]',
             "switches: [{name: near}, {name: far}]",
             "links:", '  - {ends: ["host[0-1]", far]}',
             '  - {ends: ["host[2-3]", near]}', "  - {ends: [near, far]}",
             f'  - {{ends: ["host[4-{nodes - 1}]", far]}}']
    if profile == "ethernet-400g":
        lines += ["port: {pfc: [2, 4]}",
                  f"switch: {{buffer-threshold: {THRESHOLD}}}"]
    return lines


def hold_of(lab):
    """Frames by which what comes over the trunk and what leaves may differ."""
    if lab.profile == "ib-ndr":
        return 1
    account = lab.switch["buffer_classes"][CLASS[AF11]]
    return (account["threshold"] + account["headroom"]) // lab.frame + 1


def begin(lab, n, own):
    """Everyone sends; V in a class of its own or not. Returns the pairs."""
    senders = [f"host{i}" for i in range(2, n + 3)]
    pairs = {s: Pair(lab, s, "host1" if s == "host3" else "host0", 5201 + i)
             for i, s in enumerate(senders)}
    time.sleep(0.05)	# until the servers listen
    for sender, pair in pairs.items():
        pair.begin(EF if own and sender == "host3" else AF11, "-t", "60")
    return pairs


def victim(problems, profile, n, own):
    """What V gets, and A."""
    lab = Lab(profile, lines_of(profile, n))
    pairs = begin(lab, n, own)
    hot = CLASS[AF11]
    other = CLASS[EF if own else AF11]
    m, hold = 2 * M[profile] // n if own else M[profile], hold_of(lab)
    Window(lab, [], 200 * n)
    seen = Window(lab, [into("host0-far", hot), into("host1-far", other),
                        ("near-far", 0, hot)], m * n)
    taken, cold, trunk = seen.count
    slack = hold + seen.control + 1
    expect_in(problems, "hot", seen.slots - seen.control - 1, seen.slots + 1,
              taken)
    expect_in(problems, "A", m - hold - 1, m + hold + 1,
              trunk if own else trunk - cold)
    share = m * (n - 1) if own else m
    expect_in(problems, "V", share - slack, share + slack, cold)
    if profile == "ethernet-400g" and not own:
        # Two inputs take what the trunk carries: it is never paused.
        expect(problems, "trunk paused", n > 2,
               lab.cls("near-far", 0, hot, "rx_pause") > 0)
    for pair in pairs.values():
        pair.kill()
    expect(problems, "lost", [], lab.lost())
    lab.end()


if __name__ == "__main__":
    sys.exit(tell([
        (f"{profile}: {size} inputs, the victim gets {what}", victim, profile,
         size, alone)
        for profile in M for size in (2, 3, 4, 8)
        for alone, what in ((False, "C / n"), (True, "the rest, on its own"))]))
