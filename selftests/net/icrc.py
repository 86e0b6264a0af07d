# SPDX-License-Identifier: GPL-2.0-or-later
"""Check sequences of packets of the InfiniBand transport in a pcapng file.

The ICRC (IBTA volume 1, 7.8.1, and Annex A17 for RoCE v2) is the CRC of Ethernet
over all that does not change on the way, with ones for what does; the VCRC
(7.8.2) covers all of an InfiniBand packet. It is reckoned here by another way than
in the kernel: by zlib, and for the VCRC bit by bit from the polynomial.
"""

import struct
import sys
import zlib

ETHERNET, ERF = 1, 197
ERF_HEADER, ERF_TYPE, ERF_PACKET = 16, 8, 21
ROCE_PORT = 4791

# A congestion notification, captured on a ConnectX-4 Lx (scapy, roce.uts).
CAPTURED = bytes.fromhex(
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a00"
    "1201000012b7002800008100ffff400001180000000000000000000000000000"
    "00000000000082fd002a")


def ones(data, *ranges):
    """The same bytes, with ones in some places: (at, length)."""
    data = bytearray(data)
    for at, length in ranges:
        data[at:at + length] = b"\xff" * length
    return data


def icrc(data):
    return struct.pack("<I", zlib.crc32(bytes(data)))


def icrc_ip(packet):
    """Of a packet from its IP header on, without the ICRC."""
    if packet[0] >> 4 == 4:
        masked = ones(packet, (1, 1), (8, 1), (10, 2), (26, 2), (32, 1))
    else:
        masked = ones(packet, (1, 3), (7, 1), (46, 2), (52, 1))
        masked[0] |= 0x0f
    return icrc(b"\xff" * 8 + masked)


def icrc_ib(packet):
    """Of a packet from its LRH on, without ICRC and VCRC."""
    bth = 8 if packet[1] & 3 == 2 else 48
    masked = ones(packet, (bth + 4, 1))
    masked[0] |= 0xf0
    if bth > 8:
        masked[8] |= 0x0f
        masked = ones(masked, (9, 3), (15, 1))
    return icrc(masked)


def vcrc(data):
    """x^16 + x^12 + x^3 + x + 1, low bit of a byte first, seed of ones."""
    crc = 0xffff
    for byte in data:
        for bit in range(8):
            out = crc >> 15 ^ byte >> bit & 1
            crc = crc << 1 & 0xffff ^ (0x100b if out else 0)
    return struct.pack("<H", int(f"{crc ^ 0xffff:016b}"[::-1], 2))


def blocks(data):
    """Type and content of each block of a pcapng file of this machine."""
    while data:
        kind, length = struct.unpack_from("<II", data)
        yield kind, data[8:length - 4]
        data = data[length:]


def packets(name):
    """Link type and bytes of each packet."""
    links = []
    with open(name, "rb") as f:
        for kind, body in blocks(f.read()):
            if kind == 1:
                links.append(struct.unpack_from("<H", body)[0])
            elif kind == 6:
                where, length = struct.unpack_from("<I8xI", body)
                yield links[where], body[20:20 + length]


def untagged(frame):
    return frame[:12] + frame[16:] if frame[12:14] == b"\x81\x00" else frame


def is_roce(frame):
    kind = frame[12:14]
    udp = {b"\x08\x00": 34, b"\x86\xdd": 54}.get(kind, len(frame))
    return frame[udp + 2:udp + 4] == struct.pack(">H", ROCE_PORT)


def good(link, frame):
    """None for what has no ICRC, else whether its check sequences are right."""
    if link == ETHERNET:
        frame = untagged(frame)
    if link == ETHERNET and is_roce(frame):
        return icrc_ip(frame[14:-4]) == frame[-4:]
    if link == ERF and frame[ERF_TYPE] == ERF_PACKET:
        frame = frame[ERF_HEADER:]
        return (icrc_ib(frame[:-6]) == frame[-6:-2] and
                vcrc(frame[:-2]) == frame[-2:])
    return None


def main():
    assert good(ETHERNET, CAPTURED)
    assert not good(ETHERNET, CAPTURED[:60] + b"\x01" + CAPTURED[61:])
    found = [good(*p) for p in packets(sys.argv[1])]
    print(found.count(True), found.count(False))


main()
