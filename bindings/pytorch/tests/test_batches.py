# SPDX-License-Identifier: Apache-2.0
"""torch.vmap of the operators: the bits of a call for each sample."""

import itertools
import unittest

import torch

from jitnorm_torch import ada_layer_norm, add_layer_norm, add_rms_norm, batches, gated_rms_norm
from support import COLUMNS, ROWS, TestCase, calls, layer_norm, random, rms_norm

SAMPLES = 3


class Rules(TestCase):
    def test_have_the_bits_of_each_sample(self):
        self.assertEqual(set(calls()), set(batches.OPERATORS))
        for name, described in calls().items():
            tensors = [i for i, argument in enumerate(described) if isinstance(argument, torch.Size)]
            mask = batches.OPERATORS[name].mask
            places = itertools.product(*((None, (0, -1)[i % 2]) for i in tensors))
            for batched, wants in itertools.product(places, (True, False)):
                if all(dim is None for dim in batched) or (mask is None and wants):
                    continue
                arguments, dims = list(described), [None] * len(described)
                for i, dim in zip(tensors, batched):
                    arguments[i], dims[i] = random((SAMPLES, *described[i]), seed=i + 1).abs() + 0.1, dim
                    arguments[i] = arguments[i][0] if dim is None else arguments[i].movedim(0, dim)
                if mask is not None and not wants:
                    shared = batches.OPERATORS[name].shared
                    arguments[mask] = (True,) * shared + (False,) * (len(arguments[mask]) - shared)
                with self.subTest(name, dims=dims, wants=wants):
                    self.compare(name, arguments, dims)

    # As many samples as batches, so that a shape could be read in two ways once there is one more dimension.
    def test_modulations_may_lack_dimensions(self):
        x, y, statistics = (random((SAMPLES, *size), seed=3).abs() + 0.1 for size in ((SAMPLES, 5, 8), (SAMPLES, 5, 8), (SAMPLES, 5, 1)))
        for scale, shift in itertools.product(((5, 8), (8,), (SAMPLES, 8), (1, 5, 8)), repeat=2):
            for dims in itertools.product((None, 0), repeat=2):
                scales, shifts = (random((SAMPLES, *size) if dim == 0 else size, seed=7) for size, dim in zip((scale, shift), dims))
                with self.subTest(scale=scale, shift=shift, dims=dims):
                    self.compare("ada_layer_norm", (x, scales, shifts, None, None, 1e-5), (0, *dims, None, None, None))
                    self.compare("ada_layer_norm_backward", (y, x, scales, shifts, statistics, statistics, None, None, (True,) * 3 + (False,) * 2),
                                 (0, 0, *dims, 0, 0, None, None, None))

    def compare(self, name, arguments, dims):
        got, of_results = batches.rule(name, SAMPLES, tuple(dims), *arguments)
        got, of_results = ((got,), (of_results,)) if isinstance(got, torch.Tensor) else (got, of_results)
        for sample in range(SAMPLES):
            own = [a if dim is None else a.select(dim, sample) for a, dim in zip(arguments, dims)]
            expected = getattr(torch.ops.jitnorm, name)(*own)
            for one, dim, of_sample in zip(got, of_results, (expected,) if isinstance(expected, torch.Tensor) else expected):
                self.assertEqual(one is None, of_sample is None)
                if name == "gated_rms_norm_backward" and one is not None:  # computed by PyTorch's operators in part
                    self.assert_near(one.select(dim, sample), of_sample)
                elif one is not None:
                    self.assert_same_bits(one.select(dim, sample), of_sample)


@unittest.skipUnless(hasattr(torch.library, "register_vmap"), "torch.library.register_vmap came with PyTorch 2.5")
class Vmap(TestCase):
    functions = {
        "layer_norm": (lambda x, y, w: layer_norm(x, (COLUMNS,), w, w),),
        "rms_norm": (lambda x, y, w: rms_norm(x, (COLUMNS,), w),),
        "add_layer_norm": (lambda x, y, w: sum(add_layer_norm(x, y, (COLUMNS,), w)),),
        "add_rms_norm": (lambda x, y, w: sum(add_rms_norm(x, y, (COLUMNS,), w)),),
        "ada_layer_norm": (lambda x, y, w: ada_layer_norm(x, y, y, w),),
        "gated_rms_norm": (lambda x, y, w: gated_rms_norm(x, y, w),),
    }

    def tensors(self):
        return random((SAMPLES, ROWS, COLUMNS)), random((SAMPLES, ROWS, COLUMNS), seed=2), random(COLUMNS, seed=3)

    def test_samples(self):
        x, y, weight = self.tensors()
        for name, (function,) in self.functions.items():
            with self.subTest(name):
                got = torch.vmap(function, (0, 0, None))(x, y, weight)
                self.assert_same_bits(got, torch.stack([function(a, b, weight) for a, b in zip(x, y)]))
                got = torch.vmap(function, (1, None, None), 1)(x.transpose(0, 1), y[0], weight)
                self.assert_same_bits(got, torch.stack([function(a, y[0], weight) for a in x], 1))

    def test_gradients_of_each_sample(self):
        x, y, weight = self.tensors()
        for name, (function,) in self.functions.items():
            gradients = torch.func.grad(lambda *tensors: function(*tensors).pow(2).sum(), (0, 1, 2))
            with self.subTest(name):
                expected = zip(*(gradients(a, b, weight) for a, b in zip(x, y)))
                for got, of_samples in zip(torch.vmap(gradients, (0, 0, None))(x, y, weight), expected):
                    self.assert_same_bits(got, torch.stack(of_samples))


if __name__ == "__main__":
    unittest.main()
