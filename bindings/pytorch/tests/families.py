# SPDX-License-Identifier: Apache-2.0
"""families.py [NAME...]: unchanged models of transformers' families, made small by their configurations, with
PyTorch's normalizations and within jitnorm_torch.overridden().

For each family that has a causal language model, in float32 and bfloat16: one forward, greedy generation with a cache, and
one training step. It fails if the logits of float32 differ by more than 1e-5 of the largest one, or if more than 1e-4 of
those of bfloat16 differ at all, and if tokens or, by more than rounding, gradients differ. It prints a table: classes that
were taken, norms that were not, calls, differences, and which of both is nearer to the model in double. With NAMES, only
these families."""

import argparse
import contextlib
import copy
import io
import sys
import time
import warnings

import torch

try:
    import transformers
except ImportError:
    sys.exit(77)  # CTest counts it as skipped
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

import jitnorm_torch

# What makes a configuration small, by the names that configurations have for it.
SMALL = dict(
    hidden_size=64, n_embd=64, d_model=64, dim=64, embedding_size=64, intermediate_size=128, ffn_dim=128, d_ff=128, n_inner=128,
    encoder_ffn_dim=128, decoder_ffn_dim=128, ffn_hidden_size=128, moe_intermediate_size=32, shared_expert_intermediate_size=32,
    num_hidden_layers=2, n_layer=2, num_layers=2, n_layers=2, encoder_layers=2, decoder_layers=2, num_attention_heads=4,
    n_head=4, num_heads=4, n_heads=4, encoder_attention_heads=4, decoder_attention_heads=4, num_key_value_heads=2, head_dim=16,
    vocab_size=256, max_position_embeddings=64, n_positions=64, num_experts=4, num_local_experts=4, n_routed_experts=4,
    num_experts_per_tok=2, moe_k=2, moe_topk=2, n_group=1, topk_group=1, q_lora_rank=32, kv_lora_rank=16, qk_rope_head_dim=16,
    qk_nope_head_dim=16, v_head_dim=16, qk_head_dim=32, mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_d_conv=4,
    mamba_num_heads=8, mamba_head_dim=16, ssm_state_size=16, state_size=16, n_groups=1, mamba_n_groups=1, mamba_d_ssm=128,
    mamba_dt_rank=8, time_step_rank=8, linear_num_value_heads=4, linear_num_key_heads=2, linear_key_head_dim=16,
    linear_value_head_dim=16, lru_width=64, attention_window_size=16, sliding_window=16, index_head_dim=16, index_n_heads=2,
    index_topk=8, hidden_size_per_layer_input=16, vocab_size_per_layer_input=256, laurel_rank=8, num_kv_shared_layers=0,
    pad_token_id=0, bos_token_id=1, eos_token_id=2, max_sequence_length=64, rotary_dim=8, word_embed_proj_dim=64,
    attention_head_size=16, qk_dim_factor=0.5, conv_L_cache=3, block_ff_dim=128, first_k_dense_replace=1, expert_ffn_hidden_size=32,
    zero_expert_num=1, moe_num_experts=4, expand=1, moe_layer_start_index=1, num_memory_blocks=1, layer_norm_eps=1e-5,
)  # fmt: skip
OFF = ("attention_dropout", "hidden_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "dropout", "hidden_dropout_prob",
       "attention_probs_dropout_prob", "activation_dropout", "classifier_dropout", "layerdrop")  # fmt: skip


def shrink(config):
    """A configuration of the same class, and of classes within it, with few and narrow layers."""
    kind = type(config)
    given = {name: value for name, value in SMALL.items() if hasattr(config, name) and getattr(config, name) is not None}
    given.update({name: 0.0 for name in OFF if hasattr(config, name)})
    for name in ("layer_types", "mlp_layer_types"):
        kinds = getattr(config, name, None)
        if isinstance(kinds, (list, tuple)) and len(set(kinds)) > 1 and "num_hidden_layers" in given:
            given[name] = list(dict.fromkeys(kinds))  # a layer of each
            given["num_hidden_layers"] = max(given["num_hidden_layers"], len(given[name]))
    for name in getattr(kind, "sub_configs", {}):
        part = getattr(config, name, None)
        if part is not None:
            given[name] = shrink(part).to_dict()
    if "text_config" in given:
        return kind(**{name: value for name, value in given.items() if name in kind.sub_configs})
    return kind(**given)


