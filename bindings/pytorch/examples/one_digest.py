# SPDX-License-Identifier: Apache-2.0
"""A language model of transformers whose logits have the same bits in every batch: alone or with 63 others, with one thread
and with two. The normalizations are jitnorm's, whose rows do not depend on each other; matrix products are written here, so
that each element is a sum in the order of the columns. It takes much longer than PyTorch's products, whose order depends
on the size of the batch: --plain is the same with PyTorch's own, and has several digests.

    python3 examples/one_digest.py [--plain]
"""

import argparse
import hashlib
import sys

import torch

try:
    import transformers
except ImportError:
    print("skipped: transformers is not installed; ./dev newest has it")
    sys.exit(77)  # CTest counts it as skipped

import jitnorm_torch


def product(a, b):
    """a @ b, in which each element is a sum in the order of the columns of a: of products that are rounded, too."""
    made = a[..., :1] * b[..., :1, :]
    for k in range(1, a.shape[-1]):
        made += a[..., k : k + 1] * b[..., k : k + 1, :]
    return made


class Linear(torch.nn.Linear):
    def forward(self, x):
        made = product(x.reshape(-1, x.shape[-1]), self.weight.t()).view(*x.shape[:-1], -1)
        return made if self.bias is None else made + self.bias


def attention(module, query, key, value, mask, scaling, **rest):
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = product(query, key.transpose(2, 3)) * scaling + mask[..., : key.shape[2]]
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    sums = product(weights, torch.ones(1, 1, key.shape[2], 1))
    return product(weights / sums, value).transpose(1, 2).contiguous(), weights


def make(plain):
    torch.manual_seed(1)
    if not plain:
        transformers.AttentionInterface.register("in_order", attention)
        transformers.AttentionMaskInterface.register("in_order", transformers.masking_utils.eager_mask)
    config = transformers.LlamaConfig(
        hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        vocab_size=256, max_position_embeddings=32, attn_implementation="eager" if plain else "in_order",
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    if not plain:
        for module in model.modules():
            if type(module) is torch.nn.Linear:
                module.__class__ = Linear
    return model


def digest(model, ids, batch):
    with torch.no_grad():
        logits = torch.cat([model(part, use_cache=False).logits for part in ids.split(batch)])
    return hashlib.sha256(logits.numpy().tobytes()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true")
    plain = parser.parse_args().plain
    model, ids = make(plain), torch.arange(64 * 8).view(64, 8) * 37 % 256
    if not plain:
        jitnorm_torch.override()
    found = set()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for batch in (1, 2, 3, 8, 24, 64):
            made = digest(model, ids, batch)
            found.add(made)
            print(f"batches of {batch:2}, {threads} threads: {made}")
    calls = sum(entry.calls for entry in jitnorm_torch.report())
    print(f"{len(found)} digests, {calls} normalizations by jitnorm")
    return not plain and (len(found) != 1 or calls == 0)


if __name__ == "__main__":
    sys.exit(main())
