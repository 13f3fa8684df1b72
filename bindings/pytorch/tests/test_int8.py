# SPDX-License-Identifier: Apache-2.0
"""Results in int8, with scales that are given or found, against a computation in float64."""

import unittest

import torch

from jitnorm_torch import ada_layer_norm_int8, rms_norm_int8
from support import TestCase, exact_rms_norm, random

TYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


class Int8(TestCase):
    def check(self, made, exact, given=None):
        q, scale = made
        self.assertEqual((q.dtype, scale.dtype), (torch.int8, torch.float32))
        self.assertEqual(q.shape, exact.shape)
        self.assertTrue(q.is_contiguous())
        if given is None:
            self.assertEqual(scale.shape, (*exact.shape[:-1], 1))
            self.assert_near(scale, exact.abs().amax(-1, keepdim=True) / 127, 2e-6)
            self.assertEqual(q.abs().amax(-1).unique().tolist(), [127])
        else:
            self.assert_same_bits(scale, given)
        wanted = (exact / scale.double()).clamp(-128, 127)
        self.assertLessEqual((q.double() - wanted).abs().max().item(), 0.501)

    def test_rms_norm(self):
        weight = random((40,), seed=2)
        for dtype in TYPES:
            x = random((3, 5, 40), dtype)
            for given in (None, torch.tensor(0.03), torch.tensor([0.01])):
                for w in (None, weight, weight.bfloat16()):
                    with self.subTest(f"{dtype} {given}"):
                        exact = exact_rms_norm(x, (40,), w, 1e-6)
                        self.check(rms_norm_int8(x, (40,), w, 1e-6, scale=given), exact, given)
        exact = exact_rms_norm(x, (40,), 1 + weight.double(), 1e-6)
        self.check(rms_norm_int8(x, (40,), weight, 1e-6, True), exact)
        of_two, scale = rms_norm_int8(x, (5, 40))
        self.assertEqual((of_two.shape, scale.shape), (x.shape, (3, 1, 1)))

    def test_ada_layer_norm(self):
        for dtype in TYPES:
            x, vector = random((3, 5, 40), dtype), random((40,), seed=5)
            for shape in ((3, 1, 40), (3, 5, 40), (1, 5, 40), (3, 40)):
                scale, shift = random(shape, dtype, 2), random(shape, dtype, 3)
                for affine in ((None, None), (vector, vector)):
                    for given in (None, torch.tensor(0.05)):
                        with self.subTest(f"{dtype} {shape} {given}"):
                            full = [t.double() if t.dim() == 3 else t.double().unsqueeze(-2) for t in (scale, shift)]
                            own = [None if a is None else a.double() for a in affine]
                            y = torch.nn.functional.layer_norm(x.double(), (40,), *own) * (1 + full[0]) + full[1]
                            self.check(ada_layer_norm_int8(x, scale, shift, *affine, output_scale=given), y, given)

    def test_strides_and_empty_tensors(self):
        x = random((5, 40, 3)).transpose(1, 2)
        self.check(rms_norm_int8(x, (40,), eps=1e-6), exact_rms_norm(x, (40,), None, 1e-6))
        q, scale = rms_norm_int8(x[:0], (40,))
        self.assertEqual((q.shape, scale.shape), ((0, 3, 40), (0, 3, 1)))

    def test_no_gradients(self):
        x = random((2, 8)).requires_grad_()
        self.assertFalse(rms_norm_int8(x, (8,))[0].requires_grad)

    def test_refused(self):
        x = random((2, 8))
        for scale in (torch.ones(2), torch.ones(1, dtype=torch.float64)):
            with self.assertRaises(RuntimeError):
                rms_norm_int8(x, (8,), scale=scale)
            with self.assertRaises(RuntimeError):
                ada_layer_norm_int8(x, x, x, output_scale=scale)


if __name__ == "__main__":
    unittest.main()
