# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own layer_norm with jitnorm in its place, and unchanged models on it."""

import concurrent.futures
import inspect
import io
import subprocess
import sys
import threading
import unittest

import torch
from torch.nn import functional

import jitnorm_torch
from support import TestCase, exact_layer_norm, layer_norm, leaf, random, rms_norm


class Override(TestCase):
    def tearDown(self):
        jitnorm_torch.restore()

    def test_is_there_only_when_asked_for(self):
        x, weight, bias = random((37, 768)), random(768, seed=2), random(768, seed=3)
        before = functional.layer_norm(x, (768,), weight, bias)
        jitnorm_torch.override()
        jitnorm_torch.override()
        self.assert_same_bits(functional.layer_norm(x, (768,), weight, bias), layer_norm(x, (768,), weight, bias))
        self.assertFalse(torch.equal(functional.layer_norm(x, (768,), weight, bias), before), "nothing was overridden")
        jitnorm_torch.restore()
        self.assert_same_bits(functional.layer_norm(x, (768,), weight, bias), before)
        with jitnorm_torch.overridden():
            with jitnorm_torch.overridden():
                pass
            self.assert_same_bits(functional.layer_norm(x, (768,), weight, bias), layer_norm(x, (768,), weight, bias))
        self.assert_same_bits(functional.layer_norm(x, (768,), weight, bias), before)

    def is_on(self):
        x = random((5, 768))
        return torch.equal(functional.layer_norm(x, (768,)), layer_norm(x, (768,)))

    # The first thread leaves while the second is still inside.
    def test_scopes_of_two_threads_overlap(self):
        first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

        def second():
            first_is_in.wait()
            with jitnorm_torch.overridden():
                second_is_in.set()
                first_is_out.wait()
                return self.is_on()

        self.assertFalse(self.is_on())
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            inside = threads.submit(second)
            with jitnorm_torch.overridden():
                first_is_in.set()
                second_is_in.wait()
            first_is_out.set()
            self.assertTrue(inside.result())
        self.assertFalse(self.is_on())

    def test_a_scope_lasts_to_its_end(self):
        with jitnorm_torch.overridden():
            jitnorm_torch.restore()
            self.assertTrue(self.is_on())
        self.assertFalse(self.is_on())
        with jitnorm_torch.overridden():
            jitnorm_torch.override()
        self.assertTrue(self.is_on())

    # Both kinds of results are right, and no other comes out, while other threads switch. In a process of its own, which
    # also registers the override while threads compute.
    def test_threads_switch_while_others_normalize(self):
        program = """if True:
            import concurrent.futures, time, torch, jitnorm_torch
            from torch.nn import functional
            torch.set_num_threads(1)
            torch.manual_seed(1)
            x, weight, bias = torch.randn(3, 40), torch.randn(40), torch.randn(40)
            leaf = x.clone().requires_grad_()
            def both():
                return functional.layer_norm(x, (40,), weight, bias), torch.autograd.grad(
                    functional.layer_norm(leaf, (40,), weight, bias).sum(), leaf)[0]
            expected, end = both(), time.monotonic() + 4
            def normalize(_):
                while time.monotonic() < end:
                    for _ in range(100):
                        for got, wanted in zip(both(), expected):
                            assert (got - wanted).abs().max() < 1e-5, (got, wanted)
            def switch(number):
                while time.monotonic() < end:
                    for _ in range(100):
                        if number % 2:
                            jitnorm_torch.override()
                            jitnorm_torch.restore()
                        else:
                            with jitnorm_torch.overridden():
                                pass
            with concurrent.futures.ThreadPoolExecutor(8) as threads:
                work = [threads.submit(normalize, n) for n in range(4)] + [threads.submit(switch, n) for n in range(4)]
                for job in work:
                    job.result()
            before = functional.layer_norm(x, (40,), weight, bias)
            assert torch.equal(before, expected[0]), "the override is still on"
        """
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)

    # Forward's statistics are float32 if jitnorm has made them, and PyTorch's backward takes those of its own only.
    def test_switched_between_forward_and_backward(self):
        for dtype in (torch.float32, torch.bfloat16):
            for affine in (dtype, torch.float32):
                x, weight, bias = leaf(random((5, 40), dtype)), leaf(random(40, affine, 2)), leaf(random(40, affine, 3))
                gradient = random((5, 40), dtype, 4)
                exact = torch.autograd.grad(exact_layer_norm(x, (40,), weight, bias), (x, weight, bias), gradient.double())
                outputs, got = [], []
                if affine == dtype or torch.__version__ >= "2":  # the first version takes no wider weight and bias
                    outputs.append(functional.layer_norm(x, (40,), weight, bias))
                with jitnorm_torch.overridden():
                    got += [torch.autograd.grad(output, (x, weight, bias), gradient) for output in outputs]
                    after = functional.layer_norm(x, (40,), weight, bias)
                got.append(torch.autograd.grad(after, (x, weight, bias), gradient))
                for gradients in got:
                    for a, b in zip(gradients, exact):
                        self.assert_near(a, b, 2**-6 if dtype == torch.bfloat16 else None)

    def test_gradients(self):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            x, weight, bias = leaf(random((4, 6, 40), dtype)), leaf(random(40, dtype, 2)), leaf(random(40, dtype, 3))
            gradient = random((6, 4, 40), dtype, 4).transpose(0, 1)
            expected = torch.autograd.grad(exact_layer_norm(x, (40,), weight, bias), (x, weight, bias), gradient.double())
            with jitnorm_torch.overridden():
                got = torch.autograd.grad(functional.layer_norm(x, (40,), weight, bias), (x, weight, bias), gradient)
                own = torch.autograd.grad(layer_norm(x, (40,), weight, bias), (x, weight, bias), gradient)
            for a, b, c in zip(got, expected, own):
                self.assert_near(a, b, 2e-6 if dtype == torch.float32 else None)
                self.assert_same_bits(a, c)

    def test_statistics_of_narrow_types_are_taken_too(self):
        x, weight = random((5, 40)), random(40, seed=2)
        _, mean, rstd = torch.native_layer_norm(x, (40,), weight, None, 1e-5)
        with jitnorm_torch.overridden():
            _, own_mean, own_rstd = torch.native_layer_norm(x, (40,), weight, None, 1e-5)
            self.assert_near(own_mean, mean)
            self.assert_near(own_rstd, rstd)
            backward = torch.ops.aten.native_layer_norm_backward
            arguments = (torch.ones(5, 40), x, (40,))
            rest = (weight, None, (True, True, False))
            rounded = backward(*arguments, mean.bfloat16(), rstd.bfloat16(), *rest)
            same = backward(*arguments, mean.bfloat16().float(), rstd.bfloat16().float(), *rest)
        self.assert_same_bits(rounded[0], same[0])
        self.assert_same_bits(rounded[1], same[1])
        self.assertIsNone(rounded[2])

    def test_other_types_stay_pytorchs(self):
        x = random((5, 40), torch.float64)
        before = functional.layer_norm(x, (40,))
        with jitnorm_torch.overridden():
            self.assert_same_bits(functional.layer_norm(x, (40,)), before)
            with self.assertRaises(RuntimeError):
                functional.layer_norm(x.int(), (40,))

    def test_errors_are_pytorchs(self):
        x, weight, backward = random((4, 8)), random(8, seed=2), torch.ops.aten.native_layer_norm_backward
        mean, rstd = torch.native_layer_norm(x, (8,), None, None, 1e-5)[1:]
        for call in (
            lambda: functional.layer_norm(x, (7,)),
            lambda: functional.layer_norm(x, ()),
            lambda: functional.layer_norm(x, (2, 4, 8)),
            lambda: functional.layer_norm(x, (8,), weight[1:]),
            lambda: functional.layer_norm(x, (8,), weight, weight.view(1, 8)),
            lambda: functional.layer_norm(x, (8,), weight.view(1, 8)),
            lambda: functional.layer_norm(x, (8,), weight.view(1, 8), weight.view(1, 8)),
            lambda: backward(x, x, (8,), mean, rstd, weight.view(1, 8), None, (True, True, False)),
            lambda: functional.layer_norm(x, (8,), weight.double()),
            lambda: functional.layer_norm(x, (8,), weight.int()),
            lambda: backward(x, x, (7,), mean, rstd, None, None, (True, False, False)),
            lambda: backward(x, x, (8,), mean, rstd, weight[1:], None, (True, True, False)),
        ):
            with self.assertRaises(RuntimeError) as torchs:
                call()
            with jitnorm_torch.overridden(), self.assertRaises(RuntimeError) as own:
                call()
            self.assertTrue(str(own.exception).startswith(str(torchs.exception).splitlines()[0]), str(own.exception))
        with jitnorm_torch.overridden(), self.assertRaises(RuntimeError):  # PyTorch would read beyond the gradient
            backward(x[:2], x, (8,), mean, rstd, None, None, (True, False, False))

    def test_what_pytorch_takes_is_taken(self):
        x = random((4, 8))
        before = functional.layer_norm(x, (8,), eps=-1.0)
        self.assertTrue(before.isnan().any())
        with jitnorm_torch.overridden():
            self.assert_same_bits(functional.layer_norm(x, (8,), eps=-1.0).nan_to_num(), before.nan_to_num())

    def test_models_are_exported_to_onnx(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
        scripted = "dynamo" in inspect.signature(torch.onnx.export).parameters  # there is another exporter, too
        how = {"dynamo": False} if scripted else {}
        graph = io.BytesIO()
        with jitnorm_torch.overridden():
            torch.onnx.export(model, (random((4, 8)),), graph, opset_version=17, **how)
        self.assertIn(b"LayerNormalization", graph.getvalue())

    def test_a_second_derivative(self):
        x = leaf(random((5, 12)))

        def second():
            (first,) = torch.autograd.grad(functional.layer_norm(x, (12,)).pow(3).sum(), x, create_graph=True)
            return torch.autograd.grad(first.pow(2).sum(), x)[0]

        expected = second()
        with jitnorm_torch.overridden():
            self.assert_near(second(), expected, 1e-4)


# PyTorch 2.9 and later compute rms_norm by an operator, which the override replaces.
FUSED = "CompositeImplicitAutograd" in torch._C._dispatch_dump("aten::_fused_rms_norm") if torch.__version__ >= "2" else False


@unittest.skipUnless(FUSED, "PyTorch's rms_norm is a chain of operators")
class OverriddenRms(TestCase):
    def test_results_gradients_and_types(self):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for affine in (dtype, None):
                for eps in (None, 1e-5):
                    x = leaf(random((4, 6, 40), dtype))
                    tensors = (x,) if affine is None else (x, leaf(random(40, affine, 2)))
                    gradient = random((6, 4, 40), dtype, 4).transpose(0, 1)
                    with self.subTest(dtype=dtype, affine=affine, eps=eps):
                        self.compare(tensors, gradient, eps)

    def compare(self, tensors, gradient, eps):
        def run(function):
            output = function(tensors[0], (40,), *(tensors[1:] or (None,)), eps)
            return (output, *torch.autograd.grad(output, tensors, gradient))

        theirs, own = run(functional.rms_norm), run(rms_norm)
        with jitnorm_torch.overridden():
            overridden = run(functional.rms_norm)
            with torch.inference_mode():
                self.assert_same_bits(functional.rms_norm(tensors[0], (40,), *(tensors[1:] or (None,)), eps), own[0])
        for got, expected, torchs in zip(overridden, own, theirs):
            self.assert_same_bits(got, expected)
            self.assert_near(got, torchs, 1e-5 if got.dtype == torch.float32 else 2**-6)
        for got, expected in zip(run(functional.rms_norm), theirs):
            self.assert_same_bits(got, expected)

    def test_a_module_is_overridden(self):
        norm, x = torch.nn.RMSNorm(768), leaf(random((37, 768)))
        before = norm(x)
        with jitnorm_torch.overridden():
            self.assert_same_bits(norm(x), rms_norm(x, (768,), norm.weight))
            self.assertIn("Jitnorm", norm(x).grad_fn.name())
            self.assertFalse(torch.equal(norm(x), before), "nothing was overridden")
        self.assert_same_bits(norm(x), before)

    def test_what_stays_pytorchs(self):
        double, x = random((5, 40), torch.float64), random((5, 40))
        cases = (double, None), (x, random(40, torch.float64, 2)), (x.bfloat16(), random(40, seed=2)), (torch.complex(x, x), None)
        before = [functional.rms_norm(a, (40,), w) for a, w in cases]
        with jitnorm_torch.overridden():
            for (a, w), expected in zip(cases, before):
                self.assert_same_bits(functional.rms_norm(a, (40,), w), expected)
            with self.assertRaises(RuntimeError):
                functional.rms_norm(x, (41,))

    def test_a_second_derivative_and_forward_mode(self):
        x, weight = leaf(random((5, 12))), leaf(random(12, seed=2))

        def derivatives():
            first = torch.autograd.grad(functional.rms_norm(x, (12,), weight, 1e-5).pow(3).sum(), (x, weight), create_graph=True)
            second = torch.autograd.grad(sum(g.pow(2).sum() for g in first), (x, weight))
            _, tangent = torch.func.jvp(lambda t: functional.rms_norm(t, (12,), weight, 1e-5), (x,), (random((5, 12), seed=3),))
            gradient = torch.func.grad(lambda t: functional.rms_norm(t, (12,), weight, 1e-5).sum())(x.detach())
            each = torch.func.vmap(lambda t: functional.rms_norm(t, (12,), weight, 1e-5))(x)
            return (*second, tangent, gradient, each)

        expected = derivatives()
        with jitnorm_torch.overridden():
            for got, wanted in zip(derivatives(), expected):
                self.assert_near(got, wanted, 1e-5)

    def test_what_a_compiler_traces_stays_pytorchs(self):
        norm, x = torch.nn.RMSNorm(40), leaf(random((5, 40)))
        graphs = []

        def backend(graph, _):
            graphs.append([str(node.target) for node in graph.graph.nodes])
            return graph.forward

        from torch._dynamo.backends.common import aot_autograd

        expected = norm(x).detach()
        with jitnorm_torch.overridden():
            got = torch.compile(norm, backend=aot_autograd(fw_compiler=backend), fullgraph=True)(x)
        self.assert_near(got.detach(), expected)
        self.assertTrue(graphs)
        self.assertFalse([name for names in graphs for name in names if "jitnorm" in name])


class UnchangedModel(TestCase):
    def losses(self, steps=8):
        torch.manual_seed(7)
        layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(32)), torch.nn.Linear(32, 1))
        optimizer = torch.optim.Adam(model.parameters(), 1e-3)
        x, wanted = random((8, 12, 32)), random((8, 12, 1), seed=2)
        losses = []
        for _ in range(steps):
            loss = functional.mse_loss(model(x), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            losses.append(functional.mse_loss(model(x), wanted).item())
        return losses

    def test_transformer_encoder_trains_as_without(self):
        own = self.losses()
        with jitnorm_torch.overridden():
            overridden = self.losses()
        self.assertLess(own[-1], own[0])
        for a, b in zip(own, overridden):
            self.assertAlmostEqual(a, b, delta=1e-4 * abs(a))
        self.assertNotEqual(own, overridden, "nothing was overridden")


if __name__ == "__main__":
    unittest.main()
