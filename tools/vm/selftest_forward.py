# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections from outside to a machine with --forward.

usage: selftest_forward.py LAUNCHER [OPTION]...
       selftest_forward.py echo PORT	in the machine: what comes goes back
"""

import hashlib
import signal
import socket
import socketserver
import subprocess
import sys
import threading


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            self.request.sendall(data)


class Server(socketserver.ThreadingTCPServer):
    request_queue_size = 64
    daemon_threads = True


def echo(port):
    with Server(("127.0.0.1", port), Echo) as server:
        print("ready", flush=True)
        server.serve_forever()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def bytes_of(n, size):
    """Not the same for any two numbers."""
    block = hashlib.sha512(str(n).encode()).digest()
    return (block * (size // len(block) + 1))[:size]


def there_and_back(s, data):
    """Both directions at once, as neither can keep it all."""
    sender = threading.Thread(target=s.sendall, args=(data,))
    sender.start()
    got = bytearray()
    while len(got) < len(data):
        part = s.recv(65536)
        if not part:
            break
        got += part
    sender.join()
    assert got == data, f"{len(got)} of {len(data)} bytes, or wrong ones"


def check_bytes(port):
    """Many times what lies between the two sides."""
    with connect(port) as s:
        there_and_back(s, bytes_of(1, 3000001))


def check_turns(port):
    """Small requests on one connection, each with its answer."""
    with connect(port) as s:
        for i in range(50):
            there_and_back(s, bytes_of(i, i + 1))


def check_many(port):
    """More at a time than are passed on: the rest waits for its turn."""
    conns = [connect(port) for _ in range(40)]
    for i, s in enumerate(conns[:32]):
        there_and_back(s, bytes_of(i, 1000))
    conns[39].sendall(b"later")
    conns[39].settimeout(0.3)
    try:
        assert not conns[39].recv(5), "an answer without a turn"
    except TimeoutError:
        pass
    for s in conns[:32]:
        s.close()
    conns[39].settimeout(30)
    assert conns[39].recv(5) == b"later"
    for i, s in enumerate(conns[32:39]):
        there_and_back(s, bytes_of(i, 1000))
    for s in conns[32:]:
        s.close()


def check_ends(port):
    """A number is used again, and nothing of the last connection comes."""
    for i in range(100):
        with connect(port) as s:
            s.sendall(bytes_of(i, 5000))
        with connect(port) as s:
            there_and_back(s, bytes_of(1000 + i, 100))


def check_silent(port):
    """One that ends without a word."""
    for _ in range(40):
        connect(port).close()
    check_turns(port)


def check_taken(launcher, port):
    done = subprocess.run([*launcher, "--forward", str(port), "--", "true"],
                          capture_output=True, text=True, check=False)
    want = f"weft-vm: --forward {port}: Address already in use\n"
    assert (done.returncode, done.stderr) == (125, want), done


def check_refused(launcher):
    """Nobody listens inside: the connection ends."""
    port = free_port()
    with subprocess.Popen([*launcher, "--forward", str(port), "--", "sh", "-c",
                           "echo ready; exec sleep 1000000"],
                          stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL) as p:
        assert p.stdout.readline() == "ready\n"
        with connect(port) as s:
            s.sendall(b"x")
            assert s.recv(1) == b""
        p.send_signal(signal.SIGTERM)


def main(launcher):
    port = free_port()
    with subprocess.Popen([*launcher, "--forward", str(port), "--",
                           sys.executable, __file__, "echo", str(port)],
                          stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL) as p:
        assert p.stdout.readline() == "ready\n"
        for check in (check_bytes, check_turns, check_many, check_ends,
                      check_silent):
            print(check.__name__, flush=True)
            check(port)
        check_taken(launcher, port)
        p.send_signal(signal.SIGTERM)
        code = p.wait(30)
        assert code == 128 + signal.SIGTERM, code
    check_refused(launcher)


if __name__ == "__main__":
    if sys.argv[1] == "echo":
        echo(int(sys.argv[2]))
    else:
        main(sys.argv[1:])
