# SPDX-License-Identifier: Apache-2.0
"""families.py [--json FILE] [NAME...]: unchanged models of transformers' families, made small by their configurations, with
PyTorch's normalizations and within jitnorm_torch.overridden().

For each family with a language model, in float32 and bfloat16: one forward, greedy generation with a cache, and one training
step. It fails if

- a normalization that an operator could take is not taken, or is not executed by it at each call;
- normalizations, on the inputs that the model gives them, differ by more than 2e-6 in float32, or in more than 1e-4 of the
  elements of bfloat16;
- logits of float32 differ by more than 1e-5 of the largest one, or, where all elements of the normalizations are equal, more
  than 1e-4 of those of bfloat16 differ; tokens differ; or gradients, by more than rounding;
- a training step takes more memory, by more than a hundredth (statistics of LayerNorm are float32).

With NAMEs, only these families. With --json it also times, in bfloat16 with one thread and two, the normalizations of a
forward by themselves, and the forward: as they are and within the override, in turns, the least time of each. No time makes
it fail. The file is docs/measurements/families.json, from which tools/measurements makes the table of
bindings/pytorch/families.md."""

import argparse
import collections
import contextlib
import copy
import io
import json
import math
import os
import pathlib
import sys
import warnings

os.environ.update(KINETO_LOG_LEVEL="99", TORCH_CPP_LOG_LEVEL="ERROR")  # the profiler has nothing to say
import torch

try:
    import transformers
except ImportError:
    print("skipped: transformers is not installed; ./dev newest has it")
    sys.exit(77)  # CTest counts it as skipped
from transformers.models.auto import modeling_auto

import jitnorm_torch
from jitnorm_torch import classes

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "bindings/pytorch/examples"), str(ROOT / "tools")]
sys.dont_write_bytecode = True
from figures_pages import processor
from unchanged import both

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
    dim_model=64, dim_ff=128, dim_head=16, encoder_hash_byte_group_vocab=64, num_encoder_layers=2, num_decoder_layers=2,
    num_encoder_attention_heads=4, num_decoder_attention_heads=4, d_kv=16, decoder_start_token_id=0,
)  # fmt: skip
OFF = ("attention_dropout", "hidden_dropout", "resid_pdrop", "embd_pdrop", "attn_pdrop", "dropout", "hidden_dropout_prob",
       "attention_probs_dropout_prob", "activation_dropout", "classifier_dropout", "layerdrop", "dropout_rate")  # fmt: skip
# What a family needs beside that; None leaves a setting as it is.
OWN = {
    "bamba": {"attn_layer_indices": [1]},
    "dbrx": {"attn_config": {"kv_n_heads": 2, "rope_theta": 1e4}, "ffn_config": {"ffn_hidden_size": 128, "moe_num_experts": 4}},
    "deepseek_v2": {"num_experts_per_tok": 2},
    "dots1": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"]},
    "hunyuan_v1_dense": {"head_dim": 16},
    "hunyuan_v1_moe": {"head_dim": 16},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "ministral": {"head_dim": 16},
    "nemotron": {"head_dim": 16, "num_key_value_heads": 2},
    "prophetnet": {"num_hidden_layers": None},
    "reformer": {"axial_pos_embds": False, "attn_layers": ["local", "local"], "attention_head_size": 16},
    "roc_bert": {"pronunciation_vocab_size": 64, "shape_vocab_size": 64},
    "xlnet": {"d_inner": 128, "max_position_embeddings": None},
    "xmod": {"default_language": "en_XX", "languages": ["en_XX"]},
    "youtu": {"num_key_value_heads": 4},
    "zamba": {"num_hidden_layers": 6, "attn_layer_period": 2, "attn_layer_offset": 1, "layer_types": None,
              "use_mamba_kernels": False},
    "zamba2": {"layers_block_type": ["mamba", "hybrid"], "layer_types": None, "num_mem_blocks": 1},
}
MAPPINGS = ((transformers.AutoModelForCausalLM, modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES),
            (transformers.AutoModelForSeq2SeqLM, modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES))  # fmt: skip
