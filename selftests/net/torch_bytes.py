#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Collectives of torch.distributed with Gloo, again and again, with each byte of each
result checked, and what NICs send for them.

usage: torch_bytes.py RANK RANKS MASTER BYTES TIMES allreduce|alltoall|bcast...

BYTES is what a rank contributes to the all-reduce, sends to each rank in the
all-to-all, and what rank 0 broadcasts; a multiple of 4 RANKS. For each collective a line
has its name, the rank, the bytes that eth0, eth1, ... of the rank's node sent in TIMES
repetitions, and the segments that TCP sent again. One more, before, makes the
connections.
"""
import os
import sys
import time

import torch
import torch.distributed as dist

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
    n = sum(d.startswith("eth") for d in os.listdir("/sys/class/net"))
    values = []
    for i in range(n):
        with open(f"/sys/class/net/eth{i}/statistics/tx_bytes", encoding="ascii") as f:
            values.append(int(f.read()))
    return values


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


def main():
    global rank, ranks, count
    rank, ranks, count = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4]) // 4
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://{sys.argv[3]}:29500",
                            rank=rank, world_size=ranks)
    for name in sys.argv[6:]:
        measure(name, {"allreduce": allreduce, "alltoall": alltoall,
                       "bcast": bcast}[name], int(sys.argv[5]))
    # Rank 0 has the store, and a thread in each other one that waits for news of it
    # spins when it is gone: torch expects it to outlive them, as torchrun's does.
    if not rank:
        time.sleep(1)
    dist.destroy_process_group()


main()
