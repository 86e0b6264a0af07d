# SPDX-License-Identifier: GPL-2.0-or-later
"""Management datagrams by the kernel's umad interface, without a library.

Run in a node as mads.py trip ROUTE...: the round trips of NodeInfo by directed
routes, in ns; or mads.py random SEED N: N random datagrams of management, after
which the switch has to answer as before; or mads.py raw ROUTE CLASS METHOD ATTR
[MODIFIER [M_KEY [LID]]]: status and first bytes of the answer, with a LID of the
device to which the last one of the route passes on; or mads.py join|leave LID:
the node joins the broadcast group of IPoIB at the manager with this LID, or leaves
it: its multicast LID; or mads.py perf LID [INDEX]: status of ClassPortInfo of
performance management, asked for with the P_Key at this index; or
mads.py guid LID INDEX GUID: status of a Set of one entry of GUIDInfo; or mads.py flood
TO COUNT GAP: NodeInfo is asked for so many times, each GAP ns, at a LID or by a
directed route: how many were answered, then how many were not.
"""
import ctypes
import fcntl
import os
import random
import select
import struct
import sys
import time

SUBN_LID, SUBN_DIRECTED, SUBN_ADM, PERF = 0x01, 0x81, 0x03, 0x04
GET, SET, DELETE = 1, 2, 0x15
CLASS_INFO, NODE_INFO, GUID_INFO = 0x01, 0x11, 0x14
PR_SET_TIMERSLACK = 29
PERMISSIVE = 0xFFFF
QKEY = 0x80010000
HEAD = struct.Struct("=5I 4s 4s 2s 6B 16s 4s H 6x")
REGISTER = struct.Struct("=I 16s 3B 3s B x")
ENABLE_PKEY = 0x1B03		# _IO
REGISTER_AGENT = 0xC01C1B01	# _IOWR


def device():
    """The umad device of this node's first RDMA device."""
    own = sorted(os.listdir("/sys/class/infiniband"))[0]
    top = "/sys/class/infiniband_mad"
    for name in os.listdir(top):
        if not name.startswith("umad"):
            continue
        with open(f"{top}/{name}/ibdev", encoding="ascii") as f:
            if f.read().strip() == own:
                return f"/dev/infiniband/{name}"
    raise SystemExit("no umad device")


class Umad:
    """A file of umad, with an agent for each class."""

    def __init__(self):
        self.fd = os.open(device(), os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.fd, ENABLE_PKEY)
        self.agent = {}
        self.tid = 0
        for cls, qpn in ((SUBN_LID, 0), (SUBN_DIRECTED, 0), (SUBN_ADM, 1),
                         (PERF, 1)):
            version = 2 if cls == SUBN_ADM else 1
            req = bytearray(REGISTER.pack(0, bytes(16), qpn, cls, version,
                                          bytes(3), 0))
            fcntl.ioctl(self.fd, REGISTER_AGENT, req)
            self.agent[cls] = REGISTER.unpack(req)[0]

    def send(self, mad, lid=PERMISSIVE, cls=None, ms=100, pkey=0):
        """Send a datagram by the agent of a class."""
        cls = mad[1] if cls is None else cls
        gsi = cls in (SUBN_ADM, PERF)
        head = HEAD.pack(self.agent[cls], 0, ms, 0, 0,
                         struct.pack(">I", int(gsi)),
                         struct.pack(">I", QKEY if gsi else 0),
                         struct.pack(">H", lid), 0, 0, 0, 0, 0, 0, bytes(16),
                         bytes(4), pkey)
        os.write(self.fd, head + bytes(mad))

    def receive(self, ms):
        """The next answer, or None when it did not come in time."""
        if not select.select([self.fd], [], [], ms / 1000)[0]:
            return None
        data = os.read(self.fd, HEAD.size + 256)
        return None if HEAD.unpack_from(data)[1] else data[HEAD.size:]

    def number(self, mad):
        """Give a datagram a transaction of its own."""
        self.tid += 1
        mad[12:16] = struct.pack(">I", self.tid)

    def ask(self, mad, lid=PERMISSIVE, ms=100, pkey=0):
        """Send a datagram and wait for its answer."""
        self.number(mad)
        self.send(mad, lid, ms=ms, pkey=pkey)
        return self.receive(2 * ms)


def smp(cls, method, attr, modifier=0, mkey=0, route=()):
    """A datagram of subnet management."""
    mad = bytearray(256)
    struct.pack_into(">4B H 2B", mad, 0, 1, cls, 1, method, 0, 0, len(route))
    struct.pack_into(">H 2x I Q", mad, 16, attr, modifier, mkey)
    if cls == SUBN_DIRECTED:
        struct.pack_into(">2H", mad, 32, PERMISSIVE, PERMISSIVE)
        mad[129:129 + len(route)] = bytes(route)
    return mad


def hops(text):
    """A route as the programs have it: 0,1,2 for the ports 1 and 2."""
    return [int(part) for part in text.split(",")][1:]


def trip(routes):
    """Print the round trip of each route."""
    u = Umad()
    for text in routes:
        mad = smp(SUBN_DIRECTED, GET, NODE_INFO, route=hops(text))
        start = time.monotonic_ns()
        answer = u.ask(mad)
        print(time.monotonic_ns() - start if answer else "none")


