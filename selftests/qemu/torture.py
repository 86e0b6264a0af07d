# SPDX-License-Identifier: GPL-2.0-or-later
"""Random operations from many processes at once, from a seed.

usage: torture.py SEED OPERATIONS WORKERS

Workers share a network namespace with a few fabrics, whose objects they make, change,
look at and destroy, while packets cross them. They agree on nothing, so that much is
refused: no such object, in use, out of range. What counts is that the kernel survives,
and what it says; and that all is gone in the end.

What a worker does depends on the seed and its number alone, what comes of it on the
others. A few in a hundred have to be possible.
"""

import collections
import ctypes
import multiprocessing
import os
import queue
import random
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))

# pylint: disable=wrong-import-position
from netlink import (CLONE_NEWNET, DUMP, IFLA_ADDRESS, IFLA_IFNAME, IFLA_INFO_KIND,
                     IFLA_LINKINFO, NESTED, NETLINK_ROUTE, RTM_NEWLINK, Netlink, Refusal, Weft,
                     attribute, attributes, unshare)

NETLINK_RDMA = 20
CPU_NONE = 0xffffffff
RTM_DELLINK, RTM_GETLINK = 17, 18
RTM_NEWNEIGH, RTM_DELNEIGH, NDA_DST, NTF_USE = 28, 29, 1, 1
CREATE = 0x600			# NLM_F_CREATE | NLM_F_EXCL
IFF_UP = 1
RDMA_NLDEV, RDMA_GET, RDMA_NEWLINK, RDMA_DELLINK = 5 << 10, 1, 3, 4
RDMA_INDEX, RDMA_NAME, RDMA_NDEV, RDMA_TYPE = 1, 2, 51, 65
ETH_P_ALL = 3
TELL = 60	# seconds

FABRICS, SWITCHES, LINKS, NICS, FEW = 3, 6, 16, 10, 4
DISCIPLINES = ({"discipline": "credit", "classes": 2},
               {"discipline": "pfc", "pfc": {"enable": 255}},
               {"discipline": "drop-tail"}, {"discipline": "nvlink"})


# down, rate, delay, loss, corrupt, duplicate, reorder
FAULTS = ({}, {"rate": 10 ** 9}, {"delay": 1000}, {"probability": 10 ** 7},
          {"bits-per-error": 10 ** 5}, {"probability": 10 ** 8},
          {"probability": 10 ** 7, "delay": 10 ** 6})


# mark, phase, rate, bytes; those of NICs last
TRIGGERS = ({"name": "m0"}, {"number": 1}, {"rate": 10 ** 6, "size": 1500},
            {"size": 10 ** 4})


def text(name):
    return name.encode() + b"\0"


