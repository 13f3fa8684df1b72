#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of layer_norm and its gradients through Python, as a user calls them: PyTorch's own, and jitnorm's.

    python3 race.py [--types f32,bf16,f16] [--threads 1,2] [--shapes 1x768,128x768] [--seconds 0.3] [--plot FILE.svg]
                    [--json FILE]

Contestants take turns, each on buffers of its own, and of each the median of several rounds counts; a ratio above 1 says
that jitnorm is faster. Backward is torch.autograd.grad of all three inputs on a kept graph. Where PyTorch has no kernel
for a type there is a dash. A second table has the geometric mean and the smallest ratio of all shapes, and --plot
draws all of them.
"""

import argparse
import json
import math
import pathlib
import statistics
import time

import torch
from torch.nn import functional

import jitnorm_torch
import ratio_picture

COLUMNS = ("inference", "forward", "backward")
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
    rounds = 15
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
    for name in COLUMNS:
        present = [c for c in both if c is not None]
        calls = [c.backward if name == "backward" else c.forward for c in present]
        with torch.set_grad_enabled(name != "inference"):
            times = [t * 1e6 for t in race(calls, seconds)]
        results.append((None if both[0] is None else times[0], times[-1]))
    return results


def mean_and_least(ratios):
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}, {min(ratios):.2f}" if ratios else "-"


def race_all(types, threads, shapes, seconds):
    """Prints a table; name of a column -> "f32, 1 thread" -> shape -> ratio; and all times."""
    ratios, races = {column: {} for column in COLUMNS}, []
    print("| type | threads | rows x columns | inference | forward | backward |\n|---|---|---|---|---|---|")
    for name in types:
        for count in threads:
            torch.set_num_threads(count)
            line = f"{name}, {count} thread{'s' if count > 1 else ''}"
            for shape in shapes:
                rows, columns = map(int, shape.split("x"))
                cells = []
                for column, (theirs, ours) in zip(COLUMNS, compare(rows, columns, TYPES[name], seconds)):
                    races.append(dict(what=column, type=name, threads=count, shape=shape, theirs_us=theirs, ours_us=ours))
                    if theirs is None:
                        cells.append(f"- / {ours:.4g}")
                        continue
                    ratios[column].setdefault(line, {})[shape] = theirs / ours
                    cells.append(f"{theirs:.4g} / {ours:.4g} = {theirs / ours:.2f}")
                print(f"| {name} | {count} | {rows} x {columns} | " + " | ".join(cells) + " |", flush=True)
    return ratios, races


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--types", default="f32,bf16,f16")
    options.add_argument("--threads", default="1,2")
    options.add_argument("--shapes", default=SHAPES)
    options.add_argument("--seconds", type=float, default=0.3, help="for each pair of times")
    options.add_argument("--plot", type=pathlib.Path, help="a picture to write, which takes matplotlib")
    options.add_argument("--json", type=pathlib.Path, help="a file for all times")
    given = options.parse_args()
    print(f"PyTorch {torch.__version__}; microseconds of PyTorch / of jitnorm = ratio\n")
    threads = [int(count) for count in given.threads.split(",")]
    ratios, races = race_all(given.types.split(","), threads, given.shapes.split(","), given.seconds)
    print("\nGeometric mean and smallest ratio:\n\n| | inference | forward | backward |\n|---|---|---|---|")
    for line in ratios["inference"]:
        cells = [mean_and_least(list(ratios[column][line].values())) for column in COLUMNS]
        print(f"| {line} | " + " | ".join(cells) + " |")
    every = [r for lines in ratios.values() for of_line in lines.values() for r in of_line.values()]
    print(f"\nOf all {len(every)}: {mean_and_least(every)}")
    if given.json:
        versions = {"torch": torch.__version__, "jitnorm": jitnorm_torch.__version__}
        given.json.write_text(json.dumps({**versions, "races": races}, indent=1) + "\n")
    if given.plot and every:
        title = f"PyTorch {torch.__version__.split('+')[0]}: times of its layer_norm / those of jitnorm_torch"
        ratio_picture.draw(title, ratios, given.plot)


if __name__ == "__main__":
    main()
