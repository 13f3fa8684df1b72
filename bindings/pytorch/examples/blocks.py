#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block of a diffusion transformer and a gated block of a hybrid model in training, with the normalizations in plain
PyTorch and with jitnorm's: the losses side by side. It fails if they differ by more than a part in 100000.

    python3 blocks.py [--steps 5]
"""

import argparse

import torch
from torch.nn.functional import layer_norm, silu

import jitnorm_torch

WIDTH, HEADS = 64, 4


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

    def __init__(self, norms):
        super().__init__()
        self.norms = norms
        self.modulation = torch.nn.Linear(WIDTH, 6 * WIDTH)
        self.qkv, self.projection = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def attention(self, h):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(h).chunk(3, -1))
        mixed = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).softmax(-1) @ v
        return self.projection(mixed.transpose(1, 2).flatten(2))

    def forward(self, x, condition):
        parts = self.modulation(silu(condition)).unsqueeze(1).chunk(6, dim=-1)  # views of (batch, 1, WIDTH)
        x = x + parts[2] * self.attention(self.norms.ada_layer_norm(x, parts[1], parts[0]))
        h = self.norms.ada_layer_norm(x, parts[4], parts[3])
        return x + parts[5] * self.down(torch.nn.functional.gelu(self.up(h)))


class GatedBlock(torch.nn.Module):
    """What stands behind the mixing of a state-space layer. Here the mixing is a running mean over the sequence."""

    def __init__(self, norms):
        super().__init__()
        self.norms = norms
        self.input, self.output = torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.weight = torch.nn.Parameter(torch.ones(WIDTH))

    def forward(self, x, condition):
        mixed, gate = self.input(x + condition.unsqueeze(1)).chunk(2, dim=-1)
        mixed = mixed.cumsum(1) / torch.arange(1, x.shape[1] + 1).view(-1, 1)
        return x + self.output(self.norms.gated_rms_norm(mixed, gate, self.weight))


def train(block, norms, steps):
    torch.manual_seed(1)
    model = block(norms)
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    x, wanted, condition = torch.randn(4, 32, WIDTH), torch.randn(4, 32, WIDTH), torch.randn(4, WIDTH)
    losses = []
    for _ in range(steps):
        loss = (model(x, condition) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=5)
    steps = options.parse_args().steps
    for block in (DiffusionBlock, GatedBlock):
        plain, own = train(block, Plain, steps), train(block, Jitnorm, steps)
        for whose, losses in (("PyTorch", plain), ("jitnorm", own)):
            print(f"{block.__name__}, {whose}: losses " + " ".join(f"{x:.6f}" for x in losses))
        if any(abs(a - b) > 1e-5 * a for a, b in zip(plain, own)):
            raise SystemExit("the losses differ")


if __name__ == "__main__":
    main()
