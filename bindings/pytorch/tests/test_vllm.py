# SPDX-License-Identifier: Apache-2.0
"""The contract of vLLM's operators, by a double of vllm.ir: names, signatures, types, roundings."""

import inspect
import types
import unittest

import torch

from jitnorm_torch import vllm
from support import TestCase, random


class Operator:
    """As vLLM's: register_impl(name, supported=, supports_args=, inplace=) decorates a function that has the operator's
    signature."""

    def __init__(self, native):
        self.native, self.implementations = native, {}

    def register_impl(self, name, *, supported=True, supports_args=None, inplace=False):
        def register(function):
            for other in (function, supports_args):
                assert list(inspect.signature(other).parameters) == list(inspect.signature(self.native).parameters)
            assert name not in self.implementations and supported and not inplace
            self.implementations[name] = (function, supports_args)
            return function

        return register

    def __call__(self, *arguments):
        function, takes = self.implementations["jitnorm"]
        return function(*arguments) if takes(*arguments) else self.native(*arguments)


def native_rms_norm(x, weight, epsilon, variance_size=None):
    y = x.to(torch.float32)
    of_variance = y if variance_size is None else y[..., :variance_size]
    y = (y * torch.rsqrt(of_variance.pow(2).mean(-1, keepdim=True) + epsilon)).to(x.dtype)
    return y if weight is None else y * weight


def native_fused_add_rms_norm(x, x_residual, weight, epsilon, variance_size=None):
    summed = x + x_residual
    return native_rms_norm(summed, weight, epsilon, variance_size), summed


class Contract(TestCase):
    def setUp(self):
        operators = types.SimpleNamespace(rms_norm=Operator(native_rms_norm), fused_add_rms_norm=Operator(native_fused_add_rms_norm))
        self.operators = operators
        vllm.register(types.SimpleNamespace(ops=operators))

    def assert_is(self, got, expected):
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape))
        if got.dtype == torch.float32:
            self.assert_near(got, expected)
        else:
            self.assertLessEqual((got != expected).double().mean().item(), 1e-3)

    def test_types_and_roundings(self):
        for dtype in (torch.float32, torch.bfloat16):
            for weight in (None, random(128, dtype, 3), random(128, seed=3)):
                x, residual = random((40, 128), dtype), random((40, 128), dtype, 2)
                self.assert_is(self.operators.rms_norm(x, weight, 1e-6), native_rms_norm(x, weight, 1e-6))
                got = self.operators.fused_add_rms_norm(x, residual, weight, 1e-6)
                expected = native_fused_add_rms_norm(x, residual, weight, 1e-6)
                self.assert_is(got[0], expected[0])
                self.assert_same_bits(got[1], expected[1])

    def test_what_stays_native(self):
        x = random((4, 128))
        self.assertFalse(vllm.takes_rms_norm(x, None, 1e-6, 64))
        self.assertFalse(vllm.takes_rms_norm(x.double(), None, 1e-6))
        self.assertFalse(vllm.takes_rms_norm(torch.empty((4, 128), device="meta"), None, 1e-6))
        self.assertFalse(vllm.takes_fused_add_rms_norm(x, x.bfloat16(), None, 1e-6))
        self.assert_same_bits(self.operators.rms_norm(x, None, 1e-6, 64), native_rms_norm(x, None, 1e-6, 64))
        for call in (lambda: vllm.norm(x, None, 1e-6, 64), lambda: vllm.add_norm(x, x, None, 1e-6, 64)):
            with self.assertRaisesRegex(ValueError, "variance"):
                call()


if __name__ == "__main__":
    unittest.main()
