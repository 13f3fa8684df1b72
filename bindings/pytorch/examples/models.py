#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What jitnorm saves of a whole model's time: the model with PyTorch's normalizations and with jitnorm's, in turns, and
how much of the first the normalizations are.

    python3 models.py [--threads 1] [--rounds 9]

training    a step of nn.TransformerEncoder, unchanged, by override(): two layers, 4096 rows of 128, float32
one token   one token through 4 blocks as Llama has them, without attention to earlier tokens: 1024 wide, bfloat16
128 tokens  128 of them together
"""

import argparse
import statistics
import time

import torch
from torch.nn.functional import silu

import jitnorm_torch

WIDTH, HIDDEN, BLOCKS, EPSILON = 1024, 2816, 4, 1e-6
MATRICES = ((WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 2 * HIDDEN), (HIDDEN, WIDTH))


def add_rms_norm(a, x, weight):
    x = x + a
    values = x.float()
    return (values * torch.rsqrt(values.pow(2).mean(-1, keepdim=True) + EPSILON)).to(x.dtype) * weight, x


def add_rms_norm_by_jitnorm(a, x, weight):
    return jitnorm_torch.add_rms_norm(a, x, x.shape[-1:], weight, EPSILON)


def without_norm(a, x, _):
    return a, x


def encoder_step():
    """A function of how to normalize: by PyTorch, by jitnorm, not at all."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs, wanted = torch.randn(2, 32, 128, 128)
    bare = torch.nn.TransformerEncoder(layer, 2)
    for one in bare.layers:
        one.norm1 = one.norm2 = torch.nn.Identity()

    def step(of):
        loss = (of(inputs) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def by_jitnorm():
        with jitnorm_torch.overridden():
            step(model)

    return (lambda: step(model)), by_jitnorm, (lambda: step(bare))


def decoder(tokens):
    """The same for the blocks of a decoder."""
    torch.manual_seed(1)
    blocks = [[torch.randn(columns, rows).mul_(rows ** -0.5).bfloat16() for rows, columns in MATRICES]
              for _ in range(BLOCKS)]
    weight, x = torch.ones(WIDTH).bfloat16(), torch.randn(tokens, WIDTH).bfloat16()

    def forward(norm):
        stream, a = x, torch.zeros_like(x)
        for qkv, projection, up, down in blocks:
            h, stream = norm(a, stream, weight)
            a = (h @ qkv.t())[:, 2 * WIDTH:] @ projection.t()
            h, stream = norm(a, stream, weight)
            gate, value = (h @ up.t()).chunk(2, -1)
            a = (silu(gate) * value) @ down.t()
        return a

    @torch.no_grad()
    def by(norm):
        return forward(norm)

    return (lambda: by(add_rms_norm)), (lambda: by(add_rms_norm_by_jitnorm)), (lambda: by(without_norm))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rounds", type=int, default=9)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    print(f"PyTorch {torch.__version__}, threads: {given.threads}")
    for name, ways in (("training", encoder_step()), ("one token", decoder(1)), ("128 tokens", decoder(128))):
        times = [[] for _ in ways]
        for _ in range(given.rounds + 1):
            for way, seconds in zip(ways, times):
                start = time.perf_counter()
                way()
                seconds.append(time.perf_counter() - start)
        plain, own, bare = (statistics.median(seconds[1:]) * 1e3 for seconds in times)
        print(f"{name}: PyTorch {plain:.2f} ms, jitnorm {own:.2f} ms, without normalization {bare:.2f} ms: "
              f"{plain / own:.2f} times as fast", flush=True)


if __name__ == "__main__":
    main()
