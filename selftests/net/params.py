# SPDX-License-Identifier: GPL-2.0-or-later
"""What is set can be read, and what was read can be set again.

Each object is made with values of which none is a default. The answer to its
get command must have every one of them; an object made from that answer must
give the same answer. All happens in a network namespace of its own.
"""

import subprocess
import sys

from netlink import CLONE_NEWNET, Refusal, Weft, decode, unshare

VL = bytes([1, 0, 2, 3, 3, 2, 1, 0] + [15] * 8)
EGRESS = [
    ("react", 1160000), ("ipd", 3),
    ("age", [("hoq", 4096000), ("life", 8192000), ("stall-count", 7)]),
    ("red", [("class", 0), ("kmin", 10), ("kmax", 20), ("pmax", 30)]),
    ("red", [("class", 2), ("kmin", 40), ("kmax", 40), ("pmax", 50)]),
    ("mark-at", 1),
    ("fecn", [("threshold", 9000), ("packet-size", 5), ("marking-rate", 6),
              ("victim", 1)]),
]
DRR = [("weight", 0), ("weight", 2), ("weight", 3), ("weight", 4),
       ("quantum", 1500), ("scheduler", 0)]
VLARB = [("scheduler", 1),
         ("vlarb", [("high", bytes([0, 4, 1, 255])),
                    ("low", bytes(i % 4 for i in range(128))),
                    ("high-limit", 16)])]
TRIM = [("trim", [("classes", 3), ("class", 3), ("len", 64)])]

# One for each discipline: its own parameters, and what may go with them.
PORTS = [
    [("discipline", "drop-tail")] + DRR + TRIM,
    [("discipline", "pause")] + VLARB + TRIM +
    [("pfc", [("quanta", 4), ("watchdog", 1), ("poll", 1), ("detect", 2),
              ("restore", 3)])],
    [("discipline", "pfc")] + DRR + TRIM +
    [("pfc", [("enable", 10), ("quanta", 1000), ("watchdog", 2), ("poll", 5),
              ("detect", 6), ("restore", 7)])],
    [("discipline", "credit")] + VLARB +
    [("credit", [("blocks", b) for b in (65, 130, 195, 260)] +
      [("block", 128), ("header", 26), ("period", 5), ("eager", 0),
       ("refresh", 0)])],
    [("discipline", "nvlink")] + DRR +
    [("flit", [("hdr", h) for h in (1, 2, 3, 4)] +
      [("data", d) for d in (32, 33, 34, 35)] +
      [("payload", 128), ("unit", 4), ("replay", 65536), ("header", 20),
       ("control", 8), ("carry", 0), ("repeat", 9)])],
    [("discipline", "uec")] + DRR +
    [("cbfc", [("limit", n) for n in (400, 0, 500, 600)] +
      [("size", 256), ("overhead", 20), ("spacing", 800), ("repeat", 65536),
       ("sync", 7)]),
     ("llr", [("replay", 99999), ("spacing", 1000), ("repeat", 8)])],
]
PORTS = [[("classes", 4), ("queue-limit", 77777)] + p + EGRESS for p in PORTS]

ACCOUNTS = [
    ("buffer-class", [("class", 0), ("reserve", 1), ("headroom", 2),
                      ("xon", 3), ("threshold", 4)]),
    ("buffer-class", [("class", 1), ("reserve", 5), ("headroom", 6),
                      ("xon", 7), ("alpha", -3)]),
    ("buffer-class", [("class", 3), ("reserve", 0), ("headroom", 0),
                      ("xon", 0), ("alpha", 20)]),
]
SWITCHES = [
    [("select", 2), ("quantum", 512), ("sl2vl", 0), ("lmc", 2),
     ("buffer-total", 99999), ("buffer-per-port", 8888)],
    [("select", 3), ("flowlets", 64), ("flowlet-gap", 12345), ("arn-hold", 77),
     ("arn-queue", 8), ("sl2vl", 1), ("vl", VL)],
    [("select", 4), ("sl2vl", 2), ("vl", VL)],
    [("select", 0), ("sl2vl", 3), ("vl", VL)],
]
WIRE = [("rate", 4 * 10 ** 11), ("propagation", 37), ("overhead", 16),
        ("min-frame", 0), ("payload", 256), ("unit", 32), ("lanes", 18),
        ("lanes-up", 17)]