class Worker:
    """One process with sockets and a source of numbers of its own."""

    def __init__(self, seed, number):
        self.draw = random.Random(f"{seed}/{number}")
        self.weft = Weft()
        self.route = Netlink(NETLINK_ROUTE)
        self.rdma = Netlink(NETLINK_RDMA)
        self.ear = Weft()
        self.ear.socket.setblocking(False)
        self.done = collections.Counter()
        self.refused = collections.Counter()

    # --- what is drawn -----------------------------------------------------------

    def below(self, n):
        return self.draw.randrange(n)

    def fabric(self):
        # most of the time the same one, for things to meet
        return max(0, self.below(FABRICS + 3) - 3)

    def object(self):
        """In a fabric, with the discipline that most there have."""
        fabric = self.fabric()
        params = DISCIPLINES[fabric] if self.below(8) else \
            self.draw.choice(DISCIPLINES)
        return {"fabric": fabric, "port-params": params}

    def nic(self):
        return f"t{self.below(NICS)}"

    def end(self):
        if self.below(2):
            return {"nic": self.below(NICS)}
        return {"switch": self.below(SWITCHES), "port": self.below(4)}

    def when(self):
        trigger = {} if self.below(3) else {"trigger": self.below(FEW)}
        return {"after": self.below(10 ** 9), "duration": 1 + self.below(10 ** 9),
                **trigger}

    # --- operations --------------------------------------------------------------

    def fabric_new(self):
        if self.fabric_id(FABRICS - 1):
            return False
        return self.weft.do("fabric-new", {
            "max-nics": 64, "seed": self.below(100),
            # few of 1: loops of floods take half a CPU there for as long as they last
            "dilation": self.draw.choice((1, 100, 1000, 1000))})

    def fabric_id(self, number):
        try:
            return bool(self.weft.do("fabric-get", {"id": number}))
        except Refusal:
            return False

    def fabric_del(self):
        return self.weft.do("fabric-del", {"id": self.below(FABRICS)})

    def fabric_pin(self):
        cpu = self.draw.choice((*os.sched_getaffinity(0), CPU_NONE))
        return self.weft.do("fabric-set", {"id": self.below(FABRICS), "cpu": cpu})

    def fabric_get(self):
        return self.weft.do("fabric-get", {}, DUMP)

    def switch_new(self):
        return self.weft.do("switch-new", {
            **self.object(), "ports": 4 + self.below(6)})

    def switch_del(self):
        return self.weft.do("switch-del", {"fabric": self.fabric(),
                                           "id": self.below(SWITCHES)})

    def switch_get(self):
        return self.weft.do("switch-get", {"fabric": self.fabric()}, DUMP)

    def nic_add(self):
        kind = attribute(IFLA_INFO_KIND, text("weft"))
        return self.route.request(
            RTM_NEWLINK, bytes(16) + attribute(IFLA_IFNAME, text(self.nic())) +
            attribute(IFLA_LINKINFO | NESTED, kind), CREATE)

    def nic_delete(self):
        return self.route.request(
            RTM_DELLINK, bytes(16) + attribute(IFLA_IFNAME, text(self.nic())))

    def nic_updown(self):
        up = IFF_UP if self.below(4) else 0
        return self.route.request(
            RTM_NEWLINK, struct.pack("=BBHiII", 0, 0, 0, 0, up, IFF_UP) +
            attribute(IFLA_IFNAME, text(self.nic())))

    def nic_attach(self):
        knows = {"neighbour-eui64": True} if self.below(2) else {}
        return self.weft.do("nic-attach", {**self.object(), "ifname": self.nic(), **knows})

    def nic_link(self):
        """Index and MAC address of a NIC."""
        found = self.route.request(RTM_GETLINK, bytes(16) +
                                   attribute(IFLA_IFNAME, text(self.nic())))[0]
        return struct.unpack_from("=i", found, 4)[0], attributes(found[16:])[IFLA_ADDRESS]

    def neighbour(self):
        """A NIC is to talk to another one, or forgets it."""
        index, _ = self.nic_link()
        _, mac = self.nic_link()
        to = b"\xfe\x80" + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:]
        old = not self.below(4)
        return self.route.request(
            RTM_DELNEIGH if old else RTM_NEWNEIGH,
            struct.pack("=BBHiHBB", socket.AF_INET6, 0, 0, index, 0,
                        0 if old else NTF_USE, 0) + attribute(NDA_DST, to),
            0 if old else CREATE)

    def nic_detach(self):
        return self.weft.do("nic-detach", {"fabric": self.fabric(),
                                           "id": self.below(NICS)})

    def nic_set(self):
        return self.weft.do("nic-set", {
            "fabric": self.fabric(), "id": self.below(NICS),
            "rx-stop": self.draw.choice((0, 0, 1, 255))})

    def nic_get(self):
        return self.weft.do("nic-get", {"fabric": self.fabric()}, DUMP)

    def link_new(self):
        return self.weft.do("link-new", {
            "fabric": self.fabric(), "a": self.end(), "b": self.end(),
            "wire": {"rate": 10 ** self.draw.choice((9, 11, 12)),
                     "propagation": self.below(10 ** 7)}})

    def link_set(self):
        wire = self.draw.choice(({"up": self.below(2)}, {"rate": 10 ** 10}))
        return self.weft.do("link-set", {"fabric": self.fabric(),
                                         "id": self.below(LINKS), "wire": wire})

    def link_del(self):
        return self.weft.do("link-del", {"fabric": self.fabric(),
                                         "id": self.below(LINKS)})

    def link_get(self):
        return self.weft.do("link-get", {"fabric": self.fabric()}, DUMP)

    def route_set(self):
        where = [("fabric", self.fabric()), ("switch", self.below(SWITCHES))]
        if self.below(2):
            where += [("flood", True)] + [("port", p) for p in range(2)]
        else:
            where += [("dst", self.below(NICS)), ("port", self.below(4))]
        return self.weft.do("route-set", where)

    def route_get(self):
        return self.weft.do("route-get", {"fabric": self.fabric(),
                                          "switch": self.below(SWITCHES)}, DUMP)

    def fault_new(self):
        kind = self.below(len(FAULTS))
        return self.weft.do("fault-new", {
            "fabric": self.fabric(), "link": self.below(LINKS), "kind": kind,
            **FAULTS[kind], **self.when()})

    def fault_del(self):
        return self.weft.do("fault-del", {"fabric": self.fabric(),
                                          "id": self.below(FEW)})

    def traffic_new(self):
        return self.weft.do("traffic-new", {
            "fabric": self.fabric(), "nic": self.below(NICS),
            "dst": self.below(NICS), "window": 64, "depth": 8, "size": 1000,
            "rate": 10 ** 9, **self.when()})

    def traffic_del(self):
        return self.weft.do("traffic-del", {"fabric": self.fabric(),
                                            "id": self.below(FEW)})

    def trigger_new(self):
        kind = self.below(len(TRIGGERS))
        nic = {"nic": self.below(NICS)} if kind >= 2 else {}
        return self.weft.do("trigger-new", {
            "fabric": self.fabric(), "kind": kind, **TRIGGERS[kind], **nic})

    def trigger_del(self):
        return self.weft.do("trigger-del", {"fabric": self.fabric(),
                                            "id": self.below(FEW)})

    def trigger_get(self):
        return self.weft.do("trigger-get", {"fabric": self.fabric()}, DUMP)

    def aggregator_new(self):
        ports = self.draw.sample(range(5), 1 + self.below(4))
        return self.weft.do("aggregator-new", {
            "fabric": self.fabric(), "switch": self.below(SWITCHES),
            "group": self.below(FEW), "qkey": 1, "slots": 1 + self.below(300),
            "child": struct.pack(f"={len(ports)}H", *ports),
            **({"parent": self.below(5)} if self.below(2) else {})})

    def aggregator_del(self):
        return self.weft.do("aggregator-del", {"fabric": self.fabric(),
                                               "id": self.below(FEW)})

    def aggregator_get(self):
        return self.weft.do("aggregator-get", {"fabric": self.fabric()}, DUMP)

    def phase_set(self):
        return self.weft.do("phase-set", {
            "fabric": self.fabric(), "rate": self.draw.choice((0, 10 ** 6, 10 ** 6)),
            "least": 1500})

    def phase_get(self):
        return self.weft.do("phase-get", {"fabric": self.fabric()}, DUMP)

    def mark(self):
        with open("/proc/net/weft_mark", "w", encoding="ascii") as marks:
            marks.write(self.draw.choice(("m0", "m1", "-")))
        return True

    def listen(self):
        command, values = self.draw.choice((
            ("capture-start", {"link": self.below(LINKS)}),
            ("capture-stop", {"link": self.below(LINKS)}),
            ("trail-start", {}), ("trail-stop", {})))
        self.drain()
        return self.ear.do(command, {"fabric": self.fabric(), **values})

    def rdma_add(self):
        name = self.nic()
        return self.rdma.request(
            RDMA_NLDEV | RDMA_NEWLINK, attribute(RDMA_NAME, text("r" + name)) +
            attribute(RDMA_TYPE, text("weft")) + attribute(RDMA_NDEV, text(name)))

    def rdma_delete(self):
        found = [attributes(device)[RDMA_INDEX] for device in
                 self.rdma.request(RDMA_NLDEV | RDMA_GET, b"", DUMP)]
        return bool(found) and self.rdma.request(
            RDMA_NLDEV | RDMA_DELLINK,
            attribute(RDMA_INDEX, self.draw.choice(found)))

    def packets(self):
        nic = self.nic()
        # the kernel starts modprobe, twice, for a name that is bound to and not there
        self.route.request(RTM_GETLINK, bytes(16) + attribute(IFLA_IFNAME, text(nic)))
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                           socket.htons(ETH_P_ALL)) as sock:
            sock.bind((nic, 0))
            to = b"\xff" * 6 if self.below(4) else self.draw.randbytes(6)
            for _ in range(self.below(32)):
                sock.send(to + self.draw.randbytes(6) + b"\x88\xb5" +
                          bytes(self.below(1400)), socket.MSG_DONTWAIT)
        return True

    def namespace(self):
        """A namespace that lives for a moment, with packets on their way."""
        pid = os.fork()
        if pid:
            return not os.waitpid(pid, 0)[1]
        try:
            unshare(CLONE_NEWNET)
            other = Worker(self.below(10 ** 9), 0)
            for step in (other.fabric_new, other.nic_add, other.nic_attach,
                         other.switch_new) + (other.nic_add, other.nic_attach,
                                              other.nic_updown, other.link_new,
                                              other.route_set, other.packets,
                                              other.traffic_new) * 4:
                try:
                    step()
                except (Refusal, OSError):
                    pass
        finally:
            os._exit(0)

    # --- the run -----------------------------------------------------------------

    WEIGHTS = {"fabric_new": 12, "fabric_del": 2, "fabric_get": 4, "fabric_pin": 4,
               "switch_new": 30, "switch_del": 8, "switch_get": 8, "nic_add": 30, "nic_delete": 12,
               "nic_updown": 30, "nic_attach": 60, "nic_detach": 12, "nic_set": 24,
               "nic_get": 8, "neighbour": 60, "link_new": 240, "link_set": 40, "link_del": 24,
               "link_get": 10, "route_set": 60, "route_get": 8, "fault_new": 60,
               "fault_del": 30, "traffic_new": 80, "traffic_del": 30, "listen": 30,
               "trigger_new": 60, "trigger_del": 20, "trigger_get": 8,
               "aggregator_new": 40, "aggregator_del": 12, "aggregator_get": 8,
               "phase_set": 20, "phase_get": 8, "mark": 30,
               "rdma_add": 10, "rdma_delete": 10, "packets": 100, "namespace": 4}

    def drain(self):
        """Throw away what captures and trails told, and make room for a reply."""
        try:
            while self.ear.socket.recv(1 << 17):
                pass
        except OSError:
            pass

    def run(self, operations, tell):
        names = list(self.WEIGHTS)
        weights = list(self.WEIGHTS.values())
        for i, name in enumerate(self.draw.choices(names, weights, k=operations)):
            tell(i)
            try:
                if getattr(self, name)() is not False:
                    self.done[name] += 1
            except (Refusal, OSError):
                self.refused[name] += 1
        return self.done, self.refused


