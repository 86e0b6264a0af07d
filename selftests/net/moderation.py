# SPDX-License-Identifier: GPL-2.0-or-later
"""Bursts of frames, and when the receiving host was told of each.

usage: moderation.py burst NODE_A ADDRESS_A NODE_B ADDRESS_B LENGTH COUNT BURSTS
       moderation.py gro NODE_A ADDRESS_A NODE_B ADDRESS_B BYTES

burst: COUNT frames of LENGTH bytes at one instant, BURSTS times. Prints "K NS"
for the K-th frame of each burst, and the time from that instant until it was
taken from the NIC.

gro: a stream of BYTES over TCP. Prints the length of the longest packet that
came out of the NIC.
"""

import socket
import sys
import time

import netns

ETH_P_ALL = 3
PORT = 7000


def burst(node_a, address_a, node_b, address_b, *numbers):
    length, count, bursts = map(int, numbers)
    a = netns.udp(node_a, address_a)
    b = netns.udp(node_b, address_b, PORT)
    b.settimeout(5)
    payload = bytes(length - netns.UDP_HEADERS)
    for _ in range(bursts):
        time.sleep(0.001)
        sent = netns.now()
        for _ in range(count):
            a.sendto(payload, (address_b, PORT))
        for k in range(count):
            _, _, received = netns.receive(b)
            print(k, received - sent)


def gro(node_a, address_a, node_b, address_b, size):
    netns.enter(node_b)
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                        socket.htons(ETH_P_ALL))
    tap.setblocking(False)
    server = socket.create_server((address_b, PORT))
    netns.enter(node_a)
    client = socket.create_connection((address_b, PORT))
    peer, _ = server.accept()
    left, longest = int(size), 0
    client.setblocking(False)
    while left:
        try:
            client.send(bytes(min(left, 65536)))
        except BlockingIOError:
            pass
        time.sleep(0.00002)
        try:
            left -= len(peer.recv(left, socket.MSG_DONTWAIT))
        except BlockingIOError:
            pass
        try:
            while True:
                frame, source = tap.recvfrom(65600)
                if source[2] != socket.PACKET_OUTGOING:
                    longest = max(longest, len(frame))
        except BlockingIOError:
            pass
    print(longest)
    sys.stdout.flush()


if __name__ == "__main__":
    {"burst": burst, "gro": gro}[sys.argv[1]](*sys.argv[2:])