def raw(route, cls, method, attr, modifier="0", mkey="0", lid=PERMISSIVE):
    """Print status and the first 16 bytes of the answer."""
    u = Umad()
    path = hops(route) if "," in route else ()
    mad = smp(int(cls, 0), int(method, 0), int(attr, 0), int(modifier, 0),
              int(mkey, 0), path)
    if path:
        struct.pack_into(">H", mad, 34, int(lid))
    answer = u.ask(mad, PERMISSIVE if path else int(route))
    if not answer:
        print("none")
        return
    status = struct.unpack_from(">H", answer, 4)[0] & 0x7FFF
    print(f"{status:#06x} {answer[64:80].hex()}")


def status_of(answer):
    """Print the status of an answer."""
    print(f"{struct.unpack_from('>H', answer, 4)[0]:#06x}" if answer else "none")


def perf(lid, index="0"):
    """Print the status of a request of performance management."""
    status_of(Umad().ask(smp(PERF, GET, CLASS_INFO), int(lid), pkey=int(index)))


def guid(lid, index, value):
    """Set an entry of GUIDInfo; the others as they are."""
    u = Umad()
    now = u.ask(smp(SUBN_LID, GET, GUID_INFO), int(lid))
    mad = smp(SUBN_LID, SET, GUID_INFO)
    mad[64:128] = now[64:128]
    struct.pack_into(">Q", mad, 64 + 8 * int(index), int(value, 0))
    status_of(u.ask(mad, int(lid)))


def wait_all(u, n):
    """The answers and the requests without one, until there are n."""
    found = [0, 0]
    while sum(found) < n:
        select.select([u.fd], [], [])
        found[HEAD.unpack_from(os.read(u.fd, HEAD.size + 256))[1] != 0] += 1
    return found


def flood(where, count, gap):
    """Ask at a fixed distance, whatever comes back."""
    u = Umad()
    # Timers are as exact as the clock is.
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    path = hops(where) if "," in where else ()
    mad = smp(SUBN_DIRECTED if path else SUBN_LID, GET, NODE_INFO, route=path)
    start = time.monotonic_ns()
    for i in range(int(count)):
        left = start + i * int(gap) - time.monotonic_ns()
        if left > 0:
            time.sleep(left / 1e9)
        u.number(mad)
        u.send(mad, PERMISSIVE if path else int(where))
    print(*wait_all(u, int(count)))


def port_gid():
    """GID of this node's port."""
    own = sorted(os.listdir("/sys/class/infiniband"))[0]
    path = f"/sys/class/infiniband/{own}/ports/1/gids/0"
    with open(path, encoding="ascii") as f:
        return bytes.fromhex(f.read().strip().replace(":", ""))


def member(method, lid):
    """Join or leave the broadcast group; print its multicast LID."""
    mad = bytearray(256)
    struct.pack_into(">4B", mad, 0, 1, SUBN_ADM, 2, method)
    struct.pack_into(">H", mad, 16, 0x38)		# MCMemberRecord
    struct.pack_into(">Q", mad, 48, 1 << 0 | 1 << 1 | 1 << 16)
    mad[56:72] = bytes.fromhex("ff12401bffff000000000000ffffffff")
    mad[72:88] = port_gid()
    mad[56 + 48] = 0x21					# link-local, full member
    answer = Umad().ask(mad, int(lid))
    if answer and not struct.unpack_from(">H", answer, 4)[0]:
        print(f"{struct.unpack_from('>H', answer, 56 + 36)[0]:#06x}")
    else:
        print("refused" if answer else "none")


def scramble(rng, lids):
    """A random datagram: a proper one of which some bytes are random."""
    cls = rng.choice((SUBN_LID, SUBN_DIRECTED, PERF))
    mad = smp(cls, rng.choice((GET, SET)), rng.choice(
        (1, 2, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1B,
         0x1D, 0x20, 0x31, rng.randrange(65536))),
              rng.choice((0, 1, rng.randrange(1 << 32))), 0,
              [rng.randrange(256) for _ in range(rng.randrange(64))])
    mad[64:128] = rng.randbytes(64)
    for _ in range(rng.randrange(4)):
        mad[rng.randrange(256)] = rng.randrange(256)
    if cls == SUBN_DIRECTED and rng.randrange(2):
        mad[6] = 0
        mad[129] = 1
    lid = PERMISSIVE if cls == SUBN_DIRECTED else rng.choice(lids)
    return mad, lid, cls


def randoms(seed, n, lids):
    """Send random datagrams, then a proper one."""
    rng = random.Random(int(seed))
    u = Umad()
    sent = answers = 0
    for _ in range(int(n)):
        mad, lid, cls = scramble(rng, [int(lid) for lid in lids])
        u.number(mad)
        try:
            u.send(mad, lid, cls, 1)
            sent += 1
        except OSError:
            continue
        while u.receive(0):
            answers += 1
    while u.receive(100) or select.select([u.fd], [], [], 0)[0]:
        answers += 1
    answer = u.ask(smp(SUBN_DIRECTED, GET, NODE_INFO, route=[1]))
    print(f"sent {sent} answers {answers} then {'alive' if answer else 'dead'}")


COMMANDS = {"raw": raw, "perf": perf, "guid": guid, "flood": flood}

if __name__ == "__main__":
    if sys.argv[1] == "trip":
        trip(sys.argv[2:])
    elif sys.argv[1] in ("join", "leave"):
        member(SET if sys.argv[1] == "join" else DELETE, sys.argv[2])
    elif sys.argv[1] in COMMANDS:
        COMMANDS[sys.argv[1]](*sys.argv[2:])
    else:
        randoms(sys.argv[2], sys.argv[3], sys.argv[4:])