LARGEST = 12e6  # parameters
SECONDS = 0.4  # to time one thing without and with the override
TYPES = (torch.float32, torch.bfloat16)
# Classes that no operator executes: the first rounds the root in bfloat16, the other one has a weight for all heads.
KEPT = ("DeepseekV4UnweightedRMSNorm", "xLSTMMultiHeadLayerNorm")
NATIVE = (torch.nn.LayerNorm, torch.nn.RMSNorm)  # executed by PyTorch's operators, in whose place jitnorm is


def is_set(config, name):
    """Whether a configuration has such a setting, with a value that can be changed."""
    own = getattr(type(config), name, None)
    return getattr(config, name, None) is not None and not (isinstance(own, property) and own.fset is None)


def shrink(config, own):
    """A configuration of the same class, and of classes within it, with few and narrow layers."""
    given = {name: value for name, value in SMALL.items() if is_set(config, name)}
    given.update({name: type(getattr(config, name))(0) for name in OFF if is_set(config, name)})
    if "kv_lora_rank" in given:
        given.pop("num_key_value_heads", None)
        given.update({"num_key_value_heads": 4} if is_set(config, "num_key_value_heads") else {})
    for name in ("layer_types", "mlp_layer_types"):
        kinds = getattr(config, name, None)
        if is_set(config, name) and isinstance(kinds, (list, tuple)) and len(set(kinds)) > 1 and "num_hidden_layers" in given:
            given[name] = list(dict.fromkeys(kinds))  # a layer of each
            given["num_hidden_layers"] = max(given["num_hidden_layers"], len(given[name]))
    for name in getattr(type(config), "sub_configs", {}):
        part = getattr(config, name, None)
        if part is not None:
            given[name] = shrink(part, {}).to_dict()
    if "text_config" in given:
        given = {name: value for name, value in given.items() if name in type(config).sub_configs}
    given.update(own)
    return type(config)(**{name: value for name, value in given.items() if value is not None})


class Model:
    """A small model of a family in a type, and the arguments that it is called with."""

    def __init__(self, name, dtype):
        auto, self.is_pair = next((a, a is not MAPPINGS[0][0]) for a, names in MAPPINGS if name in names)
        config = shrink(transformers.CONFIG_MAPPING[name](), OWN.get(name, {}))
        if self.is_pair:
            config.decoder_start_token_id = 0
        else:
            config.is_decoder = True
        ways = dict(dtype=dtype, attn_implementation="eager", experts_implementation="eager")
        with torch.device("meta"):  # what is too large is not made
            count = sum(p.numel() for p in auto.from_config(copy.deepcopy(config), **ways).parameters())
        if count > LARGEST:
            raise ValueError(f"{count / 1e6:.0f} million parameters")
        torch.manual_seed(1)
        self.model = auto.from_config(config, **ways)
        with torch.no_grad():
            for parameter in self.model.parameters():  # so that no weight of a norm is all ones
                parameter.add_(torch.randn(parameter.shape).to(parameter.dtype) * 0.02)
        self.model.eval()
        self.ids = torch.arange(24).view(2, 12) * 7 % 250 + 3
        try:
            with torch.no_grad():
                self.logits()
        except RuntimeError:  # parts that stay in float32 unless they are told
            self.model.to(dtype)

    def logits(self):
        given = {"decoder_input_ids": self.ids} if self.is_pair else {}
        return self.model(self.ids, use_cache=False, **given).logits

    def tokens(self):
        """What is generated, or what the family raises."""
        try:
            return self.model.generate(self.ids, max_new_tokens=4, do_sample=False, use_cache=True, pad_token_id=0).tolist()
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]

    def step(self):
        """A training step's gradients."""
        self.model.zero_grad()
        logits = self.logits().float().log_softmax(-1)[:, :-1]
        logits.gather(-1, self.ids[:, 1:, None]).neg().mean().backward()
        return {n: p.grad for n, p in self.model.named_parameters() if p.grad is not None}


