# SPDX-License-Identifier: Apache-2.0
"""Times normalizations of transformers' classes and models of it, unchanged: as they are, and within
jitnorm_torch.overridden(), in turns; the least time of each. Ratios are theirs / with jitnorm.

    export MALLOC_MMAP_THRESHOLD_=268435456 MALLOC_TRIM_THRESHOLD_=268435456
    python3 examples/unchanged.py [--threads N] [--type TYPE] [--compiled] [NAME...]

NAMEs are of models, or `norms`, single normalizations; without them all are timed. The variables keep the memory of fresh
results from being mapped anew, which takes up to seven times as long as PyTorch's five operations. --compiled compares a
model that is compiled by Inductor without jitnorm, by the backend "jitnorm", and the model as it is within the override."""

import argparse
import importlib
import time

import torch
import transformers

import jitnorm_torch

NORMS = (  # class, the shapes of its parameters and inputs
    ("llama.LlamaRMSNorm", (2048,), ((1, 1, 2048), (1, 128, 2048))),
    ("qwen3.Qwen3RMSNorm", (128,), ((1, 1, 32, 128), (1, 128, 32, 128))),
    ("gemma3.Gemma3RMSNorm", (2048,), ((1, 1, 2048), (1, 128, 2048))),
    ("olmo2.Olmo2RMSNorm", (2048,), ((1, 1, 2048), (1, 128, 2048))),
    ("t5.T5LayerNorm", (2048,), ((1, 1, 2048), (1, 128, 2048))),
    ("cohere.CohereLayerNorm", ((32, 128),), ((1, 1, 32, 128), (1, 128, 32, 128))),
    ("qwen3_next.Qwen3NextRMSNormGated", (128,), ((32, 128), (4096, 128))),
    ("mamba2.MambaRMSNormGated", (2048,), ((1, 1, 2048), (1, 128, 2048))),
)
WIDE = dict(hidden_size=2048, intermediate_size=5632, num_hidden_layers=2, num_attention_heads=16, num_key_value_heads=4,
            head_dim=128, vocab_size=4096)  # fmt: skip
MODELS = {
    "llama": lambda: transformers.LlamaConfig(**WIDE),
    "qwen3": lambda: transformers.Qwen3Config(**WIDE),
    "gemma3": lambda: transformers.Gemma3TextConfig(**WIDE),
    "olmo2": lambda: transformers.Olmo2Config(**{k: v for k, v in WIDE.items() if k != "head_dim"}),
}


STEPS = ("decode", "prefill", "training")


def least(function, seconds):
    """The least time of a call, in microseconds, of groups of calls that fill `seconds`."""
    clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter  # the former leaves out other programs
    function()
    begin = clock()
    function()
    count = max(1, int(seconds / 20 / max(clock() - begin, 1e-7)))
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        begin = clock()
        for _ in range(count):
            function()
        best = min(best, (clock() - begin) / count)
    return best * 1e6


def both(function, seconds):
    """Theirs and ours, in turns."""
    theirs, ours = float("inf"), float("inf")
    for _ in range(3):
        theirs = min(theirs, least(function, seconds / 6))
        with jitnorm_torch.overridden():
            ours = min(ours, least(function, seconds / 6))
    return theirs, ours


def line(name, theirs, ours):
    print(f"| {name} | {theirs:.4g} / {ours:.4g} = {theirs / ours:.2f} |", flush=True)


def time_norms(dtype, seconds):
    for name, parameters, shapes in NORMS:
        module, _, kind = name.partition(".")
        made = getattr(importlib.import_module(f"transformers.models.{module}.modeling_{module}"), kind)(*parameters)
        made = made.to(dtype)
        for shape in shapes:
            given = [torch.randn(shape).to(dtype) for _ in range(1 + ("Gated" in kind))]
            with torch.no_grad():
                line(f"{kind} {list(shape)}", *both(lambda: made(*given), seconds))


def steps_of(model):
    """One token after 64 others, 128 tokens, and a training step with 128."""
    prompt, token = torch.arange(64)[None], torch.tensor([[7]])
    cache = model(prompt, use_cache=True).past_key_values
    long = torch.arange(128)[None]

    def decode():
        with torch.no_grad():
            model(token, past_key_values=cache, use_cache=True)
            cache.crop(64)

    def prefill():
        with torch.no_grad():
            model(long, use_cache=False)

    def train():
        model.zero_grad()
        model(long, labels=long, use_cache=False).loss.backward()

    return dict(zip(STEPS, (decode, prefill, train)))


def model_of(name, dtype):
    return transformers.AutoModelForCausalLM.from_config(MODELS[name](), dtype=dtype).eval()


def time_model(name, dtype, seconds, wanted):
    with torch.no_grad():
        steps = steps_of(model_of(name, dtype))
    for step, run in steps.items():
        if step in wanted:
            line(f"{name}, {step}", *both(run, seconds))


def time_compiled(name, dtype, seconds):
    """128 tokens, in milliseconds."""
    model, long = model_of(name, dtype), torch.arange(128)[None]
    runs = {"Inductor": torch.compile(model), 'backend "jitnorm"': torch.compile(model, backend=jitnorm_torch.inductor), "not compiled": model}
    best = dict.fromkeys(runs, float("inf"))
    with torch.no_grad(), jitnorm_torch.overridden():
        for _ in range(3):
            for what, run in runs.items():
                best[what] = min(best[what], least(lambda: run(long, use_cache=False), seconds / 9))
    print(f"| {name} | {'; '.join(f'{what} {time / 1000:.4g}' for what, time in best.items())} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=("norms", *MODELS, []))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--type", default="bfloat16", choices=("float32", "bfloat16"))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    parser.add_argument("--compiled", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    dtype = getattr(torch, options.type)
    print(f"{options.type}, {options.threads} threads, microseconds as they are / with jitnorm = ratio\n\n| | |\n|---|---|")
    for name in options.names or (*([] if options.compiled else ["norms"]), *MODELS):
        if name == "norms":
            time_norms(dtype, options.seconds)
        elif options.compiled:
            time_compiled(name, dtype, options.seconds)
        else:
            time_model(name, dtype, options.seconds, options.steps)


if __name__ == "__main__":
    main()
