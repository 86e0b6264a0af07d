# SPDX-License-Identifier: GPL-2.0-or-later
"""IP over InfiniBand, and the connection manager of RDMA over it.

The topology asks for it, opensm runs in the first node, and the kernel's ib_ipoib is
unmodified.

All pairs (with the word "pairs"). Each node sends an echo request to each other one, on four topologies, and all
are answered.

Times. In bytes on the wire a datagram of IP has, around it,

    LRH 8, BTH 12, DETH 8, IPoIB 4, ICRC 4, VCRC 2    38

and on a connection each packet of up to 4096 bytes, of which IPoIB's header has 4 once,

    LRH 8, BTH 12, ICRC 4, VCRC 2                     26

A request and its answer take twice the way of their packet. On a connection the
acknowledgement of the request, with an AETH of 4 instead of data, goes before the
answer. The IP of both hosts reads the clock some times, 1 ns each.

Bandwidth. TCP has 52 bytes of headers in a packet of IP with time stamps. opensm 3.3.23
knows no NDR: its path records say 40 Gb/s, and IPoIB sends no faster.

Programs. rping, udaddy, perftest with -R, UCX and libfabric connect by the addresses of
ib0. Open MPI and iperf3 have their sockets there.
"""

import json
import os
import re
import socket
import struct
import subprocess
import sys
import time

from ktap import expect, expect_in, tell
from managed import Managed, on, run
from netns import SO_RCVBUFFORCE, SO_TIMESTAMPNS, inside, now, receive

FOUR = (("ib-8",), ("fat-tree-k4", "profile=ib-ndr"), ("dragonfly-12",),
        ("torus-3x3",))
ECHO = struct.Struct("!BBHHH")
# bytes around a packet of IP, or around its last message on a connection
HEADER = {"datagram": 38, "connected": 30}
ACK = 30
TCP_HEADERS = 20 + 20 + 12
# ib-ndr, two hosts at a switch that cuts through: NIC, cable, switch, cable, NIC
ONE_WAY = 280 + 25.25 + 330 + 25.25 + 230	# ns
BYTE = 8 / 400	# ns
READINGS = 10	# ns
RATES = {7: 40, 21: 400}	# codes of path records, Gb/s


def built(program):
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(here, "../../build/selftests", program)


class Ipoib(Managed):
    """A topology with ib0 in each node, and opensm in the first one."""

    def __init__(self, mode, topology, *keys):
        super().__init__(topology, f"nic.verbs.ipoib={mode}", *keys)
        self.address = {n["node"]: n["ipoib_ip"] for n in
                        json.loads(run("weft show nodes --json")[1])}

    def carriers(self):
        """Nodes whose ib0 has joined its groups."""
        found = []
        for node in self.nodes:
            with inside(node):
                links = json.loads(run("ip -j link show dev ib0")[1])
            if "LOWER_UP" in links[0]["flags"]:
                found.append(node)
        return found

    def joined(self):
        """Start opensm, and wait until all nodes have joined."""
        self.manage(self.nodes[0])
        end = time.monotonic() + 30
        while self.carriers() != self.nodes and time.monotonic() < end:
            time.sleep(0.02)
        return self.carriers()


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    return ~(total + (total >> 16)) & 0xffff


def echo(number):
    """A request of ICMP."""
    head = ECHO.pack(8, 0, 0, 1, number)
    return ECHO.pack(8, 0, checksum(head), 1, number)


def unanswered(lab):
    """The pairs of nodes of which the first has no answer from the second."""
    missing, sockets = set(), []
    for node in lab.nodes:
        with inside(node):
            s = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                              socket.IPPROTO_ICMP)
        # of each request and each answer it gets a copy
        s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        s.settimeout(2)
        sockets.append(s)
    for node, s in zip(lab.nodes, sockets):
        for number, peer in enumerate(lab.nodes):
            if peer != node:
                s.sendto(echo(number), (lab.address[peer], 0))
                missing.add((node, peer))
    for node, s in zip(lab.nodes, sockets):
        try:
            while any(a == node for a, _ in missing):
                data = s.recv(2048)[20:]
                kind, _, _, _, number = ECHO.unpack_from(data)
                if kind == 0:
                    missing.discard((node, lab.nodes[number]))
        except TimeoutError:
            pass
        s.close()
    return sorted(missing)


