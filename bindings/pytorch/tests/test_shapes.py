# SPDX-License-Identifier: Apache-2.0
"""The operators on tensors without data, and what tracers see of them."""

import unittest

import torch

from jitnorm_torch import ada_layer_norm, gated_rms_norm
from support import TestCase, layer_norm, leaf, random, rms_norm

OPERATORS = torch.ops.jitnorm


def calls(device):
    def at(*shape, dtype=torch.bfloat16):
        return torch.ones(shape, dtype=dtype, device=device)

    x, weight, statistics = at(3, 5, 8), at(5, 8, dtype=torch.float32), at(3, 1, 1, dtype=torch.float32)
    by_batch, vector, of_heads = at(3, 8), at(8, dtype=torch.float32), at(5, 8, dtype=torch.float32)
    statistics_of_columns = at(3, 5, 1, dtype=torch.float32)
    shape = (5, 8)
    return {
        "layer_norm": (x, shape, weight, weight),
        "layer_norm_forward": (x, shape, weight, weight, 1e-5),
        "layer_norm_backward": (x, x, shape, statistics, statistics, weight, (True, True, True), x),
        "rms_norm": (x, shape, weight),
        "add_layer_norm": (x, x, shape, weight, weight),
        "add_layer_norm_forward": (x, weight.expand(3, 5, 8), shape, weight, weight, 1e-5),
        "add_rms_norm": (x, at(3, 5, 8, dtype=torch.float16), shape, weight),
        "add_rms_norm_forward": (x, x, shape, weight, None),
        "rms_norm_forward": (x, shape, weight, None),
        "ada_layer_norm": (x, by_batch, by_batch, vector, vector),
        "ada_layer_norm_forward": (x, by_batch, by_batch, None, None, 1e-5),
        "ada_layer_norm_backward": (x, x, by_batch, x, statistics_of_columns, statistics_of_columns, vector, vector, (True,) * 5),
        "ada_layer_norm of places": (x, at(5, 8), at(8)),
        "rms_norm_int8": (x, shape, weight),
        "ada_layer_norm_int8": (x, by_batch, by_batch, vector, vector, 1e-5, at(1, dtype=torch.float32)),
        "gated_rms_norm": (x, x, of_heads),
        "gated_rms_norm_forward": (x, x, vector, 1e-6),
        "gated_rms_norm_backward": (x, x, statistics_of_columns, x, of_heads, (True, True, True)),
        "rms_norm_backward": (x, x, shape, statistics, weight, (True, False), x),
    }


def operator_of(name):
    return getattr(OPERATORS, name.split()[0])