RX = [("rx-rate", 10 ** 10), ("rx-stop", 5)]
CCT = bytes(range(256)) * 2
VERBS = [("verbs", [
    ("doorbell", 11), ("process", 12), ("message-rate", 13), ("pcie-rate", 14),
    ("qp-cache", 15), ("qp-miss", 16), ("ack-every", 17), ("ordering", 1), ("reorder-time", 18), ("congestion", 3),
    ("target-delay", 19), ("kind", 1), ("paths", 5), ("retransmit-time", 3001),
    ("cnp-sl", 6),
    ("dcqcn", [("g", 1), ("initial-alpha", 2), ("alpha-timer", 2001),
               ("reduce-period", 22), ("increase-timer", 2003),
               ("byte-reset", 24), ("threshold", 25), ("ai-rate", 26),
               ("hai-rate", 27), ("min-rate", 2800), ("clamp-target", 1),
               ("cnp-interval", 29)]),
    ("ibcc", [("increase", 31), ("limit", 32), ("min", 3), ("timer", 34),
              ("cct", CCT)])])]

MODERATION = [("moderation", [("rx-usecs", 8), ("rx-frames", 128),
                              ("adaptive-rx", 1)])]

# What an answer has and a request must not.
STATE = {"id", "reduced", "arn-sent", "arn-heard", "ifindex", "ifname", "address", "buffer-used", "buffer-peak",
         "counter", "drop", "latency", "class", "rx-used", "rx-peak",
         "rdma-device"}


class Test:
    """Requests and their answers, counted."""

    def __init__(self):
        self.weft = Weft()
        self.count = 0
        self.failed = 0

    def result(self, name, problems):
        self.count += 1
        self.failed += bool(problems)
        print("not ok" if problems else "ok", self.count, name)
        for problem in problems:
            print("# |", problem)

    def read(self, kind, number):
        """What is known of an object, without its state."""
        answer = self.weft.do(f"{kind}-get", {"fabric": 0, "id": number})[0]
        return [(n, v) for n, v in decode(kind, answer[4:]) if n not in STATE]

    def remake(self, name, kind, first, make):
        """The answer has all of FIRST, and MAKE makes the same of it."""
        made = make(first)
        answer = self.read(kind, made[0])
        problems = missing(first, answer)
        made[1]()
        made = make(answer)
        again = self.read(kind, made[0])
        made[1]()
        if again != answer:
            problems.append(f"set again: {again}")
            problems.append(f"expected:  {answer}")
        self.result(name, problems)

    def switch(self, values):
        number = self.weft.make("switch-new", unique([("fabric", 0), ("ports", 3)] +
                                                values))
        return number, lambda: self.weft.do("switch-del",
                                            {"fabric": 0, "id": number})

    def nic(self, values):
        number = self.weft.make("nic-attach", unique([("fabric", 0),
                                                 ("ifname", "w0")] + values))
        return number, lambda: self.weft.do("nic-detach",
                                            {"fabric": 0, "id": number})


def unique(values):
    """VALUES, but a second fabric or number of ports goes."""
    seen = set()
    return [(n, v) for n, v in values
            if n not in ("fabric", "ports") or
            n not in seen and not seen.add(n)]


def missing(wanted, got):
    """What of WANTED is not in GOT; lists are compared as deep as they go."""
    problems = []
    for name, value in wanted:
        if isinstance(value, str):
            value = value.encode() + b"\0"
        found = [v for n, v in got if n == name]
        if isinstance(value, list):
            good = any(not missing(value, v) for v in found)
        else:
            good = value in found
        if not good:
            problems.append(f"{name}: expected {value}, got {found}")
    return problems


def wires(test):
    """Both directions, one after the other, and lanes without lanes-up."""
    weft = test.weft
    a, b = ({"switch": test.switch([])[0], "port": 0} for _ in range(2))
    link = test.weft.make("link-new", {"fabric": 0, "a": a, "b": b,
                                  "wire": dict(WIRE)})
    both = [("wire", WIRE + [("direction", d)]) for d in (0, 1)]
    test.result("wires", missing(both, test.read("link", link)))
    weft.do("link-set", {"fabric": 0, "id": link,
                         "wire": {"direction": 1, "lanes": 4}})
    one = [("wire", [("direction", 0), ("lanes", 18), ("lanes-up", 17)]),
           ("wire", [("direction", 1), ("lanes", 4), ("lanes-up", 4)])]
    test.result("lanes of one wire", missing(one, test.read("link", link)))


def receivers(test):
    """A NIC is changed: what is not named stays."""
    number, gone = test.nic(RX)
    test.weft.do("nic-set", {"fabric": 0, "id": number, "rx-stop": 2})
    problems = missing([RX[0], ("rx-stop", 2)], test.read("nic", number))
    test.weft.do("nic-set", {"fabric": 0, "id": number, "rx-rate": 0})
    problems += missing([("rx-rate", 0), ("rx-stop", 2)],
                        test.read("nic", number))
    gone()
    test.result("nic-set", problems)


