# SPDX-License-Identifier: GPL-2.0-or-later
"""An echo over TCP between threads, for a test of repeatability.

usage: echo.py serve
       echo.py HOST

What it prints depends on the clock, on randomness and on the order of threads.
"""

import random
import socket
import sys
import threading
import time

PORT = 6000
CLIENTS = 4
ROUNDS = 50


def answer(connection):
    with connection:
        while data := connection.recv(65536):
            connection.sendall(data)


def serve():
    with socket.create_server(("", PORT), backlog=CLIENTS) as server:
        threads = []
        for _ in range(CLIENTS):
            threads.append(threading.Thread(target=answer,
                                            args=(server.accept()[0],)))
            threads[-1].start()
        for thread in threads:
            thread.join()


def ask(host, number, lines):
    with socket.create_connection((host, PORT)) as s:
        for _ in range(ROUNDS):
            data = random.randbytes(random.randrange(1, 20000))
            start = time.perf_counter_ns()
            s.sendall(data)
            got = 0
            while got < len(data):
                got += len(s.recv(65536))
            lines.append((number, len(data), time.perf_counter_ns() - start))


def main():
    if sys.argv[1] == "serve":
        serve()
        return
    lines = []
    threads = [threading.Thread(target=ask, args=(sys.argv[1], n, lines))
               for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for line in lines:
        print(*line)


if __name__ == "__main__":
    main()
