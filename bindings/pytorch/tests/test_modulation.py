# SPDX-License-Identifier: Apache-2.0
"""ada_layer_norm, gated_rms_norm and weights stored minus one, against a computation in float64 by PyTorch: types, shapes
of the parameters, strides, gradients."""

import functools
import itertools
import unittest

import torch

import jitnorm_torch
from jitnorm_torch import ada_layer_norm, add_rms_norm, gated_rms_norm
from support import BOUND, TestCase, leaf, random, rms_norm

TYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
NARROW = (torch.bfloat16, torch.float16)


def exact_ada(x, scale, shift, weight=None, bias=None, eps=1e-5):
    scale, shift = (t.unsqueeze(-2) if x.dim() > 1 and t.shape[:-1] == x.shape[:-2] else t for t in (scale, shift))
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps) * (1 + scale) + shift


def exact_gated(x, gate, weight, eps=1e-6, norm_before_gate=True):
    factor = 1 if gate is None else torch.nn.functional.silu(gate)
    x = x if norm_before_gate else x * factor
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    y = y if weight is None else y * weight
    return y * factor if norm_before_gate else y


class Against(TestCase):
    def compare(self, function, exact, tensors, bound=None, wanted=None):
        def bound_of(got):
            if bound is not None:
                return bound
            # what is rounded on the way is x's type, if it is narrow
            narrow = [t.dtype for t in (tensors[0], got) if t.dtype in NARROW]
            # statistics are float32; of equal values what they lack is divided by sqrt(eps)
            wide = 2e-5 if tensors[0].shape[-1] == 1 else 1e-6 if tensors[0].dtype == torch.float64 else 5e-6
            return max(BOUND[t] for t in narrow) if narrow else wide

        self.assert_computes(function, exact, tensors, bound_of, wanted, bound=bound)


