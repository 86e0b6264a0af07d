# SPDX-License-Identifier: GPL-2.0-or-later
"""An ordinary user who means harm: root of a user namespace of his own.

usage: hostile.py probe FILE	until SIGTERM: the longest time that a thread which sleeps
				for a millisecond was kept waiting, in FILE (us)
       hostile.py NAME		one of the attacks, as root of new namespaces
"""

import ctypes
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))

# pylint: disable=wrong-import-position
from netlink import (ACK, CLONE_NEWNET, CLONE_NEWUSER, COMMANDS, REQUEST, Refusal,
                     Weft, encode, unshare)

ETH_P_ALL = 3
MCL_CURRENT, MCL_FUTURE = 1, 2
REQUESTS = 100000
BATCH = 50
NOT_SO_LONG = int(os.environ.get("WEFT_HOSTILE_SECONDS", "1"))	# that a storm lasts
FRAME = b"\xff" * 6 + b"\x02\0\0\0\0\1" + b"\x88\xb5"


def probe(name):
    """A thread like any other of the first namespace.

    Its memory is locked: a page that has to be read again comes from the host, which
    takes its own time. It begins when its file is there, and ends by SIGTERM.
    """
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    ctypes.CDLL(None).mlockall(MCL_CURRENT | MCL_FUTURE)
    worst = 0
    with open(name, "w", encoding="ascii") as file:
        while not stop:
            start = time.monotonic_ns()
            time.sleep(0.001)
            late = (time.monotonic_ns() - start) // 1000 - 1000
            worst = max(worst, late)
        file.write(f"{worst}\n")


def become_root():
    user, group = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    for name, line in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"),
                       ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(line)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def nic(weft, fabric, name):
    """A NIC w0, w1, ... with a place in the fabric."""
    ip("link", "add", name, "type", "weft")
    weft.do("nic-attach", {"fabric": fabric, "ifname": name})


def up(name):
    """From here on IPv6 sends frames to groups."""
    ip("link", "set", name, "up")


def raw_socket(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.bind((name, 0))
    return sock


def until_refused(action, most):
    """How often it was done before it was refused, and for which reason."""
    for count in range(most):
        try:
            action(count)
        except Refusal as refusal:
            return count, str(refusal)
    return most, ""


def storm():
    """Broadcasts that go round for ever, in sixteen fabrics."""
    weft = Weft()
    ports = 32
    wire = {"wire": {"rate": 10 ** 12}}
    for fabric in range(16):
        weft.do("fabric-new", {"max-nics": 4, "dilation": 1})
        for switch in range(2):
            weft.do("switch-new", {"fabric": fabric, "ports": ports})
            weft.do("route-set", [("fabric", fabric), ("switch", switch),
                                  ("flood", True)] +
                    [("port", port) for port in range(ports)])
        for port in range(1, ports):
            weft.do("link-new", {"fabric": fabric, "a": {"switch": 0, "port": port},
                                 "b": {"switch": 1, "port": port}, **wire})
        name = f"w{fabric}"
        nic(weft, fabric, name)
        weft.do("link-new", {"fabric": fabric, "a": {"nic": 0},
                             "b": {"switch": 0, "port": 0}, **wire})
    for fabric in range(16):
        up(f"w{fabric}")
        raw_socket(f"w{fabric}").send(FRAME + bytes(1000))
    time.sleep(NOT_SO_LONG)


def far():
    """Frames that are on their way for a quarter of an hour."""
    weft = Weft()
    weft.do("fabric-new", {"max-nics": 4})
    wire = {"rate": 10 ** 12, "propagation": 10 ** 15}
    for name in ("w0", "w1"):
        nic(weft, 0, name)
    weft.do("link-new", {"fabric": 0, "a": {"nic": 0}, "b": {"nic": 1}, "wire": wire})
    ip("link", "set", "w0", "mtu", "65000")
    up("w0")
    sock = raw_socket("w0")
    sent = 0
    end = time.monotonic() + NOT_SO_LONG
    while time.monotonic() < end:
        try:
            sock.send(FRAME + bytes(60000), socket.MSG_DONTWAIT)
            sent += 1
        except OSError:
            time.sleep(0.001)
    print(f"{sent} frames sent")


def objects():
    """As many objects, and as large ones, as there may be."""
    weft = Weft()
    weft.do("fabric-new", {"max-nics": 4})
    print("large switches:", until_refused(
        lambda _: weft.do("switch-new", {"fabric": 0, "ports": 1024,
                                         "port-params": {"classes": 16}}), 1000))
    print("small switches:", until_refused(
        lambda _: weft.do("switch-new", {"fabric": 0, "ports": 2}), 100000))
    print("fabrics:", until_refused(
        lambda _: weft.do("fabric-new", {"max-nics": 4}), 100000))
    # They go with the namespace.


def listeners():
    """Sockets that are told of each frame, and never read."""
    weft = Weft()
    weft.do("fabric-new", {"max-nics": 4})
    for name in ("w0", "w1"):
        nic(weft, 0, name)
    weft.do("link-new", {"fabric": 0, "a": {"nic": 0}, "b": {"nic": 1},
                         "wire": {"rate": 10 ** 12}})
    up("w0")
    socks = [Weft() for _ in range(100)]
    print("captures:", until_refused(
        lambda i: socks[i].do("capture-start", {"fabric": 0, "link": 0}), 100))
    sock = raw_socket("w0")
    end = time.monotonic() + NOT_SO_LONG
    while time.monotonic() < end:
        sock.send(FRAME + bytes(1000))


def requests():
    """A hundred thousand requests, as fast as they go."""
    weft = Weft()
    weft.do("fabric-new", {"max-nics": 4})
    weft.do("switch-new", {"fabric": 0, "ports": 2})

    def message(command, values, flags=0):
        kinds = command.split("-", maxsplit=1)[0]
        payload = struct.pack("=BBH", COMMANDS.index(command) + 1, 1, 0)
        payload += encode(kinds, values)
        payload += bytes(-len(payload) % 4)
        return struct.pack("=IHHII", 16 + len(payload), weft.family, REQUEST | flags,
                           0, 0) + payload

    batch = (message("switch-new", {"fabric": 0, "ports": 2}) +
             message("switch-get", {"fabric": 0, "id": 0}) +
             message("switch-del", {"fabric": 0, "id": 1}) +
             message("switch-set", {"fabric": 0, "id": 7}) +
             message("fabric-new", {"max-nics": 4}) +
             message("fabric-del", {"id": 1}) +
             message("link-del", {"fabric": 0, "id": 3}, ACK)) * BATCH
    done = 0
    while done < REQUESTS:
        weft.socket.send(batch)
        done += 7 * BATCH
        try:
            while weft.socket.recv(1 << 17, socket.MSG_DONTWAIT):
                pass
        except OSError:
            pass
    print(f"{done} requests")


def main():
    if sys.argv[1] == "probe":
        probe(sys.argv[2])
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    # Whoever kills the test kills this.
    ctypes.CDLL(None).prctl(1, 9)
    become_root()
    {"storm": storm, "far": far, "objects": objects, "listeners": listeners,
     "requests": requests}[sys.argv[1]]()


if __name__ == "__main__":
    main()