def pairs(problems, topology, *keys):
    """All pairs, and what the nodes have before opensm runs."""
    lab = Ipoib("datagram", topology, *keys)
    expect(problems, "carriers without a subnet manager", [], lab.carriers())
    expect(problems, "carriers", lab.nodes, lab.joined())
    expect(problems, "errors in opensm's log", [],
           [line for line in lab.logged(lab.nodes[0]) if " ERR " in line])
    expect(problems, "pairs without an answer", [], unanswered(lab))
    lab.end()


def served(lab, server, client, ready, *net):
    """A program in the second node, and its client in the first one.

    ready is a command of the second node that succeeds once the server waits; net are
    options of weft exec. Return what the two printed, the client first.
    """
    a, b = lab.nodes[:2]
    first = subprocess.Popen(["weft", "exec", *net, b, "--", *server.split()],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 10
    while on(b, ready)[0] and time.monotonic() < end:
        time.sleep(0.01)
    code, out = run(f"weft exec {' '.join(net)} {a} -- {client}")
    if code:
        first.kill()
    answered, _ = first.communicate(timeout=60)
    if code or first.returncode:
        raise ChildProcessError(f"{client}: {code}, {first.returncode}: "
                                f"{out[-300:]} {answered[-300:]}")
    return out, answered


# A server of the connection manager, or of sockets, waits.
CM = "sh -c 'rdma -j resource show cm_id | grep -q LISTEN'"
TCP = "sh -c 'ss -Hltn sport = :{} | grep -q .'"


def round_trip(lab, size):
    """ns from a request of so many bytes of IP to its answer, from the first node."""
    a, b = lab.nodes[:2]
    with inside(a):
        s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    s.settimeout(2)
    data = echo(0) + bytes(size - 20 - ECHO.size)
    start = now()
    s.sendto(data, (lab.address[b], 0))
    _, _, end = receive(s)
    s.close()
    return end - start


def exact(problems, lab, mode):
    """A request and its answer, to the ns."""
    for size in (28, 1024, 2044):
        law = 2 * (ONE_WAY + (size + HEADER[mode]) * BYTE)
        if mode == "connected":
            law += ACK * BYTE
        expect_in(problems, f"answer to {size} bytes", law, law + READINGS,
                  round_trip(lab, size))


def bandwidth(problems, lab, mode, mtu):
    """TCP fills a path of the rate that the subnet manager says."""
    code, out = on(lab.nodes[0], "saquery -p --src-to-dst 1:3")
    rate = RATES[int(re.search(r"rate\.+(0x\w+)", out)[1], 16) & 0x3f]
    packets = -(-(mtu + 4) // 4096)
    wire = mtu + HEADER[mode] + (packets - 1) * 26
    law = rate * (mtu - TCP_HEADERS) / wire
    out, _ = served(lab, "iperf3 -s -1",
                    f"iperf3 -c {lab.address[lab.nodes[1]]} -n 20M -J",
                    TCP.format(5201))
    got = json.loads(out)["end"]["sum_received"]["bits_per_second"]
    expect_in(problems, "Gb/s of TCP", 0.995 * law, law, got / 1e9)


def mode_of(lab, node):
    """Mode and MTU of ib0."""
    link = json.loads(on(node, "ip -d -j link show dev ib0")[1])[0]
    return link["linkinfo"]["info_data"]["mode"], link["mtu"]


def mpi(problems, lab):
    """Open MPI over sockets of ib0: the NICs' own netdevs send nothing."""
    code, out = on(lab.nodes[0], "mpirun -np 8 --mca btl_tcp_if_include ib0 "
                                 f"{built('mpi_bytes')} 65536 1 allreduce")
    expect(problems, f"code of mpirun: {out[-200:]}", 0, code)
    expect(problems, "bytes of eth0", [f"allreduce {i} 0" for i in range(8)],
           sorted(line for line in out.splitlines() if line))


def sockets(problems, mode, mtu):
    """Times, bandwidth, and programs of sockets."""
    lab = Ipoib(mode, "ib-8")
    lab.joined()
    expect(problems, "pairs without an answer", [], unanswered(lab))
    expect(problems, "mode and MTU", (mode, mtu), mode_of(lab, lab.nodes[1]))
    exact(problems, lab, mode)
    to = lab.address[lab.nodes[1]]
    code, out = on(lab.nodes[0], f"ping -q -c 1 -W 1 -M do -s {mtu - 28} {to}")
    expect(problems, f"a packet of the MTU: {out[-200:]}", 0, code)
    bandwidth(problems, lab, mode, mtu)
    if os.path.exists(built("mpi_bytes")):
        mpi(problems, lab)
    lab.end()


# What the client of UCX prints of its connection.
UCX_LANES = ("cm rdmacm", "rc_verbs/weft0:1")


def managers(problems):
    """Programs that connect by the RDMA CM."""
    lab = Ipoib("datagram", "ib-8")
    expect(problems, "carriers", lab.nodes, lab.joined())
    to = lab.address[lab.nodes[1]]
    for server, client in (
            (f"rping -s -a {to} -C 10", f"rping -c -a {to} -C 10"),
            ("udaddy", f"udaddy -s {to}"),
            ("ib_send_bw -R -F -n 200", f"ib_send_bw -R -F -n 200 {to}"),
            ("ib_write_bw -R -F -n 200", f"ib_write_bw -R -F -n 200 {to}")):
        served(lab, server, client, CM)
    served(lab, "fi_pingpong -p verbs -e msg -I 20",
           f"fi_pingpong -p verbs -e msg -I 20 {to}", TCP.format(47592),
           "--net", "verbs")
    if os.path.exists(built("ucx_cm")):
        only = "env UCX_SOCKADDR_TLS_PRIORITY=rdmacm " + built("ucx_cm")
        lanes, out = served(lab, f"{only} {to} 7000",
                            f"{only} {to} 7000 hello", CM, "--net", "verbs")
        expect(problems, "UCX's message", "hello\n", out)
        expect(problems, f"lanes of UCX: {lanes}", [],
               [lane for lane in UCX_LANES if lane not in lanes])
    lab.end()


def again(problems):
    """The subnet manager ends, and the interfaces work; another one begins."""
    lab = Ipoib("datagram", "ib-8")
    lab.joined()
    expect(problems, "pairs without an answer", [], unanswered(lab))
    lab.stop(lab.nodes[0])
    expect(problems, "without a subnet manager", [], unanswered(lab))
    lab.manage(lab.nodes[1])
    expect(problems, "the second one", True, lab.said(lab.nodes[1], "SUBNET UP"))
    expect(problems, "with the second one", [], unanswered(lab))
    lab.stop(lab.nodes[1])
    start = time.monotonic()
    lab.end()
    expect_in(problems, "s to take it down", 0, 1, time.monotonic() - start)


if __name__ == "__main__":
    if sys.argv[1:] == ["pairs"]:
        sys.exit(tell([(f"{t[0]}: all pairs", pairs, *t) for t in FOUR]))
    sys.exit(tell([("datagrams: times, bandwidth, Open MPI", sockets, "datagram", 2044),
                   ("connected: times, bandwidth, Open MPI", sockets, "connected", 65520),
                   ("programs that use the RDMA CM", managers),
                   ("a second subnet manager, and none", again)]))
