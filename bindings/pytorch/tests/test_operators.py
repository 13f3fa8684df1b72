# SPDX-License-Identifier: Apache-2.0
"""The operators against a computation in float64 by PyTorch: types, shapes, strides, empty tensors, gradients."""

import concurrent.futures
import importlib
import itertools
import os
import subprocess
import sys
import unittest

import torch

import jitnorm_torch
from support import TestCase, exact_layer_norm, exact_rms_norm, layer_norm, leaf, random, rms_norm, subsets

try:
    transforms = importlib.import_module("torch.func" if torch.__version__ >= "2" else "functorch")
except ImportError:
    transforms = None

TYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
NARROW = (torch.bfloat16, torch.float16)
SHAPES = [  # the input's, and how many dimensions are normalized
    ((1, 1), 1),
    ((3, 7), 1),
    ((64,), 1),
    ((2, 5, 16), 2),
    ((4, 1, 17), 1),
    ((2, 3, 4, 5), 3),
    ((2, 3, 2, 2, 3, 8), 1),
    ((40, 96), 1),
    ((3, 5000), 1),
]


class Layer(TestCase):
    def compare(self, x, shape, weight, bias, gradient, wanted=(True, True, True)):
        # statistics are float32; of equal values what they lack is divided by sqrt(eps)
        wide = 2e-5 if shape[-1] == 1 else 5e-6
        self.assert_computes(
            lambda x, *affine: layer_norm(x, shape, *affine), lambda x, *affine: exact_layer_norm(x, shape, *affine),
            (x, weight, bias), lambda got: None if got.dtype in NARROW else wide, wanted, gradient,
        )

    def test_types_and_shapes(self):
        for sizes, axes in SHAPES:
            shape = sizes[-axes:]
            for dtype in TYPES:
                for affine in {dtype, torch.float32}:
                    with self.subTest(sizes=sizes, axes=axes, dtype=dtype, affine=affine):
                        self.compare(
                            random(sizes, dtype), shape, random(shape, affine, 2), random(shape, affine, 3),
                            random(sizes, dtype, 4),
                        )

    def test_float64_is_exact_where_epsilon_matters(self):
        x = random((64, 768), torch.float64) * 0.01  # epsilon is a tenth of the variance

        def assert_exact(got, expected):
            self.assertLessEqual(((got - expected).abs().max() / expected.abs().max()).item(), 1e-12)

        assert_exact(layer_norm(x, (768,)), exact_layer_norm(x, (768,), None, None))
        assert_exact(rms_norm(x, (768,), None, 1e-5), exact_rms_norm(x, (768,), None, 1e-5))
        assert_exact(jitnorm_torch.add_layer_norm(x, -0.5 * x, (768,))[0], exact_layer_norm(0.5 * x, (768,), None, None))
        with self.assertRaises(RuntimeError):
            layer_norm(x, (768,), eps=-1e-300)

    def test_any_subset_of_tensors_and_gradients(self):
        weight, bias = random(33, seed=2), random(33, seed=3)
        for has_weight, has_bias, dtype in itertools.product([False, True], [False, True], [torch.float32, torch.bfloat16]):
            x, gradient = random((6, 33), dtype), random((6, 33), dtype, 4)
            for wanted in subsets:
                with self.subTest(weight=has_weight, bias=has_bias, dtype=dtype, wanted=wanted):
                    self.compare(x, (33,), weight if has_weight else None, bias if has_bias else None, gradient, wanted)

    def test_weight_and_bias_of_two_types(self):
        self.compare(random((6, 33), torch.bfloat16), (33,), random(33, torch.bfloat16, 2), random(33, seed=3),
                     random((6, 33), torch.bfloat16, 4))

    def test_strides(self):
        base, weight, bias = random((8, 6, 10, 12)), random(12, seed=2), random(12, seed=3)
        views = {
            "transposed rows": base.transpose(0, 2),
            "columns apart": base.transpose(1, 3)[..., :6],
            "every other row": base[::2, 1:5],
            "every other column": random((8, 6, 10, 24))[..., ::2],
            "expanded": base[:1].expand(5, 6, 10, 12),
            "five dimensions of rows": random((2, 3, 2, 3, 2, 12)).permute(4, 2, 0, 3, 1, 5),
            "an offset": base.reshape(-1)[5 : 5 + 48].view(4, 12),
        }
        for name, x in views.items():
            shape = x.shape[-1:]
            for gradient in (random(x.shape, seed=4), torch.ones(()).expand(x.shape), random(x.shape[::-1]).permute(
                    *reversed(range(x.dim())))):
                with self.subTest(name, gradient=gradient.stride()):
                    self.compare(x, shape, weight[: shape[0]], bias[: shape[0]], gradient)
                    with torch.no_grad():
                        y = layer_norm(x, shape, weight[: shape[0]], bias[: shape[0]])
                        z = layer_norm(x.contiguous(), shape, weight[: shape[0]], bias[: shape[0]])
                        self.assert_same_bits(y, z)

    def test_columns_of_several_dimensions_that_are_no_one_stride(self):
        self.compare(random((4, 6, 5)).transpose(1, 2), (5, 6), random((5, 6), seed=2), random((6, 5), seed=3).t(),
                     random((4, 5, 6), seed=4))

    def test_empty(self):
        for sizes, shape in [((0, 8), (8,)), ((3, 0, 8), (0, 8)), ((0,), (0,)), ((2, 0, 4), (4,))]:
            x, weight, bias = leaf(random(sizes)), leaf(random(shape, seed=2)), leaf(random(shape, seed=3))
            y = layer_norm(x, shape, weight, bias)
            self.assertEqual(y.shape, x.shape)
            y.sum().backward()
            for tensor in (x, weight, bias):
                self.assertEqual(tensor.grad.shape, tensor.shape)
                self.assertEqual(tensor.grad.abs().sum().item(), 0)

    def test_gradcheck(self):
        for sizes, axes in [((5, 6), 1), ((2, 3, 4), 2), ((1, 9), 1)]:
            tensors = [leaf(random(sizes, torch.float64))] + [leaf(random(sizes[-axes:], torch.float64, s)) for s in (2, 3)]
            self.assertTrue(torch.autograd.gradcheck(lambda x, w, b: layer_norm(x, sizes[-axes:], w, b), tensors))
            self.assertTrue(torch.autograd.gradcheck(lambda x, w: rms_norm(x, sizes[-axes:], w, 1e-5), tensors[:2]))

    def test_second_and_forward_mode_derivatives(self):
        x, y, w, b, heads = (leaf(random(s, torch.float64, n)) for n, s in enumerate([(3, 2, 6)] * 2 + [(6,)] * 2 + [(2, 6)], 1))
        gated, add_rms_norm = jitnorm_torch.gated_rms_norm, jitnorm_torch.add_rms_norm
        by_steps = dict(eps=1e-3, atol=2e-3, rtol=2e-3)  # statistics are float32, so smaller differences are noise
        for function, tensors in (
            (lambda x, w, b: layer_norm(x, (6,), w, b), (x, w, b)),
            (lambda x, w: layer_norm(x, (6,), w), (x, heads)),
            (lambda x: layer_norm(x, (2, 6)), (x,)),
            (lambda x, w: rms_norm(x, (6,), w, 1e-5, plus_one=True), (x, w)),
            (lambda x, w: rms_norm(x, (6,), w, 1e-5, round_normalized=True), (x, heads)),
            (lambda x, y, w: add_rms_norm(x, y, (6,), w, 1e-5), (x, y, w)),
            (lambda x, y, w, b: jitnorm_torch.add_layer_norm(x, y, (6,), w, b), (x, y, w, b)),
            (lambda x, y, w: gated(x, y, w), (x, y, w)),
            (lambda x, y, w: gated(x, y, w, norm_before_gate=False), (x, y, heads)),
        ):
            self.assertTrue(torch.autograd.gradcheck(function, tensors, check_forward_ad=True))
            self.assertTrue(torch.autograd.gradgradcheck(function, tensors, **by_steps))
        shared = leaf(random((6,), torch.float64))  # the input depends on the weight
        twice = lambda w: rms_norm(rms_norm(w, (6,), w, 1e-5), (6,), w, 1e-5)
        self.assertTrue(torch.autograd.gradgradcheck(twice, (shared,), **by_steps))

    def test_forward_mode_has_the_epsilon_of_float64(self):
        import torch.autograd.forward_ad as forward_ad

        x, eps = 1e-3 * random((3, 8), torch.float64), 1e-3
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, x)
            for made, expected in ((layer_norm(dual, (8,), eps=eps), exact_layer_norm(dual, (8,), None, None, eps)),
                                   (rms_norm(dual, (8,), None, eps), exact_rms_norm(dual, (8,), None, eps))):
                self.assert_near(forward_ad.unpack_dual(made).tangent, forward_ad.unpack_dual(expected).tangent, 1e-15)

    def test_forward_mode_refuses_what_the_operators_refuse(self):
        import torch.autograd.forward_ad as forward_ad

        x, one = random((4, 8)), random(1)
        gated, add_layer_norm = jitnorm_torch.gated_rms_norm, jitnorm_torch.add_layer_norm
        for call in (
            lambda x: layer_norm(x, (7,)),
            lambda x: layer_norm(x, ()),
            lambda x: layer_norm(x, (8,), one),
            lambda x: layer_norm(x, (8,), random(8), one),
            lambda x: layer_norm(x, (8,), random((2, 8))),
            lambda x: rms_norm(x, (8,), one),
            lambda x: rms_norm(x, (8,), random((3, 4, 8))),
            lambda x: add_layer_norm(x, x[:1], (8,)),
            lambda x: jitnorm_torch.add_rms_norm(x, x[:1], (8,)),
            lambda x: gated(x, x[:1]),
            lambda x: gated(x, x, one),
            lambda x: gated(x[0, 0], None),
        ):
            with self.assertRaises(RuntimeError) as own:
                call(x)
            with forward_ad.dual_level(), self.assertRaises(RuntimeError) as composed:
                call(forward_ad.make_dual(x, x))
            self.assertEqual(str(composed.exception).splitlines()[0], str(own.exception).splitlines()[0])

    # Forward mode over backward, whether or not autograd records backward and a tensor requires a gradient.
    def test_tangents_go_through_backward(self):
        import torch.autograd.forward_ad as forward_ad

        tensors = [random(s, torch.float64, n) for n, s in enumerate([(3, 6), (6,), (3, 6)], 1)]
        tangents = [random(t.shape, torch.float64, n) for n, t in enumerate(tensors, 5)]
        silu = torch.nn.functional.silu
        for function, exact in (
            (lambda x, w, y: layer_norm(x, (6,), w),
             lambda x, w, y: exact_rms_norm(x - x.mean(-1, keepdim=True), (6,), w, 1e-5)),
            (lambda x, w, y: rms_norm(x, (6,), w, 1e-5), lambda x, w, y: exact_rms_norm(x, (6,), w, 1e-5)),
            (lambda x, w, y: jitnorm_torch.add_rms_norm(x, y, (6,), w, 1e-5)[0],
             lambda x, w, y: exact_rms_norm(x + y, (6,), w, 1e-5)),
            (lambda x, w, y: jitnorm_torch.gated_rms_norm(x, y, w, 1e-5),
             lambda x, w, y: exact_rms_norm(x, (6,), w, 1e-5) * silu(y)),
        ):
            for which, recorded in itertools.product(range(4), (False, True)):
                results = []
                for run in (function, exact):
                    with forward_ad.dual_level():
                        given = [forward_ad.make_dual(t, d) if which == n else t.clone()
                                 for n, (t, d) in enumerate(zip(tensors, tangents))]
                        given[0].requires_grad_()
                        of_output = random((3, 6), torch.float64, 9)
                        if which == 3:
                            of_output = forward_ad.make_dual(of_output, random((3, 6), torch.float64, 10))
                        (made,) = torch.autograd.grad(run(*given), given[:1], of_output, create_graph=recorded)
                        self.assertEqual(made.requires_grad, recorded)
                        made, tangent = forward_ad.unpack_dual(made)
                        results.append((made.detach(), torch.zeros_like(made) if tangent is None else tangent.detach()))
                with self.subTest(which=which, recorded=recorded):
                    for got, expected in zip(*results):
                        self.assert_near(got, expected, 1e-6)

    def test_tangents_of_the_operators_of_backward(self):
        import torch.autograd.forward_ad as forward_ad

        x, weight, gradient = (random(s, torch.float64, n) for n, s in enumerate([(3, 6), (6,), (3, 6)], 1))
        _, rstd = torch.ops.jitnorm.rms_norm_forward(x, (6,), weight, 1e-5)
        for which in range(3):
            results = []
            with forward_ad.dual_level():
                tensors = [x, weight, gradient]
                tensors[which] = forward_ad.make_dual(tensors[which], random(tensors[which].shape, torch.float64, 5))
                made = torch.ops.jitnorm.rms_norm_backward(tensors[2], tensors[0], (6,), rstd, tensors[1], (True, True))
                own = [t.clone().requires_grad_() for t in tensors[:2]]
                expected = torch.autograd.grad(exact_rms_norm(own[0], (6,), own[1], 1e-5), own, tensors[2])
                for got, exact in zip(made, expected):
                    got, exact = forward_ad.unpack_dual(got), forward_ad.unpack_dual(exact)
                    results.append([torch.zeros(6, dtype=torch.float64) if d.tangent is None else d.tangent.detach()
                                    for d in (got, exact)])
            for got, exact in results:
                self.assert_near(got, exact, 1e-6)

    @unittest.skipIf(transforms is None, "there is no functorch")
    def test_transforms_nest(self):
        grad, hessian, jacfwd, jacrev, vmap = (getattr(transforms, n) for n in ("grad", "hessian", "jacfwd", "jacrev", "vmap"))
        tensors = [random((2, 6), torch.float64), random(6, torch.float64, 2), random((2, 6), torch.float64, 3)]
        silu, gated = (lambda y: y * torch.sigmoid(y)), jitnorm_torch.gated_rms_norm
        jvp = lambda f: lambda *t: transforms.jvp(f, t, tuple(s.sin() for s in t))[1]  # noqa: E731
        exact_layer = lambda x, w: exact_rms_norm(x - x.mean(-1, keepdim=True), (6,), w, 1e-5)  # noqa: E731
        for function, exact in (
            (lambda x, w, y: layer_norm(x, (6,), w, y[0]), lambda x, w, y: exact_layer(x, w) + y[0]),
            (lambda x, w, y: rms_norm(x, (6,), w, 1e-5), lambda x, w, y: exact_rms_norm(x, (6,), w, 1e-5)),
            (lambda x, w, y: jitnorm_torch.add_layer_norm(x, y, (6,), w)[0], lambda x, w, y: exact_layer(x + y, w)),
            (lambda x, w, y: jitnorm_torch.add_rms_norm(x, y, (6,), w, 1e-5)[0],
             lambda x, w, y: exact_rms_norm(x + y, (6,), w, 1e-5)),
            (lambda x, w, y: gated(x, y, w, 1e-5), lambda x, w, y: exact_rms_norm(x, (6,), w, 1e-5) * silu(y)),
            (lambda x, w, y: gated(x, y, w, 1e-5, norm_before_gate=False),
             lambda x, w, y: exact_rms_norm(x * silu(y), (6,), w, 1e-5)),
        ):
            for which, nest in itertools.product(range(3), (
                lambda f, i: grad(lambda *t: grad(f, i)(*t).pow(2).sum(), i)(*tensors),
                lambda f, i: hessian(f, i)(*tensors),
                lambda f, i: jacrev(jacrev(f, 0), i)(*tensors),
                lambda f, i: jacfwd(jacfwd(f, i), 0)(*tensors),
                lambda f, i: jacrev(hessian(f, i), 0)(*tensors),
                lambda f, i: torch.no_grad()(jvp(jvp(f)))(*tensors),
                lambda f, i: vmap(jacrev(grad(f, i)), (0, None, 0))(tensors[0][:, None], tensors[1], tensors[2][:, None]),
            )):
                got, expected = (nest(lambda *t: run(*t).pow(3).sum() + sum(s.pow(2).sum() for s in t), which)
                                 for run in (function, exact))
                self.assertFalse(got.requires_grad)
                self.assert_near(got, expected, 1e-5)

    def test_rounded_normalized_values(self):
        gated, add_rms_norm = jitnorm_torch.gated_rms_norm, jitnorm_torch.add_rms_norm
        for dtype in (torch.bfloat16, torch.float16) if torch.__version__ >= "2" else (torch.bfloat16,):
            for affine in (dtype, torch.float32):
                x, y, w = leaf(random((64, 96), dtype)), leaf(random((64, 96), dtype, 2)), leaf(random(96, affine, 3))

                def rounded(x):
                    double = x.double() * torch.rsqrt(x.double().pow(2).mean(-1, keepdim=True) + 1e-6)
                    return double.float().to(dtype) * w

                silu = lambda y: torch.nn.functional.silu(y.float())  # noqa: E731
                total = x + y
                for got, expected in (
                    (rms_norm(x, (96,), w, 1e-6, round_normalized=True), rounded(x)),
                    (add_rms_norm(x, y, (96,), w, 1e-6, round_normalized=True)[0], rounded(total)),
                    (gated(x, None, w, round_normalized=True), rounded(x)),
                    (gated(x, y, w, round_normalized=True), (rounded(x) * silu(y)).to(dtype)),
                ):
                    self.assertEqual(got.dtype, expected.dtype)
                    self.assertLessEqual((got != expected).double().mean().item(), 2e-3)
                    self.assertTrue(got.is_contiguous())
                    gradient = random((64, 96), got.dtype, 9)
                    for a, b in zip(*(torch.autograd.grad(r, (x, w), gradient, retain_graph=True) for r in (got, expected))):
                        self.assertEqual(a.dtype, b.dtype)
                        self.assert_near(a, b, 2**-6)

    def test_weights_with_dimensions_of_rows(self):
        for shape, rows in (((5, 4, 24), (4,)), ((3, 5, 4, 24), (5, 4)), ((3, 5, 4, 24), (5, 1))):
            for run, exact, count in (
                (lambda x, w: rms_norm(x, (24,), w, 1e-5), lambda x, w: exact_rms_norm(x, (24,), None, 1e-5) * w, 1),
                (lambda x, w: layer_norm(x, (24,), w), lambda x, w: exact_layer_norm(x, (24,), None, None) * w, 1),
                (lambda x, w, b: layer_norm(x, (24,), w, b), lambda x, w, b: exact_layer_norm(x, (24,), None, None) * w + b, 2),
            ):
                for dtype in (torch.float32, torch.bfloat16):
                    tensors = [random(shape, dtype)] + [random((*rows, 24), dtype, n) for n in range(2, 2 + count)]
                    self.assert_computes(run, exact, tensors, lambda t: 2e-5 if t.dtype == torch.float32 else 2**-6)
        meta = rms_norm(torch.empty((5, 4, 24), device="meta"), (24,), torch.empty((4, 24), device="meta"))
        self.assertEqual(meta.shape, (5, 4, 24))
        for weight in (random((3, 24)), random((5, 4, 25)), random((1, 5, 4, 24))):
            with self.assertRaises(RuntimeError):
                rms_norm(random((5, 4, 24)), (24,), weight)

    def test_a_graph_can_be_kept_and_ends(self):
        x = leaf(random((4, 8)))
        y = layer_norm(x, (8,)).pow(2).sum()
        first = torch.autograd.grad(y, x, retain_graph=True)[0]
        self.assert_same_bits(torch.autograd.grad(y, x)[0], first)
        with self.assertRaises(RuntimeError):
            torch.autograd.grad(y, x)

    # As checkpoints do: a leaf that a hook replaces must be found again.
    def test_hooks_of_saved_tensors(self):
        tensors = [leaf(random(s, torch.float64, n)) for n, s in enumerate([(4, 8), (8,), (4, 8)], 1)]
        for function in (
            lambda x, w, y: layer_norm(x, (8,), w) + y,
            lambda x, w, y: sum(jitnorm_torch.add_rms_norm(x, y, (8,), w)),
            lambda x, w, y: jitnorm_torch.gated_rms_norm(x, y, w),
            lambda x, w, y: jitnorm_torch.ada_layer_norm(x, w, y),
        ):
            expected = torch.autograd.grad(function(*tensors).pow(3).sum(), tensors)
            with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda saved: saved):
                made = function(*tensors).pow(3).sum()
            for got, exact in zip(torch.autograd.grad(made, tensors), expected):
                self.assert_same_bits(got, exact)

    def test_threads_may_go_back_through_one_graph(self):
        tensors = [leaf(random((64, 48))), leaf(random(48, seed=2)), leaf(random(48, seed=3))]
        y, gradient = layer_norm(tensors[0], (48,), *tensors[1:]), random((64, 48), seed=4)

        def differentiate(_):
            return torch.autograd.grad(y, tensors, gradient, retain_graph=True)

        expected = differentiate(None)
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            for got in threads.map(differentiate, range(200)):
                for a, b in zip(got, expected):
                    self.assert_same_bits(a, b)

    def test_a_changed_input_is_found(self):
        x = leaf(random((4, 8)))
        z = x * 1
        y = layer_norm(z, (8,))
        z.add_(1)
        with self.assertRaises(RuntimeError):
            y.sum().backward()

    def test_the_same_bits_on_any_threads_and_without_a_graph(self):
        tensors = [leaf(random((512, 768))), leaf(random(768, seed=2)), leaf(random(768, seed=3))]
        before = torch.get_num_threads()
        results = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            y = layer_norm(tensors[0], (768,), *tensors[1:])
            results.append((y.detach(), *torch.autograd.grad(y, tensors, random(y.shape, seed=4))))
            with torch.no_grad():
                self.assert_same_bits(layer_norm(tensors[0], (768,), *tensors[1:]), y.detach())
        torch.set_num_threads(before)
        for other in results[1:]:
            for got, expected in zip(other, results[0]):
                self.assert_same_bits(got, expected)

    def test_threads_are_pytorchs(self):
        program = """if True:
            import os, torch, jitnorm_torch
            def started_with(number):
                torch.set_num_threads(number)  # starts threads for something else
                before = len(os.listdir("/proc/self/task"))
                jitnorm_torch.layer_norm(x, (768,))
                return len(os.listdir("/proc/self/task")) - before
            x = torch.empty(4096, 768)
            started = [started_with(1), started_with(3)]
            assert started == [0, 2], started
        """
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)

    @unittest.skipUnless(os.path.exists("/sys/kernel/mm/transparent_hugepage"), "this system has no huge pages")
    def test_large_results_ask_for_huge_pages(self):
        def flags_of(tensor):
            with open("/proc/self/smaps", encoding="ascii") as maps:
                for line in maps:
                    words = line.split()
                    if "-" in words[0] and not words[0].endswith(":"):
                        first, last = (int(end, 16) for end in words[0].split("-"))
                    elif words[0] == "VmFlags:" and first <= tensor.data_ptr() + tensor.numel() * 2 < last:
                        return words[1:]

        x = leaf(random((1024, 8192)))  # 32 MB, which are always a mapping of their own
        y = layer_norm(x, (8192,))
        y.backward(y.detach())
        self.assertNotIn("hg", flags_of(torch.ones(1024, 8192)))
        self.assertIn("hg", flags_of(y))
        self.assertIn("hg", flags_of(x.grad))

    def test_functions_take_what_operators_take(self):
        x, residual, weight, bias = random((4, 8)), random((4, 8), seed=2), random(8, seed=3), random(8, seed=4)
        for name, arguments, numbers in (
            ("layer_norm", (x, (8,), weight, bias), (1e-3, 1)),
            ("rms_norm", (x, (8,), weight), (None, 1e-3, 1)),
            ("add_layer_norm", (x, residual, (8,), weight, bias), (1e-3, 1)),
            ("add_rms_norm", (x, residual, (8,), weight), (None, 1e-3, 1)),
            ("ada_layer_norm", (x, residual, residual, weight, bias), (1e-3, 1)),
            ("gated_rms_norm", (x, residual, weight), (1e-3, 1)),
        ):
            function, operator = getattr(jitnorm_torch, name), getattr(torch.ops.jitnorm, name)
            for eps in numbers:
                results = [f(*arguments, eps=eps) for f in (function, operator)]
                for got, expected in zip(*(r if isinstance(r, tuple) else (r,) for r in results)):
                    self.assert_same_bits(got, expected)
            results = [f(*arguments[:-1], **{"bias" if bias is arguments[-1] else "weight": arguments[-1]})
                       for f in (function, operator)]
            for got, expected in zip(*(r if isinstance(r, tuple) else (r,) for r in results)):
                self.assert_same_bits(got, expected)
            with self.assertRaises(TypeError):
                function(x)

    def test_any_sequence_is_a_shape(self):
        x = random((2, 3, 4))
        expected = layer_norm(x, (3, 4))
        for shape in ([3, 4], torch.Size((3, 4)), [True + 2, torch.tensor(4)], (torch.tensor(3), 4)):
            self.assert_same_bits(layer_norm(x, shape), expected)
        for wrong in (12, "ab", (3.0, 4.0), (2**64, 4), None, x):
            with self.assertRaises(RuntimeError):
                layer_norm(x, wrong)

    def test_a_subclass_of_tensors_has_its_say(self):
        class Counted(torch.Tensor):
            calls = []

            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                cls.calls.append(function)
                return super().__torch_function__(function, types, args, kwargs or {})

        x = random((4, 8)).as_subclass(Counted)
        before = len(Counted.calls)
        y = layer_norm(x, (8,))
        self.assertIsInstance(y, Counted)
        self.assertGreater(len(Counted.calls), before)
        self.assert_same_bits(y.as_subclass(torch.Tensor), layer_norm(x.as_subclass(torch.Tensor), (8,)))

    def test_a_mode_has_its_say(self):
        from torch.overrides import TorchFunctionMode

        class Counting(TorchFunctionMode):
            calls = 0

            def __torch_function__(self, function, types, args=(), kwargs=None):
                Counting.calls += 1
                return function(*args, **(kwargs or {}))

        x = random((4, 8))
        with Counting():
            layer_norm(x, (8,))
        self.assertGreater(Counting.calls, 0)

    # A failure is an exception, also that of the first call of a process. In a process of its own for each operator.
    def test_nothing_is_printed(self):
        for call in (
            "layer_norm(x, (8,), eps=-1.0)", "rms_norm(x, (8,), None, -1.0)", "ada_layer_norm(x, x, x, eps=-1.0)",
            "row_block(-1, 8)", "rows_of_sums(5, 3, 8, 8)", "chunk_moments(x, 3, 8, False)",
            "layer_norm_partial_backward(x, x, (8,), x[:, 0], x[:, 0], None, 3, 8, (True, True, True))",
        ):
            program = f"""if True:
                import torch, jitnorm_torch
                x = torch.ones(4, 8)
                for x in (torch.ones(99).unfold(0, 8, 3), x):
                    try:
                        torch.ops.jitnorm.{call}
                    except RuntimeError:
                        continue
                """
            environment = {name: value for name, value in os.environ.items() if name != "JITNORM_VERBOSE"}
            with self.subTest(call):
                ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, env=environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(ended.stdout, b"")

    def test_errors(self):
        x = random((4, 8))
        for call in (
            lambda: layer_norm(x, (7,)),
            lambda: layer_norm(x, ()),
            lambda: layer_norm(x, (2, 4, 8)),
            lambda: layer_norm(x, (8,), random(7)),
            lambda: layer_norm(x, (8,), random(8), random((1, 8))),
            lambda: layer_norm(x.int(), (8,)),
            lambda: layer_norm(x, (8,), eps=-1.0),
            lambda: layer_norm(x, (8,), random(8, torch.float64)),
            lambda: torch.ops.jitnorm.layer_norm_backward(x, x, (8,), x[:1, 0], x[:, 0], None, (True, False, False)),
            lambda: torch.ops.jitnorm.layer_norm_backward(x, x, (8,), x[:, 0], x[:1, 0], None, (True, False, False)),
            lambda: torch.ops.jitnorm.rms_norm_backward(x, x, (8,), x[:1, 0], None, (True, False)),
            lambda: torch.ops.jitnorm.layer_norm_backward(x[:3], x, (8,), x[:, 0], x[:, 0], None, (True, False, False)),
        ):
            with self.assertRaises(RuntimeError):
                call()

    def test_mistakes_name_the_argument_and_what_is_right(self):
        x, integers, ops = random((4, 8)), torch.ones(8, dtype=torch.int32), torch.ops.jitnorm
        types = "jitnorm normalizes float32, bfloat16, float16 and float64, but {} is Int"
        for call, reason in (
            (lambda: layer_norm(x.int(), (8,)), types.format("the input")),
            (lambda: layer_norm(x, (8,), integers), types.format("weight or bias")),
            (lambda: layer_norm(x, (4,)), r"normalized_shape \[4\] is not the end of the input's shape \[4, 8\]"),
            (lambda: layer_norm(x, (8,), random(7)), r"weight and bias must have the shape \[8\], not \[7\]"),
            (lambda: layer_norm(x, (8,), random(8).to("meta")), "all tensors must be on one device, not on meta and cpu"),
            (lambda: ops.add_layer_norm(x, random((4, 7)), (8,)), r"the residual must have the shape \[4, 8\], not \[4, 7\]"),
            (lambda: jitnorm_torch.add_layer_norm(x, None, (8,)), "the residual is missing"),
            (lambda: ops.add_layer_norm(x, x.int(), (8,)), types.format("the residual")),
            (lambda: ops.gated_rms_norm(x, random((4, 9))), r"the gate must have the shape \[4, 8\], not \[4, 9\]"),
            (lambda: ops.ada_layer_norm(x, random((3, 8)), random((3, 8))),
             r"scale has the shape \[3, 8\], which does not fit to the input's, \[4, 8\]"),
        ):
            with self.assertRaisesRegex(RuntimeError, reason):
                call()


class Rms(TestCase):
    def test_types_and_shapes(self):
        for sizes, axes in SHAPES:
            shape = sizes[-axes:]
            for dtype in TYPES:
                for eps in (None, 1e-5):
                    with self.subTest(sizes=sizes, axes=axes, dtype=dtype, eps=eps):
                        self.compare(random(sizes, dtype), shape, random(shape, dtype, 2), eps)

    def compare(self, x, shape, weight, eps):
        exact_eps = eps or torch.finfo(torch.promote_types(x.dtype, torch.float32)).eps
        # of one element the gradient is what is left of a difference
        wide = float("inf") if shape == (1,) else 5e-6
        self.assert_computes(
            lambda x, weight: rms_norm(x, shape, weight, eps), lambda x, weight: exact_rms_norm(x, shape, weight, exact_eps),
            (x, weight), lambda got: None if got.dtype in NARROW and shape != (1,) else wide,
        )

    def test_without_a_weight(self):
        x = random((5, 40))
        self.assert_near(rms_norm(x, (40,), None, 1e-6), exact_rms_norm(x, (40,), None, 1e-6))


if __name__ == "__main__":
    unittest.main()
