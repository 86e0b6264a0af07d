# SPDX-License-Identifier: GPL-2.0-or-later
"""Talk over a socket of RDS, which Python has no addresses for.

usage: rds.py serve ADDRESS COUNT
       rds.py send FROM ADDRESS COUNT

The sender sends COUNT blocks of 32 KiB, each another. The server prints how many came
as they were sent, and answers with that number.
"""

import ctypes
import os
import socket
import struct
import sys

AF_RDS = 21
SO_RCVBUFFORCE = 33
PORT = 4000
SIZE = 32768
ROOM = 16 << 20

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def name(address, port):
    """A struct sockaddr_in."""
    return (struct.pack("=H", socket.AF_INET) +
            struct.pack("!H4s8x", port, socket.inet_aton(address)))


def block(i):
    return bytes([i % 251, i // 251 % 251]) * (SIZE // 2)


class Socket:
    """A socket of datagrams that arrive; replies go to whoever sent the last one."""

    def __init__(self, here, there):
        self.fd = check(libc.socket(AF_RDS, socket.SOCK_SEQPACKET, 0), "socket")
        # Both ends are of one kernel, which RDS takes for a loop: there it does not wake
        # senders that wait for room at the receiver. So there is always room.
        room = ctypes.c_int(ROOM)
        check(libc.setsockopt(self.fd, socket.SOL_SOCKET, SO_RCVBUFFORCE,
                              ctypes.byref(room), 4), "setsockopt")
        check(libc.bind(self.fd, name(here, 0 if there else PORT), 16), "bind")
        self.peer = name(there, PORT) if there else None

    def send(self, data):
        check(libc.sendto(self.fd, data, len(data), 0, self.peer, 16), "sendto")

    def take(self, size):
        data = ctypes.create_string_buffer(size)
        peer, length = ctypes.create_string_buffer(16), ctypes.c_uint(16)
        n = check(libc.recvfrom(self.fd, data, size, 0, peer,
                                ctypes.byref(length)), "recvfrom")
        self.peer = peer.raw
        return data.raw[:n]


def main(role, *words):
    count = int(words[-1])
    if role == "serve":
        end = Socket(words[0], None)
        print("ready", flush=True)
        good = sum(end.take(SIZE) == block(i) for i in range(count))
        end.send(struct.pack("=I", good))
        print(f"{good} blocks")
        return
    end = Socket(words[0], words[1])
    for i in range(count):
        end.send(block(i))
    good, = struct.unpack("=I", end.take(4))
    print(f"{good} blocks")


main(*sys.argv[1:])
