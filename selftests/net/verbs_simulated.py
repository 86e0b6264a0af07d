# SPDX-License-Identifier: GPL-2.0-or-later
"""The same messages by verbs in a lab, and in weft simulate: the same times, and the same
packets and bytes on each wire, also where some are lost.

Topologies have one way between two hosts, as the two choose among ways by different
hashes. Few messages meet at a port at one instant, as the two order such ties
differently.

The simulator gets the times at which the program posted. To read the clock takes a
nanosecond. So it posted up to one later, and saw the end up to two later, if it posted
another message meanwhile: the lab's end is the simulator's, or up to three nanoseconds
more.
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from ktap import expect, tell
from two_nodes import run

PROGRAM = os.environ.get("WEFT_VERBS_MESSAGES", "verbs_messages")
HOSTS = 8
STAR = ['nodes: [{name: "host[0-7]"}]', "switches: [{name: s}]",
        'links: [{ends: ["host[0-7]", s]}]']
TRIMS = ["switch: {queue-limit: 256KiB}",
         "port: {discipline: drop-tail, weights: [14, 14, 14, 14, 14, 14, 14, 0], "
         "trim: {classes: [0], to-class: 7, length: 64}}"]
# two hosts at each of four switches in a row
ROW = ['nodes: [{name: "host[0-7]"}]', 'switches: [{name: "s[0-3]"}]', "links:",
       *[f"  - {{ends: [host{i}, s{i // 2}]}}" for i in range(HOSTS)],
       *[f"  - {{ends: [s{i}, s{i + 1}]}}" for i in range(3)]]
ALONE = "nic: {verbs: {congestion: none}}"
# packets may come in any order
ANY = "nic: {verbs: {congestion: none, ordering: any, reorder-time: 5us}}"


def incast(size):
    """All to host0, a little later each; they share its wire."""
    return [(i, 0, size + 100 * i, 313 * i) for i in range(1, HOSTS)]


def permutation(size):
    """Each to the one four further, at one time."""
    return [(i, (i + 4) % HOSTS, size + 1000 * i, 0) for i in range(HOSTS)]


def in_a_row(size):
    """One after the other through one queue pair: of a byte, of a packet, and of more."""
    return [(1, 6, [1, size, 4096, 4097, 7][i % 5], 60 * i) for i in range(40)]


READING = 1	# ns
ACK_TIMEOUT = "16"	# as verbs_device.c sets it


def lab_times(messages):
    """When each was posted, and when it was there, in ns."""
    with file_of(messages) as f:
        out = subprocess.run([PROGRAM, f.name], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    times = [[int(word) for word in line.split()] for line in out.splitlines()]
    assert all(after - before == READING for before, after, _ in times), times
    return [before for before, _, _ in times], [end for _, _, end in times]


def file_of(messages):
    f = tempfile.NamedTemporaryFile("w", suffix=".txt")
    f.writelines(f"host{a} host{b} {size} at {at}ns\n" for a, b, size, at in messages)
    f.flush()
    return f


def entry_of(kind, place, words):
    """An entry of a scenario. Of traffic, the place is the pattern."""
    if kind == "traffic":
        words = {"for" if key == "duration" else key: value for key, value in words.items()}
        return {"at": "0s", "traffic": place, **words}
    return {"at": "0s", "fault": kind, "on": place, **words}


def scenario_of(faults):
    """(kind, place, {key: value}), from the beginning on, or with an "at"."""
    f = tempfile.NamedTemporaryFile("w", suffix=".yaml")
    json.dump({"name": "faults", "timeline": [entry_of(*fault) for fault in faults]}, f)
    f.flush()
    return f


def command_of(kind, place, words):
    """The same as a command."""
    what = "traffic add" if kind == "traffic" else f"fault add {kind}"
    return f"weft {what} {place} {words_of(words)}"


def words_of(words):
    return " ".join(f"{key}=" + (",".join(f"{k}={v}" for k, v in value.items())
                                 if isinstance(value, dict) else str(value))
                    for key, value in words.items())


def simulated(topology, messages, faults):
    """When each was there, in ps, and the report."""
    with file_of(messages) as f, scenario_of(faults) as scenario, \
            tempfile.NamedTemporaryFile("r") as report:
        done = subprocess.run(["weft", "simulate", topology, "--workload", f.name,
                               "--scenario", scenario.name, "--transport", "rc", "--csv",
                               "--ack-timeout", ACK_TIMEOUT, "--report", report.name],
                              check=False, stdout=subprocess.PIPE, text=True)
        # 123: a trigger was not met
        assert done.returncode in (0, 123), done
        return ([int(row["end_ps"]) for row in csv.DictReader(io.StringIO(done.stdout))],
                json.load(report))


def carried(report):
    """What each wire carried, in packets and in bytes."""
    return {wire["from"]: (wire["tx_packets"], wire["tx_bytes"])
            for wire in report["links"]}


def other(lab, simulated, ack):
    """The wires that carried something else. The program ends, and with it its queue pairs,
    when all messages are there. So the last acknowledgements, of ACK bytes, and
    notifications, of 12 more, are not sent."""
    wrong = {}
    for name, (packets, size) in lab.items():
        fewer = simulated[name][0] - packets
        rest = simulated[name][1] - size - ack * fewer
        if fewer < 0 or rest % 12 or not 0 <= rest <= 12 * fewer:
            wrong[name] = ((packets, size), simulated[name])
    return wrong


def acknowledgement(profile, lines):
    """Its bytes; 12 tell which packets are held."""
    return ((6 if profile.startswith("ib") else 62)
            + (12 if any("ordering: any" in line for line in lines) else 0))


def compare(problems, what, topology, messages, faults):
    """Return: the report of the simulation."""
    posted, lab = lab_times(messages)
    there, report = simulated(topology, [(a, b, size, at) for (a, b, size, _), at
                                         in zip(messages, posted)], faults)
    late = [1000 * x - y for x, y in zip(lab, there)]
    print(f"# {what}: {len(lab)} messages, the last at {max(lab)} ns, "
          f"{min(late)} to {max(late)} ps later than simulated")
    wrong = [i for i, ps in enumerate(late) if not 0 <= ps <= 3000 * READING]
    if wrong:
        i = wrong[0]
        problems.append(f"{what}: {len(wrong)} of {len(lab)} differ, first number {i}, "
                        f"{messages[i]}: {lab[i]} ns in the lab, {there[i]} ps simulated")
    return report


def generators(report):
    return [g for group in report["traffic"] for g in group["generators"]]


def apart(lab, simulated):
    """How much later triggers were met in the lab, which began earlier; None: in neither."""
    return {None if a["trigger_ps"] is b["trigger_ps"] is None
            else a["trigger_ps"] - b["trigger_ps"]
            for a, b in zip(lab["faults"] + generators(lab),
                            simulated["faults"] + generators(simulated))
            if "trigger" in a} - {None}


def of_traffic(report, credits):
    """What became of all packets of traffic, and how long they took. With credits, frames
    that give them are in the way of one packet or of another one, as the lab began earlier."""
    no = ["window", "start_ps", "trigger_ps"]
    if credits:
        no += ["latency_min_ps", "latency_max_ps", "latency_mean_ps"]
    return [{key: value for key, value in g.items() if key not in no}
            for g in generators(report)]


def total(value, key):
    """The sum of all values with this key."""
    if isinstance(value, list):
        return sum(total(x, key) for x in value)
    if not isinstance(value, dict):
        return 0
    return sum(x if k == key and isinstance(x, int) else total(x, key)
               for k, x in value.items())


def same(problems, profile, lines, held, marked=False, faults=(), loses=False, large=400000):
    """Whether somebody is HELD by credits or pauses in the LARGE incast; whether packets
    of it are MARKED, so that senders slow down; what is out of order;
    whether that LOSES packets."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write("\n".join(["name: test", f"profile: {profile}", *lines]))
        f.flush()
        for messages in (incast, permutation, in_a_row):
            for size in (40000, large):
                run(f"weft up {f.name} --clock virtual")
                for fault in faults:
                    run(command_of(*fault))
                there = compare(problems, f"{messages.__name__} of {size}", f.name,
                                messages(size), faults)
                report = json.loads(run("weft report --json"))
                run("weft down")
                expect(problems, "wires that carried something else", {},
                       other(carried(report), carried(there),
                             acknowledgement(profile, lines)))
                expect(problems, "triggers met at other times", True,
                       len(apart(report, there)) <= 1)
                for a, b in zip(*(of_traffic(r, profile.startswith("ib")) for r in (report, there)),
                                strict=True):
                    expect(problems, f"traffic of {a['from']}", {},
                           {key: (a[key], b.get(key)) for key in a if a[key] != b.get(key)})
                if not loses or size == large:
                    expect(problems, "lost", loses, report["dropped"] > 0)
                if messages is incast and size == large:
                    expect(problems, "held", held, total(report, "tx_wait_ps") > 0)
                    expect(problems, "slowed down", marked, total(report, "rate_cuts") > 0)


