# SPDX-License-Identifier: GPL-2.0-or-later
"""32 RDMA writers into one port: nothing is lost, and who holds them back.

	host1 .. host32 -- leaf -- host0	100 Gb/s each

All begin at one instant with 4 MiB each. Without congestion control pauses or
credits hold them back and the wire to host0 is busy from the first packet on, so
the last completion comes after

	doorbell + way + N bytes / C + executed + way back

with N bytes on the wire, a way of two cables of 5 m and one switch, and an
acknowledgement of 86 (RoCE) or 30 (InfiniBand) bytes and less than 100 on the
wire of each link. The rest of the wire to host0 is for control frames and, with
PFC, for nothing else: an update of credit has 8 bytes and comes each 4.096 us at
most, less than 2 in 10,000. A thousandth covers that.

With DCQCN there are ten times fewer pauses, as the queues are short once it has
slowed the writers down, and the wire is not always busy. It takes marks that are
young, or a timer that is short. At NVIDIA's defaults, and with marks made where
packets join the queue, there are but four times fewer: see dcqcn.rst.

Without pauses and without credits packets are lost, and come when sent again.
"""

import sys

from ktap import expect, expect_in, tell_documented
from shipped import FROM_NODE
from verbs import Star, ends, wire_bytes

WRITERS, MESSAGES, SIZE = 32, 64, 65536
CABLE = 25.25		# ns
LATENCY = {"ethernet-100g": 425, "ib-edr": 90}
FEW = 4
DOORBELL, PROCESS, MOST_ACK = 350, 300, 100
LOSSY = "port: {discipline: drop-tail}"
ALONE = "nic: {verbs: {congestion: none}}"
AT_END = "port: {ecn: {kmin: 400kB, kmax: 1600kB, pmax: 0.2, at: dequeue}}"
TIMER = "nic: {verbs: {dcqcn: {byte-reset: 0, increase-timer: 55us}}}"


def least(profile):
    """The time until the last completion comes without its way back, in ns."""
    way = 2 * CABLE + LATENCY[profile]
    wire = wire_bytes(profile, SIZE) * WRITERS * MESSAGES * 8 / 100
    return DOORBELL + way + wire + PROCESS


def incast(problems, profile, *lines):
    """Everyone writes; the lab, and when the last one was done."""
    lab = Star(profile, WRITERS, lines)
    last = max(ends(lab.write("-s", SIZE, "-n", MESSAGES)).values())
    print(f"# {last} ns of at least {least(profile):.0f},",
          f"{lab.pauses()} pauses and resumes")
    expect(problems, "lost", [], lab.lost())
    for name in ("retransmitted", "timeouts", "out_of_sequence",
                 "duplicates", "nak_sequence", "rnr_nak"):
        expect(problems, name, 0, lab.total(name))
    expect(problems, "messages", WRITERS * MESSAGES,
           lab.verbs("host0")["rx_writes"])
    return lab, last


def held(problems, profile, *lines):
    """Without congestion control; the pauses."""
    lab, last = incast(problems, profile, *lines)
    back = 2 * CABLE + LATENCY[profile] + PROCESS + MOST_ACK * 8 / 100
    expect_in(problems, "time", least(profile),
              1.001 * least(profile) + back, last)
    expect(problems, "held back", WRITERS, sum(
        lab.port(lab.link(w), FROM_NODE, "tx_wait_ps") > 0
        for w in lab.writers))
    pauses = lab.pauses()
    lab.end()
    return pauses


def credit(problems):
    """Credits."""
    expect(problems, "pauses", 0, held(problems, "ib-edr"))


def eased(problems, alone, *lines):
    """With DCQCN; ALONE is the number of pauses without."""
    lab, last = incast(problems, "ethernet-100g", *lines)
    if last < least("ethernet-100g"):
        problems.append(f"time: {last} is too short")
    if lab.verbs("host0")["cnp_sent"] == 0:
        problems.append("nobody was notified")
    expect_in(problems, "pauses", 0, alone / 10, lab.pauses())
    lab.end()


def lossy(problems):
    """Without pauses something is lost, and comes all the same."""
    lab = Star("ethernet-100g", WRITERS, [LOSSY, ALONE])
    ends(lab.write("-s", SIZE, "-n", FEW))
    lost = sum(n for _, _, n in lab.lost())
    print(f"# lost {lost}, sent again {lab.total('retransmitted')}")
    if lost == 0:
        problems.append("nothing was lost")
    if lab.total("retransmitted") < lost:
        problems.append("what was lost was not sent again")
    expect(problems, "messages", WRITERS * FEW,
           lab.verbs("host0")["rx_writes"])
    lab.end()


def pfc(problems):
    """PFC, alone and with DCQCN."""
    alone = held(problems, "ethernet-100g", ALONE)
    if alone == 0:
        problems.append("nobody was paused")
    eased(problems, alone, AT_END)
    eased(problems, alone, TIMER)


if __name__ == "__main__":
    sys.exit(tell_documented([credit, pfc, lossy]))
