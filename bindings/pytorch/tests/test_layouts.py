# SPDX-License-Identifier: Apache-2.0
"""Every operator on tensors of any strides, those that jitnorm refuses among them: the bits of contiguous tensors."""

import unittest

import torch

import jitnorm_torch
from support import COLUMNS, ROWS, TestCase, calls, layer_norm, leaf, random

DRAWN = 60  # layouts for each operator


def with_others(described):
    """And the operators on some of the rows or columns."""
    x, vector, statistics = (torch.Size(size) for size in ((ROWS, COLUMNS), (COLUMNS,), (ROWS, 1)))
    moments = torch.Size((ROWS, 4))
    return {
        **described,
        "rms_norm_int8": (x, [COLUMNS], vector, 1e-5),
        "ada_layer_norm_int8": (x, vector, x, vector, None, 1e-5),
        "layer_norm_partial_backward": (x, x, [COLUMNS], statistics, statistics, vector, 0, ROWS, (True,) * 3),
        "rms_norm_partial_backward": (x, x, [COLUMNS], statistics, vector, 0, ROWS, (True,) * 2),
        "chunk_moments": (x, 0, COLUMNS, False),
        "layer_norm_partial_forward": (x, moments, vector, vector, 1e-5, 0, COLUMNS),
        "rms_norm_partial_forward": (x, moments, vector, 1e-5, 0, COLUMNS),
    }


class Layouts(TestCase):
    def draw(self, size, generator):
        """A tensor whose strides are drawn: many layouts let elements overlap or take turns."""
        strides = [int(torch.randint(0, 3 * COLUMNS, (), generator=generator)) for _ in size]
        if torch.rand((), generator=generator) < 0.5:
            strides[-1] = 1
        memory = torch.rand(sum((s - 1) * stride for s, stride in zip(size, strides)) + 1, generator=generator) + 0.1
        return memory.as_strided(size, strides)

    def test_drawn_at_random(self):
        generator = torch.Generator().manual_seed(1)
        for name, described in with_others(calls()).items():
            run = getattr(torch.ops.jitnorm, name)
            for _ in range(DRAWN):
                drawn = [self.draw(a, generator) if isinstance(a, torch.Size) else a for a in described]
                if "moments" in name or "partial_forward" in name:
                    drawn[1:2] = [a.double() if isinstance(a, torch.Tensor) else a for a in drawn[1:2]]
                dense = [a.contiguous() if isinstance(a, torch.Tensor) else a for a in drawn]
                strides = [a.stride() for a in drawn if isinstance(a, torch.Tensor)]
                with self.subTest(name, strides=strides):
                    got, expected = run(*drawn), run(*dense)
                    for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (got, expected))):
                        self.assertEqual(a is None, b is None)
                        if name == "gated_rms_norm_backward":  # computed by PyTorch's operators in part
                            self.assert_near(a, b)
                        elif a is not None:
                            self.assert_same_bits(a, b)

    def views(self):
        line = random(400)
        return {
            "sliding windows": line.unfold(0, 12, 3),
            "windows of windows": line.unfold(0, 40, 5).unfold(1, 12, 2),
            "every row one column further": line.as_strided((6, 8), (1, 1)),
            "every other column of an odd number": random((4, 17))[:, ::2],
            "ends of rows and planes": line.as_strided((2, 3, 5), (130, 37, 7)),
            "columns that take turns with rows": line.as_strided((2, 3), (3, 2)),
            "expanded windows": line.unfold(0, 12, 3).unsqueeze(1).expand(-1, 4, -1),
            "planes of one row": line.as_strided((3, 4, 8), (0, 8, 0)),
        }

    # By autograd and by the override, as inputs and as gradients.
    def test_that_overlap(self):
        for name, x in self.views().items():
            shape, weight, bias = x.shape[-1:], random(x.shape[-1], seed=2), random(x.shape[-1], seed=3)
            for overridden in (False, True):
                norm = torch.nn.functional.layer_norm if overridden else layer_norm
                with self.subTest(name, overridden=overridden):
                    results = []
                    for tensor in (x, x.contiguous()):
                        tensors = [leaf(tensor), leaf(weight), leaf(bias)]
                        if overridden:
                            with jitnorm_torch.overridden():
                                y = norm(tensors[0], shape, *tensors[1:])
                                results.append((y.detach(), *torch.autograd.grad(y, tensors, tensor)))
                        else:
                            y = norm(tensors[0], shape, *tensors[1:])
                            results.append((y.detach(), *torch.autograd.grad(y, tensors, tensor)))
                    for got, expected in zip(*results):
                        self.assert_same_bits(got, expected)


if __name__ == "__main__":
    unittest.main()