def observe(made):
    """Logits, tokens, gradients, and the largest amount of memory that the training step held beside the model, in bytes."""
    with torch.no_grad():
        logits, tokens = made.logits(), made.tokens()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        gradients = made.step()
    held = peak = 0
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return logits, tokens, gradients, peak


Call = collections.namedtuple("Call", "module given named result")


def calls_of(made):
    """The calls of modules of normalization in a forward: those whose classes are named so, and have no parts."""
    found = []

    def keep(module, given, named, result):
        if all(isinstance(t, torch.Tensor) for t in (*given, *named.values(), result) if t is not None):
            given = tuple(t if t is None else t.clone() for t in given)
            named = {name: t if t is None else t.clone() for name, t in named.items()}
            found.append(Call(module, given, named, result.clone()))

    hooks = [m.register_forward_hook(keep, with_kwargs=True) for m in made.model.modules()
             if "norm" in type(m).__name__.lower() and not list(m.children())]  # fmt: skip
    with torch.no_grad():
        made.logits()
    for hook in hooks:
        hook.remove()
    return found


def truth_of(call):
    """The same normalization in double by the operator that was found for it; None if it is not known."""
    kind, tensors = type(call.module), tuple(t for t in (*call.given, *call.named.values()) if t is not None)
    module = copy.deepcopy(call.module).double()
    if kind in NATIVE:  # not of classes that derive from them
        return module(tensors[0].double())
    for entry in (seen[kind] for seen in classes._seen.values() if kind in seen):
        found = entry.known.get(entry.key(call.module, tensors))
        if found is not None:
            return found(module, *(t.double() for t in tensors))
    return None


def replay(calls):
    """The normalizations alone, on the inputs of the model: elements of narrow results and how many differ, the largest
    difference of float32, and the sums of both's errors there next to a truth in double."""
    count = different = 0
    largest, errors = 0.0, [0.0, 0.0]
    with torch.no_grad(), jitnorm_torch.overridden():
        for call in calls:
            own = call.module(*call.given, **call.named)
            if own.dtype != torch.float32:
                count += own.numel()
                different += (own != call.result).sum().item()
                continue
            largest = max(largest, distance(own, call.result))
            truth = truth_of(call)
            if truth is not None:
                for place, result in enumerate((call.result, own)):
                    errors[place] += (result.double() - truth).abs().sum().item()
    return count, different, largest, errors


def distance(got, expected):
    scale = expected.double().abs().max().item()
    return (got.double() - expected.double()).abs().max().item() / scale if scale else 0.0


def distance_of_gradients(got, expected):
    """Of all together, by their roots of sums of squares: some are zero but for rounding."""
    norm = math.sqrt(sum(g.double().square().sum().item() for g in expected.values()))
    return math.sqrt(sum((got[n].double() - g.double()).square().sum().item() for n, g in expected.items())) / norm


