# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the one-way time of single packets over an idle path.

usage: one_way.py NODE_A ADDRESS_A NODE_B ADDRESS_B LENGTH...

Prints "LENGTH NANOSECONDS" for each LENGTH of a frame.
"""

import sys
import time

import netns


def main():
    node_a, address_a, node_b, address_b = sys.argv[1:5]
    a = netns.udp(node_a, address_a)
    b = netns.udp(node_b, address_b, 7000)
    b.settimeout(5)
    for length in map(int, sys.argv[5:]):
        payload = bytes(length - netns.UDP_HEADERS)
        time.sleep(0.001)
        sent = netns.now()
        a.sendto(payload, (address_b, 7000))
        _, _, received = netns.receive(b)
        print(length, received - sent)


if __name__ == "__main__":
    main()
