# SPDX-License-Identifier: Apache-2.0
"""What the tests have in common. PYTHONPATH leads to the built package (tests/CMakeLists.txt)."""

import itertools
import unittest

import torch

import jitnorm_torch

# Of a result's type: what it may differ from a computation in float64, as a multiple of the largest value.
BOUND = {torch.float32: 2e-6, torch.bfloat16: 2**-8, torch.float16: 2**-11, torch.float64: 1e-11}


def random(shape, dtype=torch.float32, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def leaf(tensor, wanted=True):
    """The same memory and strides, and a gradient of its own."""
    return None if tensor is None else tensor.detach().requires_grad_(wanted)


ROWS, COLUMNS = 5, 8


def calls():
    """The operators that torch.vmap has rules for, each with its arguments: of those that are tensors the sizes."""
    x, y, weight, statistics = (torch.Size(size) for size in ((ROWS, COLUMNS), (ROWS, COLUMNS), (COLUMNS,), (ROWS, 1)))
    shape = [COLUMNS]
    return {
        "layer_norm": (x, shape, weight, weight, 1e-5),
        "layer_norm_forward": (x, shape, weight, None, 1e-5),
        "layer_norm_backward": (x, y, shape, statistics, statistics, weight, (True, True, True), x),
        "rms_norm": (x, shape, weight, 1e-5, True),
        "rms_norm_forward": (x, shape, None, 1e-5),
        "rms_norm_backward": (x, y, shape, statistics, weight, (True, True)),
        "add_layer_norm": (x, y, shape, weight, weight, 1e-5),
        "add_layer_norm_forward": (x, y, shape, weight, weight, 1e-5),
        "add_rms_norm": (x, y, shape, weight, 1e-5),
        "add_rms_norm_forward": (x, y, shape, weight, 1e-5),
        "ada_layer_norm": (x, weight, x, weight, None, 1e-5),
        "ada_layer_norm_forward": (x, weight, x, None, None, 1e-5),
        "ada_layer_norm_backward": (x, y, weight, x, statistics, statistics, weight, weight, (True,) * 5),
        "gated_rms_norm": (x, y, weight, 1e-5),
        "gated_rms_norm_forward": (x, None, weight, 1e-5),
        "gated_rms_norm_backward": (x, y, statistics, x, weight, (True,) * 3),
    }


class TestCase(unittest.TestCase):
    def assert_near(self, got, expected, bound=None):
        self.assertEqual(got.shape, expected.shape)
        bound = BOUND[got.dtype] if bound is None else bound
        if expected.numel() == 0:
            return
        scale = max(expected.double().abs().max().item(), 1)  # what cancels out is as exact as what it is made of
        self.assertLessEqual((got.double() - expected.double()).abs().max().item(), bound * scale, f"of {scale}")

    def assert_computes(self, function, exact, tensors, bound_of, wanted=None, gradient=None, bound=None):
        """Results, and gradients of those that are wanted within bound_of(tensor), against `exact` in float64. Tensors
        that are not leaves stay views of what they are views of."""
        wanted = wanted or [True] * len(tensors)
        own = [leaf(t, w) for t, w in zip(tensors, wanted)]
        double = [None if t is None else leaf(t.double(), w) for t, w in zip(tensors, wanted)]
        y, z = function(*own), exact(*double)
        self.assertEqual(y.dtype, own[0].dtype)
        self.assertTrue(y.is_contiguous())
        self.assert_near(y, z, bound)
        with torch.no_grad():
            self.assert_same_bits(function(*own), y.detach())
        self.assertEqual(y.requires_grad, any(t is not None and w for t, w in zip(tensors, wanted)))
        if not y.requires_grad:
            return
        gradient = random(y.shape, y.dtype, 9) if gradient is None else gradient
        y.backward(gradient)
        z.backward(gradient.double())
        for got, expected in zip(own, double):
            if got is None or not got.requires_grad:
                self.assertTrue(got is None or got.grad is None)
            else:
                self.assertEqual(got.grad.dtype, got.dtype)
                self.assert_near(got.grad, expected.grad, bound_of(got))

    def assert_same_bits(self, got, expected):
        self.assertEqual(got.dtype, expected.dtype)
        self.assertTrue(torch.equal(got, expected), "bits differ")


def exact_layer_norm(x, shape, weight, bias, eps=1e-5):
    double = [None if t is None else t.double() for t in (x, weight, bias)]
    return torch.nn.functional.layer_norm(double[0], shape, double[1], double[2], eps)


def exact_rms_norm(x, shape, weight, eps):
    axes = tuple(range(x.dim() - len(shape), x.dim()))
    y = x.double() * torch.rsqrt((x.double() ** 2).mean(axes, keepdim=True) + eps)
    return y if weight is None else y * weight.double()


subsets = list(itertools.product([False, True], repeat=3))
layer_norm = jitnorm_torch.layer_norm
rms_norm = jitnorm_torch.rms_norm
