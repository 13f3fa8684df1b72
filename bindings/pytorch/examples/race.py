#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of layer_norm and its gradients through Python, as a user calls them: PyTorch's own, and jitnorm's.

    python3 race.py [--types f32,bf16,f16] [--threads 1,2] [--shapes 1x768,128x768] [--seconds 0.3]

Contestants take turns, each on buffers of its own, and of each the median of several rounds counts; a ratio above 1 says
that jitnorm is faster. Backward is torch.autograd.grad of all three inputs on a kept graph. Where PyTorch has no kernel
for a type there is a dash. The last lines are the geometric mean and the smallest of all ratios.
"""

import argparse
import math
import statistics
import time

import torch
from torch.nn import functional

import jitnorm_torch

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
SHAPES = "1x768,16x1024,128x768,512x1024,2048x512,4096x768,4096x1024,1024x4096,8192x2048"


class Contestant:
    def __init__(self, function, rows, columns, dtype):
        torch.manual_seed(rows + columns)
        self.x = torch.randn(rows, columns).to(dtype).requires_grad_()
        self.weight, self.bias = (torch.rand(columns).to(dtype).requires_grad_() for _ in range(2))
        self.gradient = torch.randn(rows, columns).to(dtype)
        self.leaves = (self.x, self.weight, self.bias)
        self.function, self.shape = function, (columns,)
        with torch.no_grad():
            self.forward()
        self.output = function(self.x, self.shape, self.weight, self.bias)

    def forward(self):
        return self.function(self.x, self.shape, self.weight, self.bias)

    def backward(self):
        return torch.autograd.grad(self.output, self.leaves, self.gradient, retain_graph=True)


def seconds_of(call, repetitions):
    start = time.perf_counter()
    for _ in range(repetitions):
        call()
    return (time.perf_counter() - start) / repetitions


def race(calls, seconds):
    """The median seconds of each call."""
    rounds = 9
    once = max(max(seconds_of(call, 3) for call in calls), 1e-7)
    repetitions = max(1, int(seconds / rounds / len(calls) / once))
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, of_call in zip(calls, times):
            of_call.append(seconds_of(call, repetitions))
    return [statistics.median(of_call) for of_call in times]


def contestant(function, rows, columns, dtype):
    try:
        return Contestant(function, rows, columns, dtype)
    except RuntimeError:
        return None


def compare(rows, columns, dtype, seconds):
    """(PyTorch's, jitnorm's) microseconds forward in inference, forward for training, backward. PyTorch's may be None."""
    both = [contestant(f, rows, columns, dtype) for f in (functional.layer_norm, jitnorm_torch.layer_norm)]
    results = []
    for name in ("inference", "forward", "backward"):
        present = [c for c in both if c is not None]
        calls = [c.backward if name == "backward" else c.forward for c in present]
        with torch.set_grad_enabled(name != "inference"):
            times = [t * 1e6 for t in race(calls, seconds)]
        results.append((None if both[0] is None else times[0], times[-1]))
    return results


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--types", default="f32,bf16,f16")
    options.add_argument("--threads", default="1,2")
    options.add_argument("--shapes", default=SHAPES)
    options.add_argument("--seconds", type=float, default=0.3, help="for each pair of times")
    given = options.parse_args()
    ratios = []
    print(f"PyTorch {torch.__version__}; microseconds of PyTorch / of jitnorm = ratio\n")
    print("| type | threads | rows x columns | inference | forward for training | backward |")
    print("|---|---|---|---|---|---|")
    for name in given.types.split(","):
        for threads in map(int, given.threads.split(",")):
            torch.set_num_threads(threads)
            for shape in given.shapes.split(","):
                rows, columns = map(int, shape.split("x"))
                cells = []
                for theirs, ours in compare(rows, columns, TYPES[name], given.seconds):
                    if theirs is None:
                        cells.append(f"- / {ours:.4g}")
                        continue
                    ratios.append(theirs / ours)
                    cells.append(f"{theirs:.4g} / {ours:.4g} = {theirs / ours:.2f}")
                print(f"| {name} | {threads} | {rows} x {columns} | " + " | ".join(cells) + " |", flush=True)
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"\ngeometric mean {mean:.2f}, smallest {min(ratios):.2f}, of {len(ratios)}")


if __name__ == "__main__":
    main()
