# SPDX-License-Identifier: GPL-2.0-or-later
"""Annex A10's table on running devices: delays of entries, and how it settles.

	host1, host2, ... -- leaf -- host0	100 Gb/s each

Delay. With CCTI_Min = CCTI_Limit = i the index is i for ever. After a packet that
takes t a flow waits t m / 2^s, so its bytes on the wire come at C / (1 + m / 2^s);
updates of credit, which go beside them, do not count. In 2 ms there are 2.5 MB and
more, of which a packet is less than two thousandths.

Equilibrium. A BECN raises the index by CCTI_Increase, each CCTI_Timer lowers it by
one. An index that neither falls to its least value nor rises for ever gets
1 / (CCTI_Increase CCTI_Timer) BECNs a second. In a time T, in which it changes by
d, there are T / (inc timer) + d / inc of them; d is a few of 125 and more.
"""

import sys
import time

from ktap import expect, expect_in, tell
from verbs import Star, jain, stop

RATE = 10 ** 11
TABLE = ["0:0", "3:9", "2:14", "0:1", "1:9"]
MARKS = ("port: {fecn: {threshold: 32768, packet-size: 0, marking-rate: 0, "
         "victim: off}}")
WRITERS, SETTLE, SPAN = 4, 5, 20	# ms


def delay(problems, index):
    """One writer, with an index that does not change."""
    table = ", ".join(f'"{entry}"' for entry in TABLE)
    lab = Star("ib-edr", 1, [
        "nic: {verbs: {congestion: ibcc, ibcc: "
        f"{{min: {index}, limit: {index}, cct: [{table}]}}}}}}"])
    process = lab.write()
    time.sleep(0.001)
    before, begin = lab.sent("host1"), time.monotonic_ns()
    time.sleep(0.002)
    found = (lab.sent("host1") - before) * 8 * 10 ** 9 / (
        time.monotonic_ns() - begin)
    shift, multiplier = map(int, TABLE[index].split(":"))
    law = RATE / (1 + multiplier / 2 ** shift)
    print(f"# {TABLE[index]}: {found / 1e9:.3f} Gb/s, law {law / 1e9:.3f}")
    expect_in(problems, "rate", 0.998 * law, 1.002 * law, found)
    stop(process)
    lab.end()


def equilibrium(problems, increase, timer):
    """TIMER in us."""
    lab = Star("ib-edr", WRITERS, [
        MARKS, "nic: {verbs: {congestion: ibcc, ibcc: "
        f"{{increase: {increase}, timer: {timer}us}}}}}}"])
    process = lab.write("-g", 10)
    time.sleep(SETTLE / 1000)
    before = [(lab.verbs(w)["becn_handled"], lab.sent(w)) for w in lab.writers]
    time.sleep(SPAN / 1000)
    law = SPAN * 1000 / (increase * timer)
    found = [lab.verbs(w)["becn_handled"] - b[0]
             for w, b in zip(lab.writers, before)]
    sent = [lab.sent(w) - b[1] for w, b in zip(lab.writers, before)]
    print(f"# {found} BECNs, law {law:.0f}; Jain {jain(sent):.4f},",
          f"in all {sum(sent) * 8 / SPAN / 10 ** 6:.1f} Gb/s")
    for becns in found:
        expect_in(problems, "BECNs", 0.95 * law, 1.05 * law, becns)
    expect_in(problems, "Jain", 0.98, 1, jain(sent))
    expect(problems, "sent again", 0, lab.total("retransmitted"))
    expect(problems, "lost", [], lab.lost())
    stop(process)
    lab.end()


if __name__ == "__main__":
    sys.exit(tell(
        [(f"delay of {TABLE[i]}", delay, i) for i in range(1, len(TABLE))] +
        [(f"equilibrium: increase {i}, timer {t} us", equilibrium, i, t)
         for i, t in ((1, 40), (1, 10), (2, 20))]))
