# SPDX-License-Identifier: GPL-2.0-or-later
"""A sender into a stopped receiver ends up blocked, and loses nothing.

	a -- switch -- b	100 Gb/s

b takes nothing. a sends until send() blocks, which it does when its socket may
have no more under way: what it sent is in the socket's queueing discipline, the
NIC's ring, the switch, b's receive buffer. Then b goes on and must get all of
it, in order. Of two classes only the one that b does not take is stopped.
"""

import errno
import socket
import struct
import sys

from ktap import expect, run
from netns import SO_RCVBUFFORCE
from two_nodes import ADDRESS, Lab, udp

LENGTH = 1400
SO_PRIORITY = 12
STOPPED, FREE = 3, 0	# classes

# 16 KiB until pause, and headroom for what is under way then: on 100 Gb/s and
# 100 ns of cable (1250 bytes there, 1250 back) two frames and a pause frame
# each way are less than 16 KiB.
ACCOUNTS = [("buffer-class", {"class": c, "threshold": 16384,
                              "headroom": 16384}) for c in range(8)]
DISCIPLINES = {
    "pfc": ({"pfc": {"enable": 255}}, ACCOUNTS, 10 ** 6),
    "pause": ({}, ACCOUNTS, 10 ** 6),
    "credit": ({"credit": {"blocks": 128}}, [], None),
    "nvlink": ({"flit": [("hdr", 64), ("data", 1024)]}, [], None),
    "pcie": ({"flit": [("hdr", 64), ("data", 1024)]}, [], None),
}


def lab_of(discipline):
    params, accounts, total = DISCIPLINES[discipline]
    port = [("port-params", {"discipline": discipline, **params})]
    nic = [("rx-buffer", total)] if total else []
    return Lab(port + accounts, port + accounts + nic)


def sender(priority):
    s = udp("a")
    s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, priority)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO,
                 struct.pack("@qq", 0, 100000))
    return s


def receiver(port):
    s = udp("b")
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    s.bind((ADDRESS["b"], port))
    s.settimeout(0.1)
    return s


def send(s, port, most):
    """Send numbered datagrams: how many, and whether it blocked."""
    for number in range(most):
        try:
            s.sendto(struct.pack("=I", number).ljust(LENGTH, b"."),
                     (ADDRESS["b"], port))
        except BlockingIOError as error:
            return number, error.errno == errno.EAGAIN
    return most, False


def receive(s):
    """The numbers of all that arrives."""
    numbers = []
    try:
        while True:
            numbers.append(struct.unpack_from("=I", s.recv(LENGTH))[0])
    except TimeoutError:
        return numbers


def stopped(lab):
    """The stopped class blocks; the other one does not; nothing is lost."""
    problems = []
    held, free = receiver(5000), receiver(5001)
    lab.stop(1 << STOPPED)
    count, blocked = send(sender(STOPPED), 5000, 20000)
    expect(problems, "blocked", True, blocked)
    expect(problems, "taken", [], receive(held))
    expect(problems, "of the other class", (3000, False),
           send(sender(FREE), 5001, 3000))
    expect(problems, "taken of it", list(range(3000)), receive(free))
    lab.stop(0)
    expect(problems, "taken at last", list(range(count)), receive(held))
    expect(problems, "lost", [], lab.lost())
    return problems


def whole(lab):
    """All classes are stopped, and go on."""
    problems = []
    held = receiver(5000)
    lab.stop(255)
    count, blocked = send(sender(FREE), 5000, 20000)
    expect(problems, "blocked", True, blocked)
    lab.stop(0)
    expect(problems, "taken at last", list(range(count)), receive(held))
    expect(problems, "lost", [], lab.lost())
    return problems


def within(discipline, test):
    """What a test finds in a lab of its own."""
    lab = lab_of(discipline)
    problems = test(lab)
    lab.end()
    return problems


def run_labs(tests):
    """Run (discipline, function of a lab that returns problems) tests."""
    return run([(f"{discipline}: {test.__doc__}", within, discipline, test)
                for discipline, test in tests])


def main():
    # "pause" knows no classes.
    tests = [(d, t) for d in DISCIPLINES for t in (whole, stopped)
             if (d, t) != ("pause", stopped)]
    sys.exit(run_labs(tests))


if __name__ == "__main__":
    main()