class Shapes(TestCase):
    def test_tensors_without_data_are_as_those_with(self):
        for name, arguments in calls("cpu").items():
            with self.subTest(name), torch.no_grad():
                real = operator_of(name)(*arguments)
                bare = operator_of(name)(*calls("meta")[name])
                for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (real, bare))):
                    self.assertEqual(a is None, b is None)
                    if a is not None:
                        self.assertEqual((a.shape, a.dtype, a.stride()), (b.shape, b.dtype, b.stride()))
                        self.assertEqual(b.device.type, "meta")

    def test_gradients_of_tensors_that_are_absent(self):
        for device in ("cpu", "meta"):
            x, rstd = random((3, 5, 8)).to(device), torch.ones((3, 5, 1), device=device)
            leaves = [(x, False), (x, True)] if device == "cpu" else [(x, False)]
            for tensor, requires in leaves:
                x = tensor.detach().requires_grad_(requires)
                for made, there in (
                    (OPERATORS.layer_norm_backward(x, x, (8,), rstd, rstd, None, (True, True, True)), "101"),
                    (OPERATORS.layer_norm_backward(x, x, (8,), rstd, rstd, None, (True, True, False)), "100"),
                    (OPERATORS.rms_norm_backward(x, x, (8,), rstd, None, (True, True)), "10"),
                    (OPERATORS.rms_norm_backward(x, x, (8,), rstd, None, (False, True)), "00"),
                    (OPERATORS.gated_rms_norm_backward(x, x, rstd, None, None, (True,) * 3), "100"),
                    (OPERATORS.ada_layer_norm_backward(x, x, x, x, rstd, rstd, None, None, (True,) * 5), "11100"),
                ):
                    self.assertEqual("".join("01"[one is not None] for one in made), there)
                narrow = x.detach().bfloat16()
                made = OPERATORS.layer_norm_backward(narrow, narrow, (8,), rstd, rstd, None, (True, True, True))
                self.assertEqual(made[2].dtype, torch.float32)

    def test_refuse_what_tensors_with_data_refuse(self):
        x, weight = torch.ones(3, 8, device="meta"), torch.ones(7, device="meta")
        for name, arguments in {
            "layer_norm": (x, (7,)), "rms_norm": (x, ()), "layer_norm_forward": (x, (8,), weight, None, 1e-5),
            "layer_norm of heads": (x, (8,), x[:1], x[0]),
            "ada_layer_norm": (x, weight, x), "gated_rms_norm": (x, x[:1]), "gated_rms_norm_forward": (x, x, weight, 1e-6),
            "add_layer_norm": (x, x[:2], (8,)), "add_rms_norm": (x, x.int(), (8,)),
            "rms_norm_backward": (x, x, (8,), x[:, :1], weight, (True, True)),
        }.items():
            with self.subTest(name), self.assertRaises(RuntimeError):
                operator_of(name)(*arguments)

    def test_tensors_of_two_devices_are_refused(self):
        for name, arguments in calls("cpu").items():
            operator, bare = operator_of(name).default, calls("meta")[name]
            for i, argument in enumerate(arguments):
                if not isinstance(argument, torch.Tensor):
                    continue
                mixed = arguments[:i] + (bare[i],) + arguments[i + 1 :]
                with self.subTest(name, of=i):
                    with self.assertRaisesRegex(RuntimeError, "must be on one device, not on meta and cpu"):
                        operator(*mixed)
                    with self.assertRaisesRegex(RuntimeError, "normalizes tensors on the CPU, but .* is on meta"):
                        operator._op_dk(torch._C.DispatchKey.CPU, *mixed)

    def test_tracing_sees_forward_and_backward(self):
        from torch.fx.experimental.proxy_tensor import make_fx

        def step(x, weight):
            y = layer_norm(x, (8,), weight).sum() + rms_norm(x, (8,), weight).pow(2).sum()
            y = y + ada_layer_norm(x, x, weight.expand(4, 8)).sum() + gated_rms_norm(x, x * 2, weight).sum()
            return torch.autograd.grad(y, (x, weight))

        x, weight = leaf(random((4, 8))), leaf(random(8, seed=2))
        for mode in ("real", "fake"):
            traced = make_fx(step, tracing_mode=mode)(x, weight)
            targets = [str(node.target) for node in traced.graph.nodes]
            for name in ("layer_norm_forward", "layer_norm_backward", "rms_norm_forward", "rms_norm_backward",
                         "ada_layer_norm_forward", "ada_layer_norm_backward", "gated_rms_norm_forward", "gated_rms_norm_backward"):
                self.assertTrue(any(name in target for target in targets), f"{mode}: no {name} in {targets}")
            for got, expected in zip(traced(x, weight), step(x, weight)):
                self.assert_same_bits(got, expected)

    @unittest.skipUnless(hasattr(torch, "compile"), "torch.compile came with PyTorch 2")
    def test_compile(self):
        tensors = leaf(random((4, 8))), leaf(random(8, seed=2)), leaf(random(8, seed=3))

        def step(x, weight, bias):
            y = layer_norm(x * 2, (8,), weight, bias)
            return gated_rms_norm(ada_layer_norm(y, x, x, weight), x, bias).pow(2).sum()

        compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
        for got, expected in zip(torch.autograd.grad(compiled(*tensors), tensors), torch.autograd.grad(step(*tensors), tensors)):
            self.assert_same_bits(got, expected)

    @unittest.skipUnless(hasattr(torch.library, "opcheck"), "torch.library.opcheck came with PyTorch 2.4")
    def test_opcheck(self):
        for name in ("rms_norm", "ada_layer_norm", "gated_rms_norm"):
            x, vector = leaf(random((3, 5, 8))), leaf(random(8, seed=2))
            arguments = {"rms_norm": (x, (8,), vector, 1e-5, True), "ada_layer_norm": (x, leaf(random((3, 8))), x, vector, vector),
                         "gated_rms_norm": (x, leaf(random((3, 5, 8), seed=3)), leaf(random((5, 8), seed=4)))}[name]
            with self.subTest(name):
                torch.library.opcheck(getattr(OPERATORS, name).default, arguments)

    def test_scripting_and_tracing(self):
        import jitnorm_torch

        model = torch.nn.Sequential(jitnorm_torch.LayerNorm(8), jitnorm_torch.RMSNorm(8, eps=1e-5)).eval()
        x, other = random((4, 8)), random((3, 8), seed=2)
        for made in (torch.jit.script(model), torch.jit.trace(model, x)):
            self.assert_same_bits(made(other), model(other))
            self.assertIn("jitnorm::layer_norm", str(made.inlined_graph))
        for function, arguments in ((ada_layer_norm, (x, x, other[:1])), (gated_rms_norm, (x, x, other[0])),
                                    (gated_rms_norm, (x, x, None, 1e-5, False))):
            made = torch.jit.script(function)
            self.assertIn("jitnorm::" + function.__name__, str(made.inlined_graph))
            self.assert_same_bits(made(*arguments), function(*arguments))

    @unittest.skipUnless(hasattr(torch, "export"), "torch.export came with PyTorch 2.1")
    def test_export(self):
        import jitnorm_torch

        model = torch.nn.Sequential(jitnorm_torch.LayerNorm(8), jitnorm_torch.RMSNorm(8)).eval()
        x = random((4, 8))
        exported = torch.export.export(model, (x,))
        targets = [str(node.target) for node in exported.graph.nodes]
        self.assertTrue(any("jitnorm" in target for target in targets), targets)
        self.assert_same_bits(exported.module()(x), model(x))


