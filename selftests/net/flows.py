# SPDX-License-Identifier: GPL-2.0-or-later
"""Send datagrams of many flows, or of one.

usage: flows.py NODE_A ADDRESS_A NODE_B ADDRESS_B FLOWS PACKETS

Sends PACKETS from each of FLOWS source ports and waits until all have come in.
"""

import sys

import netns

FIRST_PORT = 20000


def main():
    node_a, address_a, node_b, address_b = sys.argv[1:5]
    flows, packets = int(sys.argv[5]), int(sys.argv[6])
    sink = netns.udp(node_b, address_b, 7000)
    sink.settimeout(5)
    for port in range(FIRST_PORT, FIRST_PORT + flows):
        s = netns.udp(node_a, address_a, port)
        for _ in range(packets):
            s.sendto(bytes(100), (address_b, 7000))
        s.close()
        for _ in range(packets):
            netns.receive(sink)


if __name__ == "__main__":
    main()
