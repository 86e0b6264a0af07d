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

Management. ibccconfig sets the same table, minimum and limit by MADs, and the delay is
that of the law. A wrong CC_Key gets no answer, and is counted.

Switch. ibccconfig sets the Threshold of the switch, or of the port to host0. A VL has
room for 128 KiB, so that Threshold w marks from 8 KiB (16 - w) on. An incast of two,
which begins at the same fabric time, then has as many marks as with these bytes in
the topology: to the packet, as a run repeats.

Log. With CCTI_Increase 5 and Trigger_Threshold 5 each BECN that raises the index is an
event: as many as there are rate cuts. An index of 10 at most is raised twice or more.
"""

import re
import subprocess
import sys
import time

from ktap import expect, expect_in, tell
from shipped import TO_NODE
from verbs import Star, jain, stop

RATE = 10 ** 11
TABLE = ["0:0", "3:9", "2:14", "0:1", "1:9"]
SWITCH = 1025		# LID: behind those of the 1024 NICs
STEP = 8192		# bytes of a step of Threshold
START = 50		# ms
BURST = "100KiB"	# of each of two: less than a VL has room for
MARKS = ("port: {fecn: {threshold: 32768, packet-size: 0, marking-rate: 0, "
         "victim: off}}")
WRITERS, SETTLE, SPAN = 4, 5, 20	# ms


def rate(problems, lab, index):
    """The rate of one writer whose index is that entry of the table."""
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


def delay(problems, index):
    """One writer, with an index that does not change."""
    table = ", ".join(f'"{entry}"' for entry in TABLE)
    lab = Star("ib-edr", 1, [
        "nic: {verbs: {congestion: ibcc, ibcc: "
        f"{{min: {index}, limit: {index}, cct: [{table}]}}}}}}"])
    rate(problems, lab, index)
    lab.end()


def cc(program, *args):
    """A program of congestion control management on host0; its output."""
    return subprocess.run(
        ["weft", "exec", "host0", "--", program, *map(str, args)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        timeout=60, check=False).stdout


def values(text, name):
    """What ibccquery says of a field, once or several times."""
    return [int(v, 0) for v in re.findall(rf"^{name}:\.*(\S+)", text, re.M)]


def managed(problems):
    """The table is set by MADs, at LID 2, which is host1's."""
    index = 2
    lab = Star("ib-edr", 1)
    expect(problems, "control map before", [0],
           values(cc("ibccquery", "CS", 2), "Control_Map"))
    # A minimum above the limit is refused, and changes nothing.
    cc("ibccconfig", "CS", 2, 0, 0xffff, 100, 1, 0, 200)
    expect(problems, "control map after a bad Set", [0],
           values(cc("ibccquery", "CS", 2), "Control_Map"))
    cc("ibccconfig", "CT", 2, index, 0, *TABLE[:index + 1])
    cc("ibccconfig", "CS", 2, 0, 0xffff, 100, 1, 0, index)
    text = cc("ibccquery", "CS", 2)
    expect(problems, "control map", [0xffff], values(text, "Control_Map"))
    expect(problems, "timers", [100] * 16, values(text, "CCTI_Timer"))
    expect(problems, "minima", [index] * 16, values(text, "CCTI_Min"))
    expect(problems, "multipliers", [0, 9, 14],
           values(cc("ibccquery", "CT", 2), "CCT_Multiplier"))
    rate(problems, lab, index)
    lab.end()


def keyed(problems):
    """A key with the protect bit, a lease of 2 s, and three wrong requests."""
    lab = Star("ib-edr", 1)
    cc("ibccconfig", "CK", 2, "0x1234", 1, 2, 0)
    for key in (0, "0x1235"):
        expect(problems, f"answer to key {key}", [],
               values(cc("ibccquery", "-t", 50, "-c", key, "CI", 2),
                      "ControlTableCap"))
    text = cc("ibccquery", "-c", "0x1234", "CK", 2)
    expect(problems, "key", [0x1234], values(text, "CC_Key"))
    expect(problems, "protect bit", [1], values(text, "CC_KeyProtectBit"))
    expect(problems, "violations", [2], values(text, "CC_KeyViolations"))
    # The right key stopped the lease. A wrong one starts it; it is over in 2 s.
    expect(problems, "answer to no key", [],
           values(cc("ibccquery", "-t", 50, "CI", 2), "ControlTableCap"))
    time.sleep(2.1)
    text = cc("ibccquery", "CK", 2)
    expect(problems, "protect bit after the lease", [0],
           values(text, "CC_KeyProtectBit"))
    expect(problems, "the key is shown", [0x1234], values(text, "CC_Key"))
    lab.end()