def work(seed, number, operations, results, progress):
    def tell(done):
        progress[number] = done

    ctypes.CDLL(None).prctl(1, 9)		# not to outlive the test
    try:
        results.put(Worker(seed, number).run(operations, tell))
    except Exception:
        results.put(None)			# for who waits for it
        raise


def wait_for(results, progress):
    """The next worker's results. A long run says how far it is, and how fast."""
    while True:
        before = sum(progress)
        try:
            return results.get(timeout=TELL)
        except queue.Empty:
            done = sum(progress)
            print(f"# {done} operations, {(done - before) / TELL:.0f} in a second",
                  file=sys.stderr, flush=True)


def main():
    seed, operations, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    began = time.monotonic()
    done, refused = collections.Counter(), collections.Counter()
    unshare(CLONE_NEWNET)
    # nobody reads them: what counts is that events are made
    listener = Weft()
    listener.listen()
    results = multiprocessing.Queue()
    progress = multiprocessing.Array("L", workers, lock=False)
    crowd = [multiprocessing.Process(target=work,
                                     args=(seed, n, operations // workers, results, progress))
             for n in range(workers)]
    for worker in crowd:
        worker.start()
    for _ in crowd:
        one, other = wait_for(results, progress) or sys.exit(1)
        done += one
        refused += other
    for worker in crowd:
        worker.join()
    for name in Worker.WEIGHTS:
        print(f"{name}: {done[name]} done, {refused[name]} refused")
    possible, all_of = done.total(), done.total() + refused.total()
    print(f"seed {seed}: {all_of} operations, {possible} done, "
          f"{all_of / (time.monotonic() - began):.0f} in a second")
    # a fifth is usual
    if possible * 20 < all_of:
        sys.exit("hardly anything was possible")


if __name__ == "__main__":
    main()
