# SPDX-License-Identifier: GPL-2.0-or-later
"""Every node of a lab pings every other one that the design lets it reach.

usage: topologies.py PAIRS

One raw socket in each node sends an echo request to all peers and takes the
answers, network by network. GPUs of different domains do not reach each other
over NVLink, the first network of a node that has one; all else is reached.
PAIRS is how many of all (ordered pairs, networks) that are, as a check.
"""

import json
import os
import socket
import struct
import sys

from two_nodes import inside, run

SOL_RAW, ICMP_FILTER = 255, 1
ECHO_REPLY, ECHO_REQUEST = 0, 8
PATIENCE = 2.0	# seconds of fabric time


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def echo(sequence):
    head = struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, os.getpid() & 0xffff,
                       sequence)
    return head[:2] + struct.pack("!H", checksum(head)) + head[4:]


def open_socket():
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.setsockopt(SOL_RAW, ICMP_FILTER,
                 struct.pack("=I", ~(1 << ECHO_REPLY) & 0xffffffff))
    s.settimeout(PATIENCE)
    return s


def networks(links):
    """Of each node, the disciplines of its NICs in order."""
    found = {}
    for nic in json.loads(run("weft show nics --json")):
        found.setdefault(nic["name"].split(".")[0], []).append(
            nic["discipline"])
    return {node: found[node] for node in links}


def domain(node):
    return node.split("-gpu")[0] if "-gpu" in node else ""


def reaches(kinds, k, a, b):
    return k < len(kinds[b]) and (kinds[a][k] != "nvlink" or
                                  domain(a) == domain(b))


def ping(sock, peers, sequence):
    """Which of the addresses answer."""
    for peer in peers:
        sock.sendto(echo(sequence), (peer, 0))
    waiting = set(peers)
    while waiting:
        try:
            data, (peer, _) = sock.recvfrom(256)
        except TimeoutError:
            break
        if struct.unpack("!H", data[26:28])[0] == sequence:
            waiting.discard(peer)
    return waiting


def main():
    nodes = list(dict.fromkeys(n["node"] for n in
                               json.loads(run("weft show nodes --json"))))
    number = {node: i + 1 for i, node in enumerate(nodes)}
    kinds = networks(nodes)
    pairs, silent = 0, []
    for a in nodes:
        sock = inside(a, open_socket)
        for k in range(len(kinds[a])):
            peers = {f"10.{k}.{number[b] >> 8}.{number[b] & 255}": b
                     for b in nodes if b != a and reaches(kinds, k, a, b)}
            pairs += len(peers)
            silent += [f"{a} to {peers[p]} over eth{k}"
                       for p in ping(sock, peers, k + 1)]
        sock.close()
    print(f"{pairs} pairs, {len(silent)} of them silent")
    for line in silent[:10]:
        print(line)
    sys.exit(bool(silent) or pairs != int(sys.argv[1]))


main()
