# SPDX-License-Identifier: GPL-2.0-or-later
"""All hosts of a ring send to the one that is farthest away, clockwise.

usage: datelines.py NODES HOPS DATAGRAMS LENGTH MILLISECONDS

Host i of NODES sends DATAGRAMS datagrams, whose frames have LENGTH bytes, to the
host HOPS further, as fast as its socket takes them. After MILLISECONDS, prints
for each receiver "NODE DATAGRAMS NANOSECONDS", the time from the first send to
its last datagram (0 without any); then "all moving" or "all still": whether any
port sent a frame in another ten milliseconds.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time

import netns

PORT = 7000


def address(i):
    """Hosts are numbered from 1."""
    return f"10.0.0.{i + 1}"


def give(node, to, payload, datagrams, start):
    """Child: send from a given time on."""
    pid = os.fork()
    if pid:
        return pid
    s = netns.udp(f"host{node}", address(node))
    netns.sleep_until(start)
    for _ in range(datagrams):
        s.sendto(payload, (address(to), PORT))
    os._exit(0)


def collect(takers, until):
    """Of each receiver: how many came, and when the last one did."""
    poll = select.epoll()
    seen = {}
    for i, s in enumerate(takers):
        poll.register(s.fileno(), select.EPOLLIN)
        seen[s.fileno()] = [i, 0, 0]
    sockets = {s.fileno(): s for s in takers}
    while netns.now() < until:
        for fd, _ in poll.poll((until - netns.now()) / 1e9):
            entry = seen[fd]
            entry[1:] = [entry[1] + 1, netns.receive(sockets[fd])[2]]
    return list(seen.values())


def frames():
    """Of all ports, what has been sent."""
    shown = subprocess.run("weft show ports --json".split(), check=True,
                           capture_output=True).stdout
    return [port["tx_packets"] for port in json.loads(shown)]


def main():
    nodes, hops, datagrams, length, span = map(int, sys.argv[1:])
    payload = bytes(length - netns.UDP_HEADERS)
    takers = [netns.udp(f"host{i}", address(i), PORT) for i in range(nodes)]
    start = netns.now() + 10000000
    children = [give(i, (i + hops) % nodes, payload, datagrams, start)
                for i in range(nodes)]
    for i, count, last in collect(takers, start + span * 1000000):
        print(f"host{i}", count, last - start if last else 0)
    before = frames()
    time.sleep(0.01)
    print("all", "still" if frames() == before else "moving")
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
