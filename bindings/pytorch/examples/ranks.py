#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small model on 8 sequences that 1, 2, 4 or 8 processes share, and prints the digest of its parameters: the
same for any number of them.

    python3 ranks.py --ranks 4             # jitnorm_torch.distributed
    python3 ranks.py --ranks 4 --plain     # PyTorch's own layer_norm, gradients added up by all_reduce

What makes the bits of a sum depend on the number of processes is the order of its additions. For normalizations
jitnorm_torch.distributed fixes it. The matrices of this example have gradients for each sequence by itself, which all
processes add in the order of the sequences.
"""

import argparse
import hashlib
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.nn import functional

import jitnorm_torch  # noqa: F401  (loads the operators)
from jitnorm_torch.distributed import LayerNorm

SEQUENCES, LENGTH, WIDTH, STEPS = 8, 96, 64, 20


def gather_in_order(tensor):
    """The tensors of all ranks, which are of one shape, as one, in the order of the ranks."""
    all_ranks = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(all_ranks, tensor)
    return torch.cat(all_ranks)


class OrderedLinear(torch.autograd.Function):
    """Each sequence times a matrix, by itself. Gradients of the matrix are added in the order of all sequences."""

    @staticmethod
    def forward(context, input, matrix):
        context.save_for_backward(input, matrix)
        return torch.stack([functional.linear(sequence, matrix) for sequence in input])

    @staticmethod
    def backward(context, of_output):
        input, matrix = context.saved_tensors
        of_input = torch.stack([gradient @ matrix for gradient in of_output])
        own = torch.stack([gradient.t() @ sequence for gradient, sequence in zip(of_output, input)])
        total = torch.zeros_like(matrix)
        for gradient in gather_in_order(own):
            total += gradient
        return of_input, total


class Linear(torch.nn.Linear):
    def forward(self, input):
        return OrderedLinear.apply(input, self.weight)


def make_model(plain):
    norm, linear = (torch.nn.LayerNorm, torch.nn.Linear) if plain else (LayerNorm, Linear)
    torch.manual_seed(3)
    return torch.nn.Sequential(
        norm(WIDTH), linear(WIDTH, WIDTH, bias=False), torch.nn.GELU(), norm(WIDTH), linear(WIDTH, WIDTH, bias=False)
    )


def digest(model):
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()[:16]


def train(rank, ranks, meeting_point, plain):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=meeting_point, rank=rank, world_size=ranks)
    model = make_model(plain)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    torch.manual_seed(4)
    inputs, wanted = torch.randn(2, SEQUENCES, LENGTH, WIDTH)
    share = slice(rank * SEQUENCES // ranks, (rank + 1) * SEQUENCES // ranks)
    for _ in range(STEPS):
        loss = (model(inputs[share]) - wanted[share]).pow(2).sum() / wanted.numel()
        optimizer.zero_grad()
        loss.backward()
        if plain:
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
        optimizer.step()
    digests = [None] * ranks
    dist.all_gather_object(digests, digest(model))
    if rank == 0:
        assert len(set(digests)) == 1, f"ranks have different parameters: {digests}"
        print(f"{ranks} ranks: parameters {digests[0]} after {STEPS} steps", flush=True)
    dist.destroy_process_group()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ranks", type=int, default=1, choices=(1, 2, 4, 8))
    options.add_argument("--plain", action="store_true", help="PyTorch's own operators and all_reduce")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (given.ranks, f"file://{folder}/meeting", given.plain)
        torch.multiprocessing.start_processes(train, arguments, given.ranks, start_method="fork")


if __name__ == "__main__":
    main()
