# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own layer_norm with jitnorm in its place, and unchanged models on it."""

import unittest

import torch
from torch.nn import functional

import jitnorm_torch
from support import TestCase, exact_layer_norm, layer_norm, leaf, random


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

    def test_a_second_derivative(self):
        x = leaf(random((5, 12)))

        def second():
            (first,) = torch.autograd.grad(functional.layer_norm(x, (12,)).pow(3).sum(), x, create_graph=True)
            return torch.autograd.grad(first.pow(2).sum(), x)[0]

        expected = second()
        with jitnorm_torch.overridden():
            self.assert_near(second(), expected, 1e-4)


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
