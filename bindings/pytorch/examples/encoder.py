#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An unchanged torch.nn.TransformerEncoder in training, on PyTorch's layer_norm and on jitnorm's: how long a step takes,
how much of it is normalization, and the losses side by side.

    python3 encoder.py [--threads 1] [--steps 5]
"""

import argparse
import time

import torch
from torch.profiler import ProfilerActivity, profile

import jitnorm_torch

NORMALIZATION = ("aten::native_layer_norm", "aten::native_layer_norm_backward")


def train(steps):
    """Milliseconds of a step, of the normalizations in it, and the losses."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 1024, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 4)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs, wanted = torch.randn(2, 4, 128, 512)
    losses, times = [], []

    def step():
        loss = (model(inputs) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        step()
    of_norms = sum(event.cpu_time_total for event in profiled.key_averages() if event.key in NORMALIZATION)
    return sorted(times)[len(times) // 2] * 1e3, of_norms / 1e3, losses


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--steps", type=int, default=5)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    train(1)
    results = {"PyTorch": train(given.steps)}
    with jitnorm_torch.overridden():
        results["jitnorm"] = train(given.steps)
    for name, (step, norms, losses) in results.items():
        print(f"{name}: a step {step:.1f} ms, normalization {norms:.2f} ms; losses " + " ".join(f"{x:.6f}" for x in losses))


if __name__ == "__main__":
    main()
