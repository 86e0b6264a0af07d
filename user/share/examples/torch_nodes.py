#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
torch_step.py on the nodes host0, host1, ... of a lab, one process on each.

usage: weft run ib-8 -- torch_nodes.py RANKS [WIDTH [STEPS]]

To import torch takes a processor 1.5 s and more. So that is done once, and the ranks are
children of this process, each of which enters its node.
"""
import ctypes
import multiprocessing
import os
import socket
import sys

sys.dont_write_bytecode = True
if len(sys.argv) < 2 or not all(word.isdigit() for word in sys.argv[1:]):
    sys.exit(__doc__.strip())

import torch_step  # noqa: E402: it takes long, so the arguments come first

# of <linux/sched.h>; os.setns() and os.unshare() are there from Python 3.12 on
CLONE_NEWUTS = 0x04000000
CLONE_NEWNET = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)


def check(failed):
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def enter(node):
    """From here on, this process is on that node, with its network and its name."""
    lab = os.environ["WEFT_LAB"]
    with open(f"/run/weft/{lab}/nodes/{node}/net", encoding="ascii") as namespace:
        check(libc.setns(namespace.fileno(), CLONE_NEWNET))
    check(libc.unshare(CLONE_NEWUTS))
    socket.sethostname(node)


def run(rank, ranks, *sizes):
    enter(f"host{rank}")
    torch_step.run(rank, ranks, "host0", *sizes)


def main():
    ranks, *sizes = map(int, sys.argv[1:])
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=run, args=(rank, ranks, *sizes))
                for rank in range(ranks)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(any(child.exitcode for child in children))


if __name__ == "__main__":
    main()
