#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
One data-parallel step of a small model with torch.distributed over Gloo.

usage: torch_step.py RANK RANKS MASTER [WIDTH [STEPS]]

RANKS processes, one on each node, with the numbers 0 to RANKS - 1; MASTER is the node of
rank 0. The model has two layers of WIDTH by WIDTH weights (default 64). Each rank has
samples of its own; their gradients are averaged. At the end the ranks compare their
weights: rank 0 prints "N ranks agree" and the loss before each step, else the exit
code is 1.
"""
import sys
import time

import torch
import torch.distributed as dist


def model_of(width):
    """The same on each rank, as all have one seed."""
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(),
                               torch.nn.Linear(width, width))


def samples_of(rank, width):
    """Those of this rank: it is to learn to turn them round."""
    source = torch.Generator().manual_seed(1000 + rank)
    given = torch.randn(32, width, generator=source)
    return given, given.flip(1)


def average(model, ranks):
    """The gradient of all samples from that of each rank's."""
    for weights in model.parameters():
        dist.all_reduce(weights.grad)
        weights.grad /= ranks


def step(model, optimizer, rank, ranks, width):
    given, wanted = samples_of(rank, width)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(given), wanted)
    loss.backward()
    average(model, ranks)
    optimizer.step()
    loss = loss.detach()
    dist.all_reduce(loss)
    return float(loss) / ranks


def agree(model, ranks):
    """Whether each weight is the same on all ranks, to the last bit."""
    mine = torch.cat([w.detach().flatten() for w in model.parameters()])
    all_of_them = [torch.empty_like(mine) for _ in range(ranks)]
    dist.all_gather(all_of_them, mine)
    return all(torch.equal(mine, other) for other in all_of_them)


def run(rank, ranks, master, width=64, steps=1):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://{master}:29500",
                            rank=rank, world_size=ranks)
    model = model_of(width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = [step(model, optimizer, rank, ranks, width) for _ in range(steps)]
    good = agree(model, ranks)
    if not rank and good:
        print(f"{ranks} ranks agree, loss", *(f"{loss:.6f}" for loss in losses))
    # Rank 0 has the store, and the others' threads spin when it is gone before them.
    dist.barrier()
    if not rank:
        time.sleep(1)
    dist.destroy_process_group()
    if not good:
        sys.exit(f"rank {rank}: the weights differ")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:]))