def logged(problems):
    """Two writers at a marking switch; both have a threshold of one step."""
    lab = Star("ib-edr", 2, [MARKS])
    for lid in (1, 2, 3):
        cc("ibccconfig", "CS", lid, 0, 0xffff, 150, 5, 5, 0)
    process = lab.write("-g", 10)
    time.sleep(SETTLE / 1000)
    stop(process)
    cuts = lab.verbs("host1")["rate_cuts"]
    text = cc("ibccquery", "CL", 2)
    expect_in(problems, "rate cuts", 2, 10 ** 6, cuts)
    expect(problems, "events", [min(cuts, 65535)],
           values(text, "ThresholdEventCounter"))
    expect(problems, "service levels", [1],
           values(text, "ThresholdCongestionEventMap"))
    expect(problems, "entries", [1] * min(cuts, 13),
           values(text, "Remote_LID_CN_Entry"))
    expect(problems, "own LIDs", [2] * min(cuts, 13),
           values(text, "Local_LID_CN"))
    expect(problems, "events after the log was read", [0],
           values(cc("ibccquery", "CL", 2), "ThresholdEventCounter"))
    lab.end()


def burst(problems, lines, *commands):
    """Marks of an incast of two, at a fabric time, in a lab that was set before."""
    begin = time.monotonic()
    lab = Star("ib-edr", 2, lines)
    for command in commands:
        cc("ibccconfig", *command)
    subprocess.run(["weft", "traffic", "add", "incast", "to=host0",
                    f"bytes={BURST}", f"start={START}ms"], check=True,
                   stdout=subprocess.DEVNULL)
    expect(problems, "it begins in time", True,
           time.monotonic() - begin < START / 1000)
    time.sleep(2 * START / 1000)
    marks = lab.cls("host0-leaf", TO_NODE, 0, "marked")
    lab.end()
    return marks


def switched(problems):
    """Threshold of a switch and of a port, by MADs, against the topology's."""
    law = {weight: burst(problems, [
        f"port: {{fecn: {{threshold: {STEP * (16 - weight)}, packet-size: 0, "
        "marking-rate: 0, victim: off}}"]) for weight in (15, 14, 8)}
    print(f"# marks by Threshold: {law}")
    expect(problems, "each marks more than the next", True,
           law[15] > law[14] > law[8] > 0)
    switch = ("SS", SWITCH, "0x1f", 0, 0)
    expect(problems, "marks by the switch's", law[14],
           burst(problems, [], (*switch, 14, 0, 0, "0:0", 0)))
    expect(problems, "marks by the port's", law[8],
           burst(problems, [], (*switch, 15, 0, 0, "0:0", 0),
                 ("SP", SWITCH, 1, 1, 0, 8, 0, 0)))


def shown(problems):
    """What was set at a switch is shown, and a bad Set changes nothing."""
    lab = Star("ib-edr", 2)
    for command, law in (
            ((), (0, 0)),
            # Credit starvation is not modelled.
            (("0x1f", 0, 0, 15, 0, 3, "0:0", 0), (0, 0)),
            (("0x1f", "0x6", 0, 14, 0, 0, "0:0", 0), (0x1f, 14)),
            # Only the marking rate.
            (("0x10", 0, 0, 3, 0, 0, "0:0", 7), (0x10, 14))):
        if command:
            cc("ibccconfig", "SS", SWITCH, *command)
        text = cc("ibccquery", "SS", SWITCH)
        expect(problems, f"after {command}", law, tuple(
            values(text, key)[0] for key in ("Control_Map", "Threshold")))
    expect(problems, "marking rate", [7], values(text, "Marking_Rate"))
    expect(problems, "victims", True, re.search(r"Victim_Mask:\.*0+6$", text, re.M)
           is not None)
    cc("ibccconfig", "SP", SWITCH, 1, 1, 0, 8, 0, 0)
    text = cc("ibccquery", "SP", SWITCH, 1)
    expect(problems, "the port's", ([1], [8]), tuple(
        values(text, key) for key in ("Valid", "Threshold")))
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
        [("table by MADs", managed), ("key and lease", keyed),
         ("threshold by MADs", switched), ("settings of a switch", shown),
         ("congestion log", logged)] +
        [(f"equilibrium: increase {i}, timer {t} us", equilibrium, i, t)
         for i, t in ((1, 40), (1, 10), (2, 20))]))