if __name__ == "__main__":
    SMALL = "switch: {buffer: 2MiB}"
    # each packet behind 50 kB: nothing is drawn, as the two would draw differently
    MARKS = "port: {ecn: {kmin: 50kB, kmax: 50kB, pmax: 1}}"
    # random delays are drawn alike from the same seed
    FAULTS = [("rate", "host0", {"rate": "40Gbps"}),
              ("delay", "host2>s", {"delay": "700ns", "jitter": "3us", "seed": 7}),
              ("delay", "s>host4", {"delay": "1us"})]
    # by what hosts have sent: while messages are on their way, and for some time
    TRIGGERED = [("rate", "host0", {"at": {"bytes": "30kB", "of": "host1"}, "rate": "40Gbps"}),
                 ("delay", "s>host4", {"at": {"traffic": "host2", "above": "10Gbps",
                                              "least": "2kB", "after": "2us"},
                                       "delay": "1us"})]
    # load beside the messages, once some of them are on their way: it is over before the
    # last one. At a rate, to one drawn, and in drawn windows as fast as the NIC takes it;
    # no two begin at one instant
    TRAFFIC = [("traffic", pattern, {"at": {"bytes": "2kB", "of": "host1", "after": after},
                                     **words})
               for pattern, after, words in (
                   ("incast", "13ns", {"from": "host5", "to": "host0", "rate": "20Gbps",
                                       "size": 1500, "duration": "1us"}),
                   ("all-to-all", "101ns", {"from": "host2,host3,host7", "order": "random",
                                            "rate": "40Gbps", "size": 700, "bytes": 3000,
                                            "seed": 9}),
                   ("on-off", "257ns", {"from": "host6", "to": "host2", "times": "exponential",
                                        "on": "300ns", "off": "200ns", "size": 900,
                                        "duration": "500ns"}))]
    # a window that follows the delay of packets
    SWIFT = "nic: {verbs: {congestion: swift, target-delay: 4us}}"
    SWIFT_ANY = SWIFT.replace("swift", "swift, ordering: any, reorder-time: 5us")
    IBCC = "nic: {verbs: {congestion: ibcc}}"
    FECN = "port: {fecn: {threshold: 32kB, packet-size: 0, marking-rate: 0, victim: on}}"
    # requests and acknowledgements; a lost end costs a timeout of 268 ms
    LOSSES = [("loss", "host1>s", {"probability": "0.05", "seed": 3}),
              ("loss", "s>host4", {"probability": "0.05", "seed": 4}),
              ("loss", "host6>s", {"probability": "0.1", "seed": 5})]
    # requests and acknowledgements, by less than the reorder time and by more. In the
    # incast a packet that is 600 ns late is overtaken by seven times as much
    REORDERS = [("reorder", "host1>s", {"probability": "0.2", "delay": "600ns", "seed": 3}),
                ("reorder", "s>host4", {"probability": "0.1", "delay": "8us", "seed": 4}),
                ("reorder", "host6>s", {"probability": "0.3", "delay": "400ns", "seed": 5})]
    LOSSES_IN_A_ROW = [("loss", "host1>s0", {"probability": "0.05", "seed": 3}),
                       ("loss", "s1>s2", {"probability": "0.02", "seed": 4})]
    sys.exit(tell([
        ("ib-edr, star", same, "ib-edr", STAR, True),
        ("ib-ndr, star", same, "ib-ndr", STAR, True),
        ("ib-ndr, row", same, "ib-ndr", ROW, True),
        ("ethernet-100g, star", same, "ethernet-100g", [ALONE, *STAR], False),
        ("ethernet-400g, star", same, "ethernet-400g", [ALONE, *STAR], False),
        ("ethernet-400g, star that pauses", same, "ethernet-400g",
         [ALONE, SMALL, *STAR], True),
        ("ethernet-400g, row", same, "ethernet-400g", [ALONE, *ROW], False),
        ("ethernet-400g, star that marks", same, "ethernet-400g", [MARKS, *STAR], False, True),
        ("ethernet-400g, row that marks", same, "ethernet-400g", [MARKS, *ROW], False, True),
        ("ethernet-100g, star that marks and pauses", same, "ethernet-100g",
         [MARKS.replace("50kB", "200kB"), "switch: {buffer: 2MiB, buffer-alpha: -4}", *STAR],
         True, True),
        ("ib-edr, star that marks", same, "ib-edr", [IBCC, FECN, *STAR], True, True),
        ("ib-ndr, row that marks", same, "ib-ndr", [IBCC, FECN, *ROW], True, True),
        ("ethernet-400g, star, Swift", same, "ethernet-400g", [SWIFT, *STAR], False, True),
        ("ethernet-400g, row, Swift", same, "ethernet-400g", [SWIFT, *ROW], False, True),
        ("ib-ndr, star, Swift", same, "ib-ndr", [SWIFT, *STAR], True, True),
        ("ethernet-100g, star that loses, Swift", same, "ethernet-100g", [SWIFT, *STAR],
         False, True, LOSSES, True),
        ("ethernet-400g, row that loses, any order, Swift", same, "ethernet-400g",
         [SWIFT_ANY, *ROW], False, True, LOSSES_IN_A_ROW, True),
        ("ethernet-100g, star that loses", same, "ethernet-100g", [ALONE, *STAR], False,
         False, LOSSES, True),
        ("ethernet-400g, row that loses", same, "ethernet-400g", [ALONE, *ROW], False, False,
         LOSSES_IN_A_ROW, True),
        ("ethernet-100g, star that loses, any order", same, "ethernet-100g", [ANY, *STAR], False,
         False, LOSSES, True),
        ("ethernet-400g, row that loses, any order", same, "ethernet-400g", [ANY, *ROW], False,
         False, LOSSES_IN_A_ROW, True),
        ("ethernet-uec-400g, star", same, "ethernet-uec-400g", STAR, False),
        ("ethernet-uec-400g, star with few credits", same, "ethernet-uec-400g",
         ["port: {vc-buffer: [36KiB]}", *STAR], True),
        ("ethernet-uec-400g, row with few credits", same, "ethernet-uec-400g",
         ["port: {vc-buffer: [36KiB]}", *ROW], True),
        ("ib-ndr, star, any order", same, "ib-ndr", [ANY, *STAR], True),
        ("ethernet-400g, star that reorders, any order", same, "ethernet-400g", [ANY, *STAR],
         False, False, REORDERS),
        # of larger messages two packets may meet the full queue at one instant
        ("ethernet-100g, star that trims, any order", same, "ethernet-100g",
         [ANY, *TRIMS, *STAR], False, False, (), False, 70000),
        ("ethernet-400g, star with faults", same, "ethernet-400g", [ALONE, *STAR], False,
         False, FAULTS),
        ("ethernet-400g, star with triggers", same, "ethernet-400g", [ALONE, *STAR], False,
         False, TRIGGERED),
        ("ethernet-400g, row with traffic", same, "ethernet-400g", [ALONE, *ROW], False,
         False, TRAFFIC),
        ("ib-ndr, star with traffic", same, "ib-ndr", STAR, True, False, TRAFFIC),
        ("ethernet-400g, star with traffic that marks", same, "ethernet-400g", [MARKS, *STAR],
         False, True, TRAFFIC),
        # credits go at other times in the lab, which began earlier, and draw delays, too
        ("ib-ndr, star with a fault", same, "ib-ndr", STAR, True, False, FAULTS[2:]),
    ]))