def verbs(test):
    """Neither a nest nor what is in it goes when another is named."""
    number, gone = test.nic(VERBS)
    test.weft.do("nic-set", {"fabric": 0, "id": number,
                             "verbs": {"ibcc": {"cct": bytes([1, 2, 3, 4])}}})
    test.weft.do("nic-set", {"fabric": 0, "id": number,
                             "verbs": {"dcqcn": {"g": 9}, "qp-cache": 0}})
    want = [n for n in VERBS[0][1] if n[0] not in ("qp-cache", "dcqcn",
                                                   "ibcc")]
    table = bytes([1, 2]) + bytes([3, 4]) * 255
    want += [("qp-cache", 0), ("dcqcn", [("g", 9), ("initial-alpha", 2)]),
             ("ibcc", [("increase", 31), ("cct", table)])]
    problems = missing([("verbs", want)], test.read("nic", number))
    test.weft.do("nic-set", {"fabric": 0, "id": number, "rx-rate": 0})
    problems += missing([("verbs", want)], test.read("nic", number))
    gone()
    test.result("nic-set, verbs", problems)


def tables(test, sl2vl):
    """The table of all pairs of ports is the switch's; of one pair, not."""
    number, gone = test.switch([("sl2vl", sl2vl)])
    ask = {"fabric": 0, "id": number, "vl": VL}
    before = [v for n, v in test.read("switch", number) if n == "vl"]
    for ports in ({"in-port": 0}, {"out-port": 2}, {"in-port": 1,
                                                   "out-port": 1}):
        test.weft.do("switch-set", {**ask, **ports})
    problems = missing([("vl", before[0])], test.read("switch", number))
    test.weft.do("switch-set", ask)
    problems += missing([("vl", VL)], test.read("switch", number))
    gone()
    test.result(f"switch-set, sl2vl {sl2vl}", problems)


def aggregators(test):
    """All but the key is told, and a node goes with its switch. Only roots have owners."""
    number, gone = test.switch([])
    root = [("group", 78), ("switch", number), ("child", b"\2\0\0\0"), ("to", 1)]
    owned = test.weft.make("aggregator-new", dict(root + [("fabric", 0), ("qkey", 5)]))
    answer = test.weft.do("aggregator-get", {"fabric": 0, "id": owned})[0]
    problems = missing(root, decode("aggregator", answer[4:]))
    try:
        test.weft.make("aggregator-new", {**dict(root), "fabric": 0, "qkey": 5,
                                          "group": 79, "parent": 1})
        problems.append("a node with a parent gives results to owners")
    except Refusal:
        pass
    values = [("group", 77), ("switch", number), ("child", b"\2\0\0\0"), ("parent", 1),
              ("slots", 19), ("latency", 12345), ("to", 0)]
    node = test.weft.make("aggregator-new", dict(values + [("fabric", 0), ("qkey", 5)]))
    answer = test.weft.do("aggregator-get", {"fabric": 0, "id": node})[0]
    got = decode("aggregator", answer[4:])
    problems += missing(values, got)
    if [v for n, v in got if n == "qkey"]:
        problems.append("the key is told")
    gone()
    try:
        test.read("aggregator", node)
        problems.append("it is there without its switch")
    except Refusal:
        pass
    test.result("aggregation node", problems)


def main():
    unshare(CLONE_NEWNET)
    subprocess.run("ip link add w0 type weft".split(), check=True)
    test = Test()
    print("KTAP version 1")
    test.weft.do("fabric-new", {"max-nics": 4})
    for params in PORTS:
        name = dict(params)["discipline"]
        port = [("port-params", params)]
        test.remake(f"switch, {name}", "switch", port, test.switch)
        port = [("port-params", params + [("vl", VL)])]
        test.remake(f"NIC, {name}", "nic", port + RX, test.nic)
    for values in SWITCHES:
        test.remake(f"switch, {values[0]}", "switch", values, test.switch)
    test.remake("agent of a switch", "switch",
                [("port-params", PORTS[3]), ("sma-latency", 777)], test.switch)
    test.remake("accounts of a switch", "switch",
                [("buffer-total", 5000)] + ACCOUNTS, test.switch)
    test.remake("accounts of a NIC", "nic",
                [("rx-buffer", 5000)] + ACCOUNTS, test.nic)
    test.remake("verbs of a NIC", "nic", VERBS, test.nic)
    test.remake("moderation of a NIC", "nic", MODERATION, test.nic)
    wires(test)
    receivers(test)
    verbs(test)
    aggregators(test)
    tables(test, 2)
    tables(test, 3)
    print(f"1..{test.count}")
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