def make(name, dtype):
    config = shrink(transformers.CONFIG_MAPPING[name]())
    config.is_decoder = True
    torch.manual_seed(1)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="eager")
    with torch.no_grad():
        for parameter in model.parameters():  # so that no weight of a norm is all ones
            parameter.add_(torch.randn(parameter.shape).to(parameter.dtype) * 0.02)
    count = sum(p.numel() for p in model.parameters())
    if count > 4e6:
        raise ValueError(f"{count / 1e6:.0f} million parameters")
    return model.to(dtype).eval()


def observe(model, dtype):
    """Logits, tokens and gradients."""
    ids = torch.arange(24).view(2, 12) * 7 % 250 + 3
    with torch.no_grad():
        logits = model(ids, use_cache=False).logits
        tokens = None
        try:
            tokens = model.generate(ids, max_new_tokens=4, do_sample=False, use_cache=True, pad_token_id=0)
        except Exception as error:
            tokens = f"{type(error).__name__}"
    for parameter in model.parameters():
        parameter.grad = None
    loss = model(ids, use_cache=False).logits.float().log_softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None]).neg().mean()
    loss.backward()
    gradients = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    return logits, tokens, gradients


def distance(got, expected):
    return ((got.double() - expected.double()).abs().max() / expected.double().abs().max()).item()


def compare(name, dtype):
    """A line of results for a family in a type."""
    model = make(name, dtype)
    theirs = observe(model, dtype)
    before = {entry.name: entry.calls for entry in jitnorm_torch.report()}
    with jitnorm_torch.overridden():
        own = observe(model, dtype)
    taken = {e.name.rpartition(".")[2]: e for e in jitnorm_torch.report() if e.calls > before.get(e.name, 0)}
    calls = sum(e.calls - before.get(e.name, 0) for e in taken.values())
    exact = copy.deepcopy(model).double()
    ids = torch.arange(24).view(2, 12) * 7 % 250 + 3
    try:
        with torch.no_grad():
            truth = exact(ids, use_cache=False).logits
        errors = [(made[0].double() - truth).abs().mean().item() for made in (theirs, own)]
    except Exception:
        errors = None
    different = (theirs[0] != own[0]).double().mean().item()
    gradients = max((distance(own[2][n], g) for n, g in theirs[2].items() if g.abs().max() > 1e-6), default=0.0)
    tokens = torch.equal(theirs[1], own[1]) if isinstance(theirs[1], torch.Tensor) else None
    norms = sorted(
        {
            type(m).__name__
            for m in model.modules()
            if "norm" in type(m).__name__.lower() and not list(m.children()) and type(m).__name__ not in taken
        }
    )
    return dict(
        calls=calls, taken=taken, distance=distance(own[0], theirs[0]), different=different, tokens=tokens,
        gradients=gradients, errors=errors, left=norms,
    )  # fmt: skip


def is_right(dtype, line):
    if line["tokens"] is False:
        return False
    if dtype == torch.float32:
        return line["distance"] <= 1e-5 and line["gradients"] <= 1e-3
    return line["different"] <= 1e-4 and line["gradients"] <= 0.1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    torch.set_num_threads(1)
    made, failed, missing = 0, [], []
    print("| family | classes taken | norms left | calls | largest difference of logits, f32 | logits that differ, bf16 | gradients, f32, bf16 | "
          "same tokens | error of the logits, bf16: eager / jitnorm |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    for name in options.names or sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES):
        lines = {}
        try:
            for dtype in (torch.float32, torch.bfloat16):
                with contextlib.redirect_stderr(io.StringIO()):
                    lines[dtype] = compare(name, dtype)
        except Exception as error:
            missing.append(f"{name}: {type(error).__name__}: {error}".splitlines()[0][:150])
            print("-", missing[-1], flush=True)
            continue
        made += 1
        narrow, wide = lines[torch.bfloat16], lines[torch.float32]
        for dtype, line in lines.items():
            if not is_right(dtype, line):
                failed.append(name)
        operators = {cls: "; ".join(e.operators) for cls, e in narrow["taken"].items()}
        print(f"| {name} | {', '.join(operators) or '-'} | {', '.join(narrow['left'])} | {wide['calls']} | {wide['distance']:.1e} | "
              f"{narrow['different']:.1e} | {wide['gradients']:.1e}, {narrow['gradients']:.1e} | {narrow['tokens']} | "
              f"{narrow['errors'] and ' / '.join(f'{e:.3g}' for e in narrow['errors'])} |" + (" FAILED" if name in failed else ""), flush=True)  # fmt: skip
    print(f"{made} families, {len(missing)} that a small configuration does not make, {len(failed)} failures: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
