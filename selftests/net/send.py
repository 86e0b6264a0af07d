# SPDX-License-Identifier: GPL-2.0-or-later
"""Workloads in a lab, by verbs and TCP, and in weft simulate.

The law of verbs: a message starts when the last of those that it waits for has ended, or a time of
computing later. In the lab this is seen by the clock, whose reading takes 1 ns and which
counts whole ns. So the first one starts 1 ns late, and each of the messages in a row, of
which one waits for the one before, adds less than two.
"""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from ktap import expect, expect_in, tell
from two_nodes import run

READING = 1000	# ps
STAR = """
name: test
profile: {profile}
{lines}
nodes: [{{name: "host[0-7]"}}]
switches: [{{name: s}}]
links: [{{ends: ["host[0-7]", s]}}]
"""
ALONE = "nic: {verbs: {congestion: none}}"


def latest(in_a_row):
    return READING * (1 + 2 * in_a_row) - 1


class Lab:
    """A star of eight hosts, for as long as it is entered."""

    def __init__(self, profile, lines=""):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        self.file.write(STAR.format(profile=profile, lines=lines))
        self.file.flush()

    def __enter__(self):
        run(f"weft up {self.file.name} --clock virtual")
        return self

    def __exit__(self, *_):
        run("weft down")
        self.file.close()


