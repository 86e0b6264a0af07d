# SPDX-License-Identifier: GPL-2.0-or-later
"""What weft show and weft report say of a lab, against the kernel's counters.

usage: show.py rest|traffic	in the network namespace of the lab
       show.py wire PORT|nic NIC NAME	a parameter as the kernel has it

At rest all counters are the same. In traffic they only grow, so what weft says
lies between what the kernel said before and after.
"""

import json
import subprocess
import sys

from cluster import counters
from netlink import DUMP, Weft, attributes, decode
from two_nodes import text

# Only grow; queue_peak and buffer_peak do as well.
PORT = """tx_packets tx_bytes rx_packets rx_bytes queue_peak tx_wait_ps
    tx_control rx_control lost_control tx_replays rx_replays naks""".split()
SUMS = "wait_ps tx_pause rx_pause marked trimmed watchdogs".split()
CLASS = ["tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "buffer_peak",
         "dropped"] + SUMS
LINK = ["tx_packets", "tx_bytes", "queue_peak", "tx_wait_ps", "tx_control",
        "tx_replays", "wait_ps", "tx_pause", "rx_pause", "marked", "trimmed"]


class Kernel:
    """All ports of the only fabric, as netlink has them."""

    def __init__(self):
        self.weft = Weft()
        raw, = self.weft.do("fabric-get", {}, DUMP)
        fabric = int.from_bytes(attributes(raw[4:])[1], sys.byteorder)
        self.nics = {text(dict(n)["name"]): dict(n)
                     for n in self.dump("nic", {"fabric": fabric})}
        self.switches = {text(dict(s)["name"]): dict(s)
                         for s in self.dump("switch", {"fabric": fabric})}
        self.ports, self.classes = {}, {}
        for link in self.dump("link", {"fabric": fabric}):
            wires = [value for name, value in link if name == "wire"]
            for wire, end in zip(wires, "ab"):
                self.add(self.name(dict(dict(link)[end])), wire)

    def dump(self, kind, values):
        return [decode(kind, raw[4:])
                for raw in self.weft.do(kind + "-get", values, DUMP)]

    def name(self, end):
        known = self.nics if "nic" in end else self.switches
        number = end.get("nic", end.get("switch"))
        name = next(n for n, o in known.items() if o["id"] == number)
        return name if "nic" in end else f"{name}:{end['port']}"

    def add(self, port, wire):
        states = [value for name, value in wire if name == "class"]
        for state in states:
            number = dict(state)["class"]
            self.classes[port, number] = counters(state, "counter")
        all_ = counters(wire, "counter")
        for name in SUMS:
            all_[name] = sum(counters(s, "counter").get(name, 0)
                             for s in states)
        drops = counters(wire, "drop")
        self.ports[port] = {**dict(wire), **all_, "drops": drops,
                            "dropped": sum(drops.values())}


def weft(*words):
    done = subprocess.run(["weft", *words, "--json"], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def compare(what, before, shown, after, names):
    """Problems where what is shown is not between before and after."""
    return [f"{what} {n}: {shown[n]} is not {before.get(n, 0)} to "
            f"{after.get(n, 0)}" for n in names
            if not before.get(n, 0) <= shown[n] <= after.get(n, 0)]


def check_show(before, ports, classes, after):
    problems = []
    if {p["port"] for p in ports} != set(after.ports):
        problems.append(f"ports: {[p['port'] for p in ports]}")
    for p in ports:
        name = p["port"]
        problems += compare(name, before.ports[name], p, after.ports[name],
                            PORT + SUMS + ["dropped"])
        problems += compare(name, before.ports[name]["drops"], p["drops"],
                            after.ports[name]["drops"], p["drops"])
    if not before.classes.keys() <= {(c["port"], c["class"]) for c in classes}:
        problems.append(f"classes: not all of {list(before.classes)}")
    for c in classes:
        key = c["port"], c["class"]
        problems += compare(str(key), before.classes.get(key, {}), c,
                            after.classes[key], CLASS)
    return problems


def total(ports, name):
    return sum(p[name] for p in ports)


def check_report(before, report, after):
    problems = []
    for link in report["links"]:
        name = link["from"]
        problems += compare("report " + name, before.ports[name], link,
                            after.ports[name], LINK + ["dropped"])
    names = [n for n in PORT[5:] + SUMS]
    row, = report["lossless"]["disciplines"]
    sums = [{n: total(k.ports.values(), n) for n in names}
            for k in (before, after)]
    problems += compare("report", sums[0], row, sums[1], names)
    worst = [max(p["wait_ps"] for p in k.ports.values())
             for k in (before, after)]
    if not worst[0] <= row["worst_wait_ps"] <= worst[1]:
        problems.append(f"worst wait {row['worst_wait_ps']}, not {worst}")
    return problems


def check(at_rest):
    before = Kernel()
    ports, classes = weft("show", "ports"), weft("show", "classes")
    report = weft("report")
    after = Kernel()
    problems = check_show(before, ports, classes, after)
    problems += check_report(before, report, after)
    if at_rest and before.ports != after.ports:
        problems.append("the fabric is not at rest")
    if not total(ports, "tx_pause") or not total(ports, "wait_ps"):
        problems.append("nothing was held back: this test would see nothing")
    return problems


def main():
    if sys.argv[1] in ("rest", "traffic"):
        problems = check(sys.argv[1] == "rest")
        print("\n".join(problems[:20]))
        sys.exit(1 if problems else 0)
    kernel = Kernel()
    what = kernel.ports if sys.argv[1] == "wire" else kernel.nics
    print(what[sys.argv[2]][sys.argv[3]])


if __name__ == "__main__":
    main()
