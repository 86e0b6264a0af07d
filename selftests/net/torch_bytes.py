#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Collectives of torch.distributed with Gloo, again and again, with each byte of each
result checked, and what NICs send for them.

usage: torch_bytes.py RANKS NODE BYTES TIMES allreduce|alltoall|bcast...

Rank 3 is on NODE3, and so on; this runs on the first one. All are children of one
process, which has imported torch: that takes 1.5 s and more. BYTES is what a rank contributes to the all-reduce, sends to each rank in the
all-to-all, and what rank 0 broadcasts; a multiple of 4 RANKS. For each collective a line
has its name, the rank, the bytes that eth0, eth1, ... of the rank's node sent in TIMES
repetitions, and the segments that TCP sent again. One more, before, makes the
connections.
"""
import ctypes
import os
import socket
import sys
import time

import torch
import torch.distributed as dist

from netns import enter

CLONE_NEWUTS = 0x04000000	# of <linux/sched.h>

rank = ranks = count = 0


def element(sender, receiver):
    """What rank sender contributes to the block for receiver."""
    i = torch.arange(count, dtype=torch.int64)
    return ((i * 40503 + sender * 251 + receiver * 7) % (1 << 20)).to(torch.int32)


def same(got, want):
    if not torch.equal(got, want):
        sys.exit(f"rank {rank}: {int((got != want).sum())} elements are wrong")


def allreduce():
    data = element(rank, 0)
    dist.all_reduce(data)
    same(data, sum(element(r, 0) for r in range(ranks)).to(torch.int32))


def alltoall():
    data = torch.cat([element(rank, r) for r in range(ranks)])
    got = torch.empty_like(data)
    dist.all_to_all_single(got, data)
    same(got, torch.cat([element(r, rank) for r in range(ranks)]))


def bcast():
    data = torch.zeros(count, dtype=torch.int32) if rank else element(0, 0)
    dist.broadcast(data, 0)
    same(data, element(0, 0))


def sent():
    """Bytes that each NIC of this node has sent."""
    values = {}
    with open("/proc/net/dev", encoding="ascii") as f:
        for line in f:
            name, _, counters = line.strip().partition(":")
            if name.startswith("eth"):
                values[name] = int(counters.split()[8])
    return [values[name] for name in sorted(values)]


def sent_again():
    """Segments that TCP has repeated."""
    with open("/proc/net/snmp", encoding="ascii") as f:
        names, values = (line.split() for line in f if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])


def measure(name, collective, times):
    collective()
    dist.barrier()
    before = [*sent(), sent_again()]
    for _ in range(times):
        collective()
    dist.barrier()
    after = [*sent(), sent_again()]
    print(name, rank, *(a - b for a, b in zip(after, before)), flush=True)


def run(own, nodes, names, times):
    """A rank, on its node, which has its name there."""
    global rank
    rank = own
    enter(f"{nodes}{rank}")
    if ctypes.CDLL(None).unshare(CLONE_NEWUTS):
        sys.exit("unshare: no namespace for a name")
    socket.sethostname(f"{nodes}{rank}")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://{nodes}0:29500",
                            rank=rank, world_size=ranks)
    for name in names:
        measure(name, {"allreduce": allreduce, "alltoall": alltoall,
                       "bcast": bcast}[name], times)
    # Rank 0 has the store, and a thread in each other one that waits for news of it
    # spins when it is gone: torch expects it to outlive them, as torchrun's does.
    if not rank:
        time.sleep(1)
    dist.destroy_process_group()


def main():
    global ranks, count
    ranks, count = int(sys.argv[1]), int(sys.argv[3]) // 4
    for own in range(ranks):
        if not os.fork():
            run(own, sys.argv[2], sys.argv[5:], int(sys.argv[4]))
            sys.exit()
    sys.exit(any([os.wait()[1] for _ in range(ranks)]))


main()
