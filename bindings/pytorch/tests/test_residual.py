# SPDX-License-Identifier: Apache-2.0
"""add_layer_norm and add_rms_norm: the bits of an addition and then a normalization, forward and backward."""

import itertools
import unittest

import torch

from jitnorm_torch import add_layer_norm, add_rms_norm
from support import TestCase, layer_norm, leaf, random, rms_norm


class Residual(TestCase):
    def compare(self, fused, apart, tensors, gradients):
        """Results, and gradients of all tensors from those of the two results, of which one may be None."""
        results, expected = fused(*tensors), apart(*tensors)
        for got, wanted in zip(results, expected):
            self.assert_same_bits(got.detach(), wanted.detach())
            self.assertTrue(got.is_contiguous())

        def differentiate(outputs):
            used = [(output, gradient) for output, gradient in zip(outputs, gradients) if gradient is not None]
            return torch.autograd.grad([u[0] for u in used], tensors, [u[1] for u in used], allow_unused=True)

        for got, wanted, tensor in zip(differentiate(results), differentiate(expected), tensors):
            self.assertEqual(got is None, wanted is None)
            # the sum of two gradients is rounded once here, and twice there
            if got is not None:
                self.assert_near(got, wanted, {torch.float32: 1e-6, torch.float64: 1e-11}.get(tensor.dtype, 2**-6))

    def test_types_strides_and_gradients(self):
        sizes = (7, 5, 48)
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            x, residual = leaf(random(sizes, dtype)), leaf(random((5, 7, 48), dtype, 2).transpose(0, 1))
            weight, bias = leaf(random(48, dtype, 3)), leaf(random(48, dtype, 4))
            of_output, of_sum = random(sizes, dtype, 5), random((48, 5, 7), dtype, 6).permute(2, 1, 0)
            for gradients in ((of_output, of_sum), (of_output, None), (None, of_sum)):
                with self.subTest(dtype=dtype, both=[g is not None for g in gradients]):
                    self.compare(
                        lambda a, b, w, s: add_layer_norm(a, b, (48,), w, s),
                        lambda a, b, w, s: (layer_norm(a + b, (48,), w, s), (a + b).contiguous()),
                        (x, residual, weight, bias), gradients,
                    )
                    self.compare(
                        lambda a, b, w: add_rms_norm(a, b, (48,), w, 1e-5),
                        lambda a, b, w: (rms_norm(a + b, (48,), w, 1e-5), (a + b).contiguous()),
                        (x, residual, weight), gradients,
                    )

    def test_a_sum_requires_a_gradient_if_a_summand_does(self):
        x, residual, gradient = random((5, 48)), random((5, 48), seed=2), random((5, 48), seed=5)
        for function, count in ((lambda a, b, w, s: add_rms_norm(a, b, (48,), w, 1e-5), 1),
                                (lambda a, b, w, s: add_layer_norm(a, b, (48,), w, s), 2)):
            for wanted in itertools.product([False, True], repeat=2):
                a, b = leaf(x, wanted[0]), leaf(residual, wanted[1])
                affine = [leaf(random(48, seed=3)), leaf(random(48, seed=4))][:count]
                output, total = function(a, b, affine[0], affine[-1])
                self.assertTrue(output.requires_grad)
                self.assertEqual(total.requires_grad, any(wanted))
                apart = (a + b).detach()
                expected = rms_norm(apart, (48,), affine[0], 1e-5) if count == 1 else layer_norm(apart, (48,), *affine)
                for got, exact in zip(torch.autograd.grad(output, affine, gradient),
                                      torch.autograd.grad(expected, affine, gradient)):
                    self.assert_same_bits(got, exact)

    # The sum has their common type, in which PyTorch adds, and so has the result.
    def test_two_types(self):
        types = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
        for of_x, of_residual, affine in itertools.product(types, types, types):
            common = torch.promote_types(of_x, of_residual)
            if torch.float64 in (common, affine) and common != affine:
                continue  # a float64 normalization has a float64 weight, and no other one has
            x, residual = leaf(random((7, 48), of_x)), leaf(random((7, 48), of_residual, 2))
            weight, bias = leaf(random(48, affine, 3)), leaf(random(48, affine, 4))
            gradients = (random((7, 48), common, 5), random((7, 48), common, 6))
            with self.subTest(x=of_x, residual=of_residual, affine=affine):
                self.compare(
                    lambda a, b, w, s: add_layer_norm(a, b, (48,), w, s),
                    lambda a, b, w, s: (layer_norm(a + b, (48,), w, s), a + b), (x, residual, weight, bias), gradients,
                )
                self.compare(
                    lambda a, b, w: add_rms_norm(a, b, (48,), w), lambda a, b, w: (rms_norm(a + b, (48,), w), a + b),
                    (x, residual, weight), gradients,
                )

    def test_any_subset_requires_a_gradient(self):
        tensors = (random((6, 20)), random((6, 20), seed=2), random(20, seed=3), random(20, seed=4))
        for wanted in itertools.product([False, True], repeat=4):
            leaves = [leaf(t, w) for t, w in zip(tensors, wanted)]
            output, total = add_layer_norm(leaves[0], leaves[1], (20,), *leaves[2:])
            self.assertEqual(output.requires_grad, any(wanted))
            if not any(wanted):
                continue
            (output.pow(2).sum() + (total.sum() if total.requires_grad else 0)).backward()
            others = [leaf(t, w) for t, w in zip(tensors, wanted)]
            both = others[0] + others[1]
            (layer_norm(both, (20,), *others[2:]).pow(2).sum() + both.sum()).backward()
            for got, expected in zip(leaves, others):
                self.assertEqual(got.grad is None, expected.grad is None)
                if got.grad is not None:
                    self.assert_near(got.grad, expected.grad)

    def test_gradcheck(self):
        x, residual = leaf(random((4, 6), torch.float64)), leaf(random((4, 6), torch.float64, 2))
        weight, bias = leaf(random(6, torch.float64, 3)), leaf(random(6, torch.float64, 4))
        self.assertTrue(torch.autograd.gradcheck(lambda *t: add_layer_norm(t[0], t[1], (6,), *t[2:]),
                                                 (x, residual, weight, bias)))
        self.assertTrue(torch.autograd.gradcheck(lambda *t: add_rms_norm(t[0], t[1], (6,), t[2], 1e-5), (x, residual, weight)))

    def test_a_changed_sum_is_found(self):
        x = leaf(random((4, 8)))
        output, total = add_layer_norm(x, random((4, 8), seed=2), (8,))
        total.add_(1)
        with self.assertRaises(RuntimeError):
            output.sum().backward()

    def test_nothing_of_a_graph_is_left(self):
        import gc
        import weakref

        class Mark:
            pass

        x = leaf(random((4, 8)))
        mark = Mark()
        gone = weakref.ref(mark)
        y = x * 2
        y.register_hook(lambda gradient, keep=mark: None)
        output, total = add_layer_norm(y, x, (8,))
        del mark, y, output, total
        gc.collect()
        self.assertIsNone(gone())

    def test_errors_and_empty(self):
        with self.assertRaises(RuntimeError):
            add_layer_norm(random((4, 8)), random((1, 8)), (8,))
        with self.assertRaises(RuntimeError):
            add_layer_norm(random((4, 8)), random((4, 8)).int(), (8,))
        x = leaf(random((0, 8)))
        output, total = add_rms_norm(x, x, (8,))
        (output.sum() + total.sum()).backward()
        self.assertEqual(x.grad.shape, (0, 8))


if __name__ == "__main__":
    unittest.main()
