#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unchanged models of torch.nn in training, on PyTorch's layer_norm and on jitnorm's: how long a step takes, how much of it
is normalization, and the losses side by side.

    python3 encoder.py [--threads 1] [--steps 3]
"""

import argparse
import statistics
import time

import torch
from torch.profiler import ProfilerActivity, profile

import jitnorm_torch

NORMALIZATION = ("aten::native_layer_norm", "aten::native_layer_norm_backward")


def make_encoder():
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 2)


def make_transformer():
    model = torch.nn.Transformer(128, 4, 1, 1, 256, dropout=0.0, batch_first=True)
    return lambda inputs: model(inputs, inputs), model


def make(name):
    """A function of the inputs, and the model whose parameters it has."""
    torch.manual_seed(1)
    if name == "nn.Transformer":
        return make_transformer()
    model = make_encoder()
    return model, model


def train(name, steps):
    """Milliseconds of a step, of the normalizations in it, and the losses."""
    function, model = make(name)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs, wanted = torch.randn(2, 32, 128, 128)
    losses, times, of_norms = [], [], []

    def step():
        loss = (function(inputs) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    for _ in range(steps):
        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            step()
        events = profiled.key_averages()
        of_norms.append(sum(event.cpu_time_total for event in events if event.key in NORMALIZATION))
    return statistics.median(times) * 1e3, statistics.median(of_norms) / 1e3, losses[:steps]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--steps", type=int, default=3)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    print(f"PyTorch {torch.__version__}, threads: {given.threads}")
    for name in ("nn.TransformerEncoder", "nn.Transformer"):
        train(name, 1)
        results = {"PyTorch": train(name, given.steps)}
        with jitnorm_torch.overridden():
            train(name, 1)
            results["jitnorm"] = train(name, given.steps)
        for whose, (step, norms, losses) in results.items():
            print(f"{name}, {whose}: a step {step:.1f} ms, normalization {norms:.2f} ms; losses "
                  + " ".join(f"{x:.6f}" for x in losses), flush=True)


if __name__ == "__main__":
    main()