class Ada(Against):
    def test_types_and_shapes_of_modulations(self):
        for x, modulation in {
            ((3, 5, 48), (3, 1, 48)), ((3, 5, 48), (3, 48)),  # by batch
            ((2, 3, 4, 48), (2, 3, 1, 48)), ((2, 3, 4, 48), (2, 1, 4, 48)),  # by frame; by place in a frame
            ((2, 3, 4, 48), (1, 3, 1, 48)),
            ((3, 5, 48), (3, 5, 48)), ((3, 5, 48), (1, 1, 48)),  # by token; one for all
            ((5, 48), (48,)), ((5, 1), (5, 1)), ((48,), (48,)),
            ((3, 5, 48), (48,)), ((3, 5, 48), (5, 48)), ((2, 3, 4, 48), (3, 4, 48)),  # as PyTorch broadcasts
            ((2, 3, 4, 48), (4, 48)), ((2, 3, 4, 48), (3, 1, 48)), ((2, 3, 4, 48), (1, 48)), ((1, 5, 48), (5, 48)),
        }:
            for dtype, of_modulation in itertools.chain(((t, t) for t in TYPES), ((t, torch.float32) for t in NARROW)):
                for affine in (False, True):
                    with self.subTest(x=x, modulation=modulation, dtype=dtype, of=of_modulation, affine=affine):
                        tensors = [random(x, dtype), random(modulation, of_modulation, 2), random(modulation, of_modulation, 3)]
                        if affine:
                            tensors += [random(x[-1:], of_modulation, 4), random(x[-1:], of_modulation, 5)]
                        self.compare(ada_layer_norm, exact_ada, tensors)

    def test_scale_and_shift_of_two_shapes_and_types(self):
        x = random((2, 3, 4, 20))
        shapes = ((2, 1, 1, 20), (2, 3, 1, 20), (1, 1, 4, 20), (2, 3, 20), (2, 3, 4, 20))
        for scale, shift in itertools.product(shapes, shapes):
            with self.subTest(scale=scale, shift=shift):
                self.compare(ada_layer_norm, exact_ada, (x, random(scale, seed=2), random(shift, torch.bfloat16, 3)))
                self.compare(ada_layer_norm, exact_ada, (x, random(scale, seed=2), random(shift, seed=3), random(20, seed=4)))

    def test_modulations_of_each_batch_come_first(self):
        x, scale, shift = random((5, 5, 20)), random((5, 20), seed=2), random((5, 20), seed=3)
        self.assert_same_bits(ada_layer_norm(x, scale, shift), ada_layer_norm(x, scale.unsqueeze(1), shift.unsqueeze(1)))

    def test_any_subset_requires_a_gradient(self):
        tensors = (random((3, 5, 20)), random((3, 20), seed=2), random((3, 20), seed=3), random(20, seed=4), random(20, seed=5))
        for has in itertools.product([False, True], repeat=2):
            given = tensors[:3] + tuple(t if h else None for t, h in zip(tensors[3:], has))
            for wanted in itertools.product([False, True], repeat=5):
                with self.subTest(has=has, wanted=wanted):
                    self.compare(ada_layer_norm, exact_ada, given, wanted=wanted)

    def test_strides(self):
        def chunk(shape, seed):
            return random((*shape[:-1], 6 * shape[-1]), seed=seed).chunk(6, dim=-1)[seed]

        base, weight, bias = random((8, 6, 10, 12)), random(12, seed=4), random(12, seed=5)
        views = {
            "chunks": (base, chunk((8, 1, 1, 12), 2), chunk((8, 1, 1, 12), 3)),
            "chunks of frames": (base, chunk((8, 6, 12), 2), chunk((8, 6, 12), 3)),
            "chunks of tokens": (base, chunk((8, 6, 10, 12), 2), chunk((8, 6, 10, 12), 3)),
            "transposed rows": (base.transpose(0, 2), random((6, 10, 12), seed=2).transpose(0, 1), random((10, 6, 12), seed=3)),
            "every other column": (random((8, 6, 24))[..., ::2], random((8, 24), seed=2)[..., ::2], random((8, 12), seed=3)),
            "expanded": (base, random((8, 1, 1, 12), seed=2).expand(8, 6, 10, 12), random((8, 6, 1, 12), seed=3).expand(-1, -1, 10, -1)),
            "an expanded input": (base[:1].expand(5, 6, 10, 12), random((5, 6, 12), seed=2), random((5, 6, 12), seed=3)),
            "strides that need too many dimensions": (
                random((2, 3, 2, 3, 2, 12)).permute(4, 2, 0, 3, 1, 5), random((2, 2, 2, 3, 12), seed=2), random((2, 2, 2, 3, 12), seed=3)),
        }
        for name, tensors in views.items():
            for affine in ((), (weight, bias)):
                with self.subTest(name, affine=bool(affine)):
                    self.compare(ada_layer_norm, exact_ada, tensors + affine)
                    with torch.no_grad():
                        self.assert_same_bits(ada_layer_norm(*tensors, *affine),
                                              ada_layer_norm(*(t.contiguous() for t in tensors), *affine))

    def test_is_rounded_once(self):
        x, scale, shift = random((3, 7, 96), torch.bfloat16), random((3, 96), seed=2), random((3, 96), seed=3)
        for affine in ((), (random(96, seed=4), random(96, seed=5))):
            wide = ada_layer_norm(x.float(), scale, shift, *affine)
            self.assert_same_bits(ada_layer_norm(x, scale, shift, *affine), wide.to(torch.bfloat16))

    def test_gradcheck(self):
        x = leaf(random((2, 3, 4, 5), torch.float64))
        for shape in ((2, 1, 1, 5), (2, 3, 5), (2, 3, 4, 5), (1, 3, 1, 5)):
            scale, shift = leaf(random(shape, torch.float64, 2)), leaf(random(shape, torch.float64, 3))
            weight, bias = leaf(random(5, torch.float64, 4)), leaf(random(5, torch.float64, 5))
            self.assertTrue(torch.autograd.gradcheck(ada_layer_norm, (x, scale, shift)))
            self.assertTrue(torch.autograd.gradcheck(ada_layer_norm, (x, scale, shift, weight, bias)))

    def test_the_same_bits_on_any_threads(self):
        before, results = torch.get_num_threads(), []
        tensors = [leaf(random((4, 128, 256))), leaf(random((4, 256), seed=2)), leaf(random((4, 256), seed=3))]
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            y = ada_layer_norm(*tensors)
            results.append((y.detach(), *torch.autograd.grad(y, tensors, random(y.shape, seed=4))))
        torch.set_num_threads(before)
        for other in results[1:]:
            for got, expected in zip(other, results[0]):
                self.assert_same_bits(got, expected)

    def test_empty(self):
        for shape, modulation in (((0, 5, 8), (0, 8)), ((2, 0, 8), (2, 8)), ((2, 3, 0), (2, 3, 0))):
            for affine in (False, True):
                tensors = [leaf(random(shape)), leaf(random(modulation)), leaf(random(modulation))]
                tensors += [leaf(random(shape[-1:])), leaf(random(shape[-1:]))] if affine else []
                y = ada_layer_norm(*tensors)
                self.assertEqual(y.shape, shape)
                y.sum().backward()
                for tensor in tensors:
                    self.assertEqual(tensor.grad.shape, tensor.shape)
                    self.assertEqual(tensor.grad.abs().sum().item(), 0)

    def test_graphs(self):
        x, scale, shift = leaf(random((4, 8))), random((4, 8), seed=2), random((4, 8), seed=3)
        y = ada_layer_norm(x, scale, shift).sum()
        first = torch.autograd.grad(y, x, retain_graph=True)[0]
        self.assert_same_bits(torch.autograd.grad(y, x)[0], first)
        with self.assertRaises(RuntimeError):  # the saved tensors are gone
            torch.autograd.grad(y, x)
        (gradient,) = torch.autograd.grad(ada_layer_norm(x, scale, shift).sum(), x, create_graph=True)
        with self.assertRaises(RuntimeError):
            gradient.sum().backward()
        y = ada_layer_norm(x, scale, shift)
        scale.add_(1)
        with self.assertRaises(RuntimeError):
            y.sum().backward()

    def test_errors(self):
        x = random((2, 3, 8))
        fitting = random((2, 8))
        for wrong in (random((4, 8)), random((2, 2, 8)), random(7), random((2, 1, 1)), random((1, 2, 3, 8)), random((2, 1, 7))):
            for arguments in ((wrong, fitting), (fitting, wrong)):
                with self.subTest(shapes=[a.shape for a in arguments]), self.assertRaises(RuntimeError):
                    ada_layer_norm(x, *arguments)
        for weight in (random(7), random((1, 8)), random((2, 1, 8))):
            with self.assertRaises(RuntimeError):
                ada_layer_norm(x, fitting, fitting, weight)
        with self.assertRaises(RuntimeError):
            ada_layer_norm(x, fitting.int(), fitting.int())
        with self.assertRaises(RuntimeError):
            ada_layer_norm(torch.ones(()), torch.ones(()), torch.ones(()))