def send(*words):
    return subprocess.run(["weft", "send", *words], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def in_lab(workload):
    done = send("--workload", workload, "--csv")
    assert not done.returncode, done
    return rows(done.stdout)


def simulated(lab, workload):
    return rows(run(f"weft simulate {lab.file.name} --workload {workload} --csv"))


def flows(text):
    """A file of messages, one on each line."""
    f = tempfile.NamedTemporaryFile("w", suffix=".txt")
    f.write(text)
    f.flush()
    return f


def compare(problems, lab, workload, in_a_row):
    """Up to IN_A_ROW messages wait for one another."""
    here, there = in_lab(workload), simulated(lab, workload)
    expect(problems, f"{workload}: messages", [row["bytes"] for row in there],
           [row["bytes"] for row in here])
    late = [int(a["end_ps"]) - int(b["end_ps"]) for a, b in zip(here, there)]
    print(f"# {workload}: {len(late)} messages, {min(late)} to {max(late)} ps later than simulated")
    for ps in (min(late), max(late)):
        expect_in(problems, f"{workload}: later, ps", 0, latest(in_a_row), ps)
    expect(problems, f"{workload}: alone", [row["ideal_ps"] for row in there],
           [row["ideal_ps"] for row in here])


def collectives(problems, profile, lines):
    with Lab(profile, lines) as lab:
        # 14 rounds; 7; 3 and 3
        compare(problems, lab, "allreduce:ring:1MiB", 14)
        compare(problems, lab, "alltoall:pairwise:1MiB", 7)
        compare(problems, lab, "allreduce:rabenseifner:300000", 6)


def computing(problems):
    """Computing passes, also of a node that sends nothing meanwhile."""
    text = """
a: host0 host1 1MiB
b: host1 host2 4097 after a delay 10us
c: host2 host3 1 at 5us
d: host3 host3 0 after b,c delay 3us
e: host3 host0 0 after d
f: host3 host1 70000 after d channel 1
"""
    with Lab("ib-ndr") as lab, flows(text) as f:
        compare(problems, lab, f.name, 4)


def training(problems):
    """A step of the training of a transformer."""
    spec = "training:gpt3-175b:layers=8,pipeline=4,tensor=2,micro-batches=4,hidden=512"
    with Lab("ib-ndr") as lab:
        here = json.loads(send("--workload", spec, "--json").stdout)
        there = json.loads(run(f"weft simulate {lab.file.name} --workload {spec} --json"))
        mine, model = here["summary"], there["summary"]
        expect(problems, "ended", model["ended"], mine["ended"])
        expect(problems, "computing", model["computing_ps"], mine["computing_ps"])
        # no row of messages is longer than all of them
        expect_in(problems, "end, ps later", 0, latest(mine["ended"]),
                  mine["end_ps"] - model["end_ps"])
        path = mine["critical_path"]
        expect(problems, "critical path, ps", mine["end_ps"], sum(
            path[part] for part in ("computing_ps", "alone_ps", "longer_ps", "held_ps")))
        print(f"# {mine['ended']} messages, {mine['end_ps']} ps, "
              f"{mine['end_ps'] - model['end_ps']} later than simulated")
        expect(problems, "lab", "test", here["lab"])


def many(problems):
    """More messages of one connection at a time than it holds."""
    with Lab("ib-ndr") as lab, flows("host0 host1 8\n" * 3000) as f:
        here, there = in_lab(f.name), simulated(lab, f.name)
        expect(problems, "ended", 3000, len([row for row in here if row["end_ps"]]))
        # The NIC sends without a gap in both; the lab posts a new one when one has come.
        expect_in(problems, "ps later", 0, latest(3000),
                  int(here[-1]["end_ps"]) - int(there[-1]["end_ps"]))
        ends = [int(row["end_ps"]) for row in here]
        expect(problems, "in order", sorted(ends), ends)


def jobs(problems):
    """Two jobs share the wire to their receiver: each has half of it."""
    with Lab("ethernet-400g", ALONE), flows("host0 host2 10MB\n") as a, \
            flows("host1 host2 10MB\n") as b:
        alone = int(in_lab(a.name)[0]["end_ps"])
        both = json.loads(send("--workload", a.name, "--workload", b.name, "--json").stdout)
        expect(problems, "jobs", [1, 1], [job["ended"] for job in both["jobs"]])
        for job in both["jobs"]:
            expect_in(problems, "times longer than alone, per cent", 195, 200,
                      100 * job["last_end_ps"] // alone)


def beside(problems):
    """The same as two commands at one time: beside each other, and beside programs."""
    with Lab("ethernet-400g", ALONE), flows("host0 host2 100MB\n") as a, \
            flows("host1 host2 100MB\n") as b:
        alone = int(in_lab(a.name)[0]["end_ps"])
        other = subprocess.Popen(["weft", "send", "--workload", b.name, "--csv"],
                                 stdout=subprocess.PIPE, text=True)
        mine = in_lab(a.name)[0]
        theirs = rows(other.communicate()[0])[0]
        # one begins before the other
        for row in (mine, theirs):
            expect_in(problems, "longer than alone, per cent", 102, 200,
                      100 * int(row["time_ps"]) // alone)


def cut(problems, profile, size):
    """--for ends it, and what has not ended is said."""
    with Lab(profile), flows(f"host0 host1 1MB\nhost0 host1 {size}\n") as f:
        out = send("--workload", f.name, "--for", "50us")
        expect(problems, "exit code", 0, out.returncode)
        expect(problems, "one of two", True, "messages that ended     1 of 2" in out.stdout)
        expect(problems, "the other", True, "not ended" in out.stdout)
        expect(problems, "again", 0, send("--workload", "barrier:dissemination").returncode)


def interrupted(problems):
    """Ctrl-C: what has ended until then, and nothing is left behind."""
    with Lab("ib-ndr"), flows("host0 host1 1MB\nhost0 host1 1GB at 100s\n") as f:
        child = subprocess.Popen(["weft", "send", "--workload", f.name],
                                 stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out = child.communicate()[0]
        expect(problems, "exit code", 0, child.returncode)
        expect(problems, "one of two", True, "messages that ended     1 of 2" in out)
        expect(problems, "the other", True, "not started" in out)


def broken(problems):
    """A wire that is down ends it, with the message."""
    with Lab("ib-ndr"), flows("host0 host1 1MB\nhost2 host3 1MB\n") as f:
        run("weft fault add down host3")
        out = send("--workload", f.name, "--ack-timeout", "4", "--retries", "1")
        expect(problems, "exit code", 4, out.returncode)
        expect(problems, "message", True, bool(re.fullmatch(
            r"weft send: at \S+: host2\.eth0 to host3\.eth0: message 2: "
            r"transport retry counter exceeded\n", out.stderr)))
        print("#", out.stderr.strip())


def drawn(problems):
    """A picture of the distributions."""
    with Lab("ib-ndr"), tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cdf.svg")
        out = send("--workload", "allreduce:ring:1MiB", "--cdf", path, "--summary")
        expect(problems, "exit code", 0, out.returncode)
        with open(path, encoding="utf-8") as f:
            expect(problems, "SVG", True, "<svg" in f.read())
        out = send("--workload", "allreduce:ring:1MiB", "--cdf", folder + "/no/cdf.svg")
        expect(problems, "exit code", 1, out.returncode)


def tcp(problems, profile):
    """By TCP a message takes no less than it would alone by the closed form of bound.rst, and
    a long one hardly more. What follows at once on the same connection begins on the wire
    when the one before has been sent."""
    with Lab(profile), flows("host0 host1 50MB\nhost0 host1 0\nhost2 host3 1\n") as f:
        out = json.loads(send("--workload", f.name, "--net", "tcp", "--json").stdout)
        expect(problems, "transport", "tcp", out["transport"])
        expect(problems, "ended", 3, out["summary"]["ended"])
        long, empty, short = out["flows"]
        expect_in(problems, "slowdown of a long one", 1, 1.03, long["slowdown"])
        expect_in(problems, "of a short one", 1, 1.5, short["slowdown"])
        expect_in(problems, "behind it, ps", 0, short["end_ps"], empty["end_ps"] - long["end_ps"])
        print(f"# {profile}: {long['slowdown']:.4f} times as long as alone, "
              f"{short['slowdown']:.4f} with a byte")


def mixed(problems):
    """NVLink by TCP and rails by verbs, as the NICs have it."""
    run("weft up dgx-h100-4 --clock virtual")
    out = json.loads(send("--workload", "allreduce:hierarchical:1MiB", "--json").stdout)
    run("weft down")
    expect(problems, "transport", "rc and tcp", out["transport"])
    expect(problems, "ended", out["messages"], out["summary"]["ended"])
    expect(problems, "faster than alone", [],
           [row["name"] for row in out["flows"] if row["slowdown"] < 1])


def many_by_tcp(problems):
    """More messages of one connection at a time than it holds, in order."""
    with Lab("nvlink5"), flows("host0 host1 100\n" * 3000) as f:
        ends = [int(row["end_ps"]) for row in in_lab(f.name)]
        expect(problems, "ended", 3000, len(ends))
        expect(problems, "in order", sorted(ends), ends)


def refused(problems):
    """What cannot be sent is said before anything is."""
    cases = (
        ("ib-ndr", "", "host0 host1 3GB\n", "message 1: expected at most 1073741824 bytes", "any"),
        ("ib-ndr", "", "host0 host1 1000GiB\n", "message 1: expected at most 1073741824 bytes", "any"),
        ("ib-ndr", "", "host0 host9 1\n", "host9", "any"),
        ("nvlink5", "", "host0 host1 1\n", "it has no RDMA device: expected --net tcp", "verbs"),
        ("efa-100g", "", "host0 host1 1\n",
         "it is of the EFA kind, which has no connections: expected --net tcp", "verbs"),
    )
    for profile, lines, text, why, net in cases:
        with Lab(profile, lines), flows(text) as f:
            out = send("--workload", f.name, "--net", net)
            expect(problems, f"{why}: exit code", 1, out.returncode)
            expect(problems, f"{why}, in {out.stderr.strip()}", True, why in out.stderr)


if __name__ == "__main__":
    sys.exit(tell([
        ("collectives, ib-ndr", collectives, "ib-ndr", ""),
        ("collectives, ethernet-400g", collectives, "ethernet-400g", ALONE),
        ("computing", computing),
        ("a step of training", training),
        ("many messages", many),
        ("by TCP, nvlink5", tcp, "nvlink5"),
        ("by TCP, ethernet-400g", tcp, "ethernet-400g"),
        ("by TCP, ib-ndr", tcp, "ib-ndr"),
        ("by TCP, many messages", many_by_tcp),
        ("by both", mixed),
        ("jobs", jobs),
        ("beside another one", beside),
        ("cut short", cut, "ib-ndr", "1GB"),
        ("cut short, by TCP", cut, "nvlink5", "1000GiB"),
        ("interrupted", interrupted),
        ("a wire that is down", broken),
        ("drawn", drawn),
        ("refused", refused),
    ]))