def times(made, calls):
    """By number of threads: times of a normalization, the mean of those of a forward, and of the forward."""

    def normalize():
        for call in calls:
            call.module(*call.given, **call.named)

    found = {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        with torch.no_grad():
            norms = [of_all / len(calls) for of_all in both(normalize, SECONDS)]
            found[threads] = norms, both(made.logits, SECONDS)
    torch.set_num_threads(1)
    return found


def counts():
    return {entry.name: entry.calls for entry in jitnorm_torch.report()}


def name_of(kind):
    return f"{kind.__module__}.{kind.__qualname__}"


def errors_of_logits(made, *logits):
    """Mean error of each next to the model in double; None if it does not compute in double."""
    exact = copy.copy(made)
    try:
        exact.model = copy.deepcopy(made.model).double()
        with torch.no_grad():
            truth = exact.logits()
    except Exception:
        return None
    return [(one.double() - truth).abs().mean().item() for one in logits]


def compare(name, dtype, timed):
    """What is found for a family in a type."""
    made = Model(name, dtype)
    calls = calls_of(made)
    theirs = observe(made)
    with jitnorm_torch.overridden():
        with torch.no_grad():
            made.logits()  # after it the classes are known
        before = counts()
        with torch.no_grad():
            made.logits()
        after = counts()
        own = observe(made)
        whole = {n: c - before.get(n, 0) for n, c in counts().items() if c > before.get(n, 0)}
    wanted = collections.Counter(name_of(type(call.module)) for call in calls)
    operators = {e.name: e.operators for e in jitnorm_torch.report()}
    reasons = {e.name: e.reason for e in jitnorm_torch.report()}
    native = {name_of(type(call.module)) for call in calls if isinstance(call.module, NATIVE)} - set(whole)
    count, different, largest, norm_errors = replay(calls)
    return dict(
        taken={n: operators[n] for n in whole},
        native=sorted(native),
        left=[f"{n}, {after.get(n, 0) - before.get(n, 0)} of {c}, {reasons.get(n, '')}" for n, c in wanted.items()
              if n not in native and n.rpartition(".")[2] not in KEPT and after.get(n, 0) - before.get(n, 0) != c],
        calls=sum(whole.values()) or sum(wanted[n] for n in native),
        elements=count, elements_different=different, norms=largest, norm_errors=norm_errors,
        logits=distance(own[0], theirs[0]), logits_different=(own[0] != theirs[0]).double().mean().item(),
        tokens=own[1] == theirs[1], generated=theirs[1], gradients=distance_of_gradients(own[2], theirs[2]),
        memory=own[3] / theirs[3], errors=errors_of_logits(made, theirs[0], own[0]),
        times=times(made, calls) if timed and dtype == torch.bfloat16 and calls else {},
    )  # fmt: skip


def faults(dtype, found):
    """What is wrong, in words."""
    if found["left"]:
        yield f"not taken at each call: {'; '.join(found['left'])}"
    if not found["calls"]:
        yield "no normalization was seen"
    if not found["tokens"]:
        yield "other tokens"
    if found["memory"] > 1.01:
        yield f"{found['memory']:.3f} times the memory"
    narrow = dtype == torch.bfloat16
    if found["gradients"] > (0.05 if narrow else 1e-4):
        yield f"gradients differ by {found['gradients']:.1e}"
    if found["norms"] > 2e-6:
        yield f"results of normalizations in float32 differ by {found['norms']:.1e}"
    if not narrow and found["logits"] > 1e-5:
        yield f"logits differ by {found['logits']:.1e}"
    if found["elements_different"] > max(2, 1e-4 * found["elements"]):
        yield f"{found['elements_different']} of {found['elements']} elements of normalizations differ"
    if narrow and not found["elements_different"] and found["logits_different"] > 1e-4:
        yield f"{found['logits_different']:.1e} of the logits differ"


def short(operators):
    return ", ".join(operators).replace("round_normalized=True", "rounded").replace("=True", "").replace("()", "")


def share(equal):
    return "all" if equal == 1 else f"{math.floor(equal * 1e5) / 1e5:.5g}"


def row(name, found):
    wide, narrow = (found[dtype] for dtype in TYPES)
    taken = [f"{n.rpartition('.')[2]}: {short(operators)}" for n, operators in narrow["taken"].items()]
    taken += [n.rpartition(".")[2] for n in narrow["native"]]
    return [name, "; ".join(taken), str(wide["calls"]), f"{wide['logits']:.1e}",
            share(1 - narrow["elements_different"] / max(1, narrow["elements"])), share(1 - narrow["logits_different"]),
            *("; ".join(ratio_text(*of[what]) for of in narrow["times"].values()) for what in (0, 1))]  # fmt: skip


def ratio_text(theirs, own):
    digits = 0 if theirs >= 100 else 1
    return f"{theirs:.{digits}f} / {own:.{digits}f} = {theirs / own:.2f}"


COLUMNS = ["family", "classes, executed as", "calls", "f32: logits differ by", "bf16: elements of normalizations equal",
           "bf16: logits equal", "bf16: a normalization, PyTorch / jitnorm, us, with 1; 2 threads", "bf16: a forward, so"]  # fmt: skip


def mean_of_times(found):
    """A sentence on the ratios of all families."""
    timed = [one[torch.bfloat16]["times"] for one in found.values() if one[torch.bfloat16]["times"]]
    means = {threads: [mean(of[threads][what][0] / of[threads][what][1] for of in timed) for what in (0, 1)]
             for threads in (1, 2)}
    words = "; ".join(f"{norm:.2f} and {whole:.3f} with {threads}" for threads, (norm, whole) in means.items())
    return f"PyTorch's time over jitnorm's in bfloat16, of a normalization and of a forward, by threads: {words} (geometric means)."


def mean(ratios):
    """Geometric."""
    logarithms = [math.log(one) for one in ratios]
    return math.exp(sum(logarithms) / max(1, len(logarithms)))


def ratio_of_errors(found, dtype, key):
    """Mean error with jitnorm over that without, a geometric mean of all families, and their number."""
    pairs = [one[dtype][key] for one in found.values() if one[dtype][key] and min(one[dtype][key]) > 0]
    return mean(own / theirs for theirs, own in pairs), len(pairs)


def nearer(found):
    """Sentences about which of both is nearer to a computation in double."""
    norms, count = ratio_of_errors(found, torch.float32, "norm_errors")
    logits, whole = ratio_of_errors(found, torch.bfloat16, "errors")
    return (f"Next to a computation in double the normalizations of float32 have {norms:.2f} times PyTorch's mean error with "
            f"jitnorm ({count} families), and the logits of bfloat16 {logits:.4f} times ({whole}).")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    torch.set_num_threads(1)
    results, missing, failed = {}, {}, []
    for name in options.names or sorted({name for _, names in MAPPINGS for name in names}):
        try:
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                results[name] = {dtype: compare(name, dtype, bool(options.json)) for dtype in TYPES}
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:150].replace("|", "/")
            print(f"{name}: not made: {missing[name]}", flush=True)
            continue
        print(" | ".join(row(name, results[name])), flush=True)
        for dtype, found in results[name].items():
            for fault in faults(dtype, found):
                failed.append(name)
                print(f"{name}: FAILED in {dtype}: {fault}", flush=True)
    without = [name for name, found in results.items() if isinstance(found[torch.float32]["generated"], str)]
    print(f"{len(results)} families, {len(missing)} that are not made here, {len(set(failed))} failures {sorted(set(failed))}")
    print(f"Without generation, which raises without the override, too: {without}" if without else "All generate.")
    print(nearer(results))
    if options.json:
        print(mean_of_times(results))
        about = [f"transformers {transformers.__version__}, PyTorch {torch.__version__.partition('+')[0]}.", nearer(results),
                 mean_of_times(results), f"The times are of {processor()}."]
        tables = {
            "families": {"about": about, "columns": COLUMNS, "rows": [row(*one) for one in results.items()]},
            "not_made": {"columns": ["family", "why it is not here"], "rows": list(map(list, missing.items()))},
        }
        with open(options.json, "w") as file:
            file.write(text_of(tables))
    return bool(failed) or not results


def text_of(tables):
    """JSON with a line for each row."""
    parts = []
    for name, found in tables.items():
        rows = ",\n".join(f"      {json.dumps(one)}" for one in found["rows"])
        rest = "".join(f'    "{key}": {json.dumps(found[key])},\n' for key in ("about", "columns") if key in found)
        parts.append(f'  "{name}": {{\n{rest}    "rows": [\n{rows}\n    ]\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