class Versions(TestCase):
    def test_a_wheel_fits_to_its_minor_version(self):
        from jitnorm_torch import _needs

        for built_with, version, fits in (
            ("2.1", "2.1.0+cpu", True), ("2.1", "2.14.0", False), ("2.14", "2.14.0a0", True), ("2.14", "2.1.4", False),
            ("", "1.13.1", True),
        ):
            self.assertEqual(_needs._fits(built_with, version), fits, (built_with, version))


class Modules(TestCase):
    def test_state_and_results_are_those_of_torch(self):
        import jitnorm_torch

        own, theirs = jitnorm_torch.LayerNorm((5, 8)), torch.nn.LayerNorm((5, 8))
        theirs.load_state_dict(own.state_dict())
        x = random((3, 5, 8))
        self.assert_near(own(x), theirs(x).detach())
        self.assertEqual(repr(own), repr(theirs))
        for plus_one in (False, True):
            rms = jitnorm_torch.RMSNorm(8, eps=1e-5, device="meta", plus_one=plus_one).to_empty(device="cpu")
            rms.reset_parameters()
            self.assertEqual(rms.weight.tolist(), [float(not plus_one)] * 8)
        rms = jitnorm_torch.RMSNorm(8, eps=1e-5)
        self.assertEqual([name for name, _ in rms.named_parameters()], ["weight"])
        self.assert_same_bits(rms(x), rms_norm(x, (8,), rms.weight, 1e-5))
        self.assertEqual(len(list(jitnorm_torch.RMSNorm(8, elementwise_affine=False).parameters())), 0)


if __name__ == "__main__":
    unittest.main()
