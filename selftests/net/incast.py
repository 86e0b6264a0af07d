# SPDX-License-Identifier: GPL-2.0-or-later
"""Many senders at line rate into one receiver; who gets how much.

usage: incast.py MILLISECONDS LENGTH RECEIVER ADDRESS [SENDER ADDRESS]...

Sends datagrams whose frames have LENGTH bytes, as fast as each sender's socket
takes them, and prints "SENDER FRAMES" for the middle half of the time, and
"span NANOSECONDS" for its length.
"""

import os
import signal
import sys

import netns

PORT = 7000


def blast(node, address, target, payload, start):
    """Child: send from a given time until killed."""
    pid = os.fork()
    if pid:
        return pid
    s = netns.udp(node, address)
    netns.sleep_until(start)
    while True:
        s.sendto(payload, (target, PORT))


def collect(sock, until):
    """(sender, time) of each datagram up to a time."""
    seen = []
    while True:
        _, sender, when = netns.receive(sock)
        if when > until:
            return seen
        seen.append((sender[0], when))


def main():
    span = int(float(sys.argv[1]) * 1e6)
    payload = bytes(int(sys.argv[2]) - netns.UDP_HEADERS)
    receiver, target = sys.argv[3:5]
    senders = dict(zip(sys.argv[6::2], sys.argv[5::2]))
    sock = netns.udp(receiver, target, PORT)
    sock.settimeout(10)
    start = netns.now() + 10000000
    children = [blast(node, address, target, payload, start)
                for address, node in senders.items()]
    seen = collect(sock, start + span)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    low, high = start + span // 4, start + 3 * span // 4
    count = dict.fromkeys(senders, 0)
    for address, when in seen:
        if low <= when < high:
            count[address] += 1
    for address, node in senders.items():
        print(node, count[address])
    print("span", high - low)


if __name__ == "__main__":
    main()
