#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block of a diffusion transformer and a gated block of a hybrid model in training, with the normalizations in plain
PyTorch and with jitnorm's: the losses side by side, and the time of a step. It fails if the losses differ by more than
a part in 100000.

    python3 blocks.py [--steps 5] [--width 64] [--rows 32] [--threads 1]
"""

import argparse
import statistics
import time

import torch
from torch.nn.functional import layer_norm, silu

import jitnorm_torch

BATCH, HEADS = 4, 4


class Plain:
    @staticmethod
    def ada_layer_norm(x, scale, shift):
        return layer_norm(x, x.shape[-1:], eps=1e-6) * (1 + scale) + shift

    @staticmethod
    def gated_rms_norm(x, gate, weight):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight * silu(gate)


class Jitnorm:
    @staticmethod
    def ada_layer_norm(x, scale, shift):
        return jitnorm_torch.ada_layer_norm(x, scale, shift, eps=1e-6)

    gated_rms_norm = staticmethod(jitnorm_torch.gated_rms_norm)


class DiffusionBlock(torch.nn.Module):
    """Attention and a feed-forward part, modulated by a condition for each batch."""

    def __init__(self, norms, width):
        super().__init__()
        self.norms = norms
        self.modulation = torch.nn.Linear(width, 6 * width)
        self.qkv, self.projection = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def attention(self, h):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(h).chunk(3, -1))
        mixed = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(-1) @ v
        return self.projection(mixed.transpose(1, 2).flatten(2))

    def forward(self, x, condition):
        parts = self.modulation(silu(condition)).unsqueeze(1).chunk(6, dim=-1)  # views of (batch, 1, width)
        x = x + parts[2] * self.attention(self.norms.ada_layer_norm(x, parts[1], parts[0]))
        h = self.norms.ada_layer_norm(x, parts[4], parts[3])
        return x + parts[5] * self.down(torch.nn.functional.gelu(self.up(h)))


class GatedBlock(torch.nn.Module):
    """What follows the mixing of a state-space layer. Here the mixing is a running mean over the sequence."""

    def __init__(self, norms, width):
        super().__init__()
        self.norms = norms
        self.input, self.output = torch.nn.Linear(width, 2 * width), torch.nn.Linear(width, width)
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x, condition):
        mixed, gate = self.input(x + condition.unsqueeze(1)).chunk(2, dim=-1)
        mixed = mixed.cumsum(1) / torch.arange(1, x.shape[1] + 1).view(-1, 1)
        return x + self.output(self.norms.gated_rms_norm(mixed, gate, self.weight))


class Training:
    """A block, its optimizer and its data; one kind of norms."""

    def __init__(self, block, norms, rows, width):
        torch.manual_seed(1)
        self.model = block(norms, width)
        self.optimizer = torch.optim.SGD(self.model.parameters(), 1.0)
        self.x, self.wanted = torch.randn(2, BATCH, rows, width)
        self.condition = torch.randn(BATCH, width)
        self.losses, self.times = [], []

    def step(self):
        start = time.perf_counter()
        loss = (self.model(self.x, self.condition) - self.wanted).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.times.append(time.perf_counter() - start)
        self.losses.append(loss.item())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("steps", 5), ("width", 64), ("rows", 32), ("threads", 1)):
        options.add_argument(f"--{name}", type=int, default=usual)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    for block in (DiffusionBlock, GatedBlock):
        both = {norms.__name__: Training(block, norms, given.rows, given.width) for norms in (Plain, Jitnorm)}
        for _ in range(given.steps):
            for training in both.values():
                training.step()
        for whose, training in both.items():
            print(f"{block.__name__}, {whose}: a step {statistics.median(training.times) * 1e3:.2f} ms, losses "
                  + " ".join(f"{x:.6f}" for x in training.losses))
        if any(abs(a - b) > 1e-5 * a for a, b in zip(both["Plain"].losses, both["Jitnorm"].losses)):
            raise SystemExit("the losses differ")


if __name__ == "__main__":
    main()