class Gated(Against):
    def test_types_and_orders(self):
        for dtype, of_weight in itertools.chain(((t, t) for t in TYPES), ((t, torch.float32) for t in NARROW)):
            for before in (True, False):
                with self.subTest(dtype=dtype, weight=of_weight, before=before):
                    self.compare(
                        lambda x, z, w: gated_rms_norm(x, z, w, norm_before_gate=before),
                        lambda x, z, w: exact_gated(x, z, w, norm_before_gate=before),
                        (random((3, 5, 48), dtype), random((3, 5, 48), dtype, 2), random(48, of_weight, 3)),
                    )

    def test_groups_of_columns_and_heads(self):
        x, gate = random((2, 5, 4, 16)), random((2, 5, 8, 16), seed=2)[:, :, ::2]
        for shape in ((16,), (4, 16), (1, 16), (5, 1, 16), (2, 1, 4, 16)):
            with self.subTest(shape):
                self.compare(gated_rms_norm, exact_gated, (x, gate, random(shape, seed=3)))
                self.compare(lambda x, w: gated_rms_norm(x, None, w), lambda x, w: exact_gated(x, None, w),
                             (x, random(shape, seed=3)))
        columns, weight = random((3, 64)), random(64, seed=3)
        grouped = gated_rms_norm(columns.view(3, 4, 16), gate.reshape(-1, 4, 16)[:3], weight.view(4, 16)).view(3, 64)
        for i, part in enumerate(columns.chunk(4, -1)):
            self.assert_same_bits(grouped.chunk(4, -1)[i], gated_rms_norm(part, gate.reshape(-1, 4, 16)[:3, i], weight.view(4, 16)[i]))

    def test_one_row_without_a_dimension_of_rows(self):
        for dtype in (torch.float32, torch.bfloat16):
            x, gate, weight = random(48, dtype), random(48, dtype, 2), random(48, dtype, 3)
            for before in (True, False):
                function = functools.partial(gated_rms_norm, norm_before_gate=before)
                exact = functools.partial(exact_gated, norm_before_gate=before)
                self.compare(function, exact, (x, gate, weight))
                self.compare(function, exact, (x, gate, None))

    def test_many_rows(self):
        x, gate = random((7, 2 * 50, 4, 96)).chunk(2, 1)
        before = torch.get_num_threads()
        for threads, shape in itertools.product((1, 2), ((96,), (4, 96), (7, 1, 1, 96))):
            torch.set_num_threads(threads)
            self.compare(gated_rms_norm, exact_gated, (x, gate, random(shape, seed=3)))
        torch.set_num_threads(before)

    def test_any_subset_requires_a_gradient(self):
        tensors = (random((3, 5, 20)), random((3, 5, 20), seed=2), random(20, seed=3))
        for has in itertools.product([False, True], repeat=2):
            given = tensors[:1] + tuple(t if h else None for t, h in zip(tensors[1:], has))
            for wanted in itertools.product([False, True], repeat=3):
                with self.subTest(has=has, wanted=wanted):
                    self.compare(gated_rms_norm, exact_gated, given, wanted=wanted)

    def test_strides(self):
        base = random((4, 6, 2 * 40))
        x, gate = base.chunk(2, -1)
        for tensors in ((x, gate), (x.transpose(0, 1), gate.transpose(0, 1)), (base[..., ::2], base[..., 1::2]),
                        (x.transpose(0, 1), random((6, 4, 40), seed=2))):
            self.compare(gated_rms_norm, exact_gated, (*tensors, random(40, seed=3)))

    def test_is_rounded_once(self):
        x, gate = random((3, 7, 96), torch.bfloat16), random((3, 7, 96), torch.bfloat16, 2)
        weight = random(96, seed=3)
        self.assert_same_bits(gated_rms_norm(x, gate, weight), gated_rms_norm(x.float(), gate, weight).to(torch.bfloat16))

    def test_gate_first(self):
        first = functools.partial(gated_rms_norm, norm_before_gate=False)
        exact = functools.partial(exact_gated, norm_before_gate=False)
        base, weight = random((4, 6, 2 * 40)), random(40, seed=3)
        x, gate = base.chunk(2, -1)
        for tensors in ((x, gate), (x.transpose(0, 1), gate.transpose(0, 1)), (base[..., ::2], base[..., 1::2]),
                        (x, gate.bfloat16()), (x, gate[:1].expand(4, 6, 40)), (x[:, :1].expand(4, 6, 40), gate)):
            rows = tensors[0].shape[1]
            for of_rows in (weight, random((rows, 40), seed=3)):
                self.compare(first, exact, (*tensors, of_rows))
        for wanted in itertools.product([False, True], repeat=3):
            self.compare(first, exact, (x, gate, weight), wanted=wanted)
            self.compare(first, lambda x, z: exact(x, z, None), (x, gate), wanted=wanted[:2])
        narrow = x.bfloat16(), gate.bfloat16()
        self.assert_same_bits(first(*narrow, weight), first(*(t.float() for t in narrow), weight).to(torch.bfloat16))
        for rows in (leaf(random((0, 8))), leaf(random((3, 8)))):
            first(rows, rows, weight[:8]).sum().backward()
            self.assertEqual(rows.grad.shape, rows.shape)

    def test_without_a_gate_is_rms_norm(self):
        x, weight = random((3, 7, 96)), random(96, seed=3)
        self.assert_same_bits(gated_rms_norm(x, None, weight, 1e-5), rms_norm(x, (96,), weight, 1e-5))

    def test_gradcheck(self):
        x, gate = leaf(random((2, 3, 4, 5), torch.float64)), leaf(random((2, 3, 4, 5), torch.float64, 2))
        for shape in ((5,), (4, 5)):
            for before in (True, False):
                self.assertTrue(torch.autograd.gradcheck(lambda *t: gated_rms_norm(*t, 1e-5, before),
                                                         (x, gate, leaf(random(shape, torch.float64, 3)))))

    def test_empty_and_errors(self):
        x, weight = leaf(random((0, 8))), leaf(random(8))
        gated_rms_norm(x, x.detach(), weight).sum().backward()
        self.assertEqual((x.grad.shape, weight.grad.abs().sum().item()), ((0, 8), 0))
        y = random((3, 8))
        for gate, weight in ((random((1, 8)), None), (y, random(7)), (y, random((2, 8))), (y, random((1, 3, 8))), (y, torch.ones(()))):
            with self.assertRaises(RuntimeError):
                gated_rms_norm(y, gate, weight)


class PlusOne(TestCase):
    def test_is_a_weight_of_one_more(self):
        for dtype in TYPES:
            tensors = [leaf(random((6, 48), dtype)), leaf(random((6, 48), dtype, 2)), leaf(0.125 * random(48, torch.float32, 3))]
            if dtype == torch.float64:
                tensors[2] = leaf(tensors[2].double())
            gradient = random((6, 48), dtype, 4)
            for function in (lambda x, r, w, p: rms_norm(x, (48,), w, 1e-6, p), lambda x, r, w, p: add_rms_norm(x, r, (48,), w, 1e-6, p)[0]):
                y = function(*tensors, True)
                expected = function(*tensors[:2], tensors[2] + 1, False)
                self.assert_near(y, expected, 1e-6 if dtype == torch.float32 else None)
                for got, wanted in zip(torch.autograd.grad(y, tensors, gradient, allow_unused=True),
                                       torch.autograd.grad(expected, tensors, gradient, allow_unused=True)):
                    self.assertEqual(got is None, wanted is None)
                    if got is not None:
                        self.assert_near(got, wanted, 2e-6 if got.dtype == torch.float32 else None)

    def test_module(self):
        module, x = jitnorm_torch.RMSNorm(48, 1e-6, plus_one=True), random((6, 48))
        self.assertEqual(module.weight.abs().sum().item(), 0)
        self.assert_same_bits(module(x), rms_norm(x, (48,), torch.ones(48), 1e-6))


if __name__ == "__main__":
    unittest.main()
