# SPDX-License-Identifier: Apache-2.0
"""Models that torch.compile compiles by Inductor, with jitnorm's backend."""

import unittest

import torch
from torch.nn import functional

import jitnorm_torch
from jitnorm_torch import compiler
from support import TestCase, leaf, random


class Net(torch.nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.first, self.linear = torch.nn.LayerNorm(16, dtype=dtype), torch.nn.Linear(16, 16, dtype=dtype)
        self.rms = torch.nn.RMSNorm(16, eps=1e-5, dtype=dtype) if hasattr(torch.nn, "RMSNorm") else torch.nn.Identity()

    def forward(self, x):
        y = self.rms(self.linear(self.first(x)).relu() + x)
        return functional.layer_norm(y, (16,), eps=1e-6)


class Graphs(TestCase):
    def test_calls_and_modules_are_replaced(self):
        class Traces(torch.fx.Tracer):
            def is_leaf_module(self, module, name):
                return isinstance(module, torch.nn.LayerNorm)  # as Dynamo did up to PyTorch 2.4

        net, x = Net(), random((4, 16))
        with jitnorm_torch.overridden():
            expected = net(x)
        before = dict(net.named_modules())
        graph = compiler.replace(torch.fx.GraphModule(net, Traces().trace(net)))
        self.assertFalse(torch.equal(net(x), expected), "nothing would be replaced")
        self.assert_same_bits(graph(x), expected)
        self.assertEqual(type(net.first), torch.nn.LayerNorm)
        self.assertEqual(dict(net.named_modules()), before)

    def test_graphs_within_a_graph(self):
        class Block(torch.nn.Module):
            def forward(self, x):
                return functional.layer_norm(x, (16,)) * 2

        class Whole(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.fx.symbolic_trace(Block())  # as the body of a checkpoint

            def forward(self, x):
                return self.body(x + 1)

        class Traces(torch.fx.Tracer):
            def is_leaf_module(self, module, name):
                return True

        whole, x = Whole(), random((4, 16))
        graph = compiler.replace(torch.fx.GraphModule(whole, Traces().trace(whole)))
        self.assertIn(compiler._layer_norm, [node.target for node in graph.body.graph.nodes])
        self.assert_same_bits(graph(x), jitnorm_torch.layer_norm(x + 1, (16,)) * 2)

    def test_what_stays_pytorchs(self):
        x = random((4, 16), torch.float64)
        self.assert_same_bits(compiler._layer_norm(x, (16,)), functional.layer_norm(x, (16,)))
        if hasattr(functional, "rms_norm"):
            x, weight = random((4, 16), torch.bfloat16), random(16, seed=2)
            self.assert_same_bits(compiler._rms_norm(x, (16,), weight), functional.rms_norm(x, (16,), weight))


@unittest.skipUnless(hasattr(torch, "compile"), "torch.compile came with PyTorch 2")
class Compiled(TestCase):
    def step(self, model, net, x):
        output = model(x)
        return (output.detach(), *torch.autograd.grad(output.pow(3).sum(), (x, *net.parameters())))

    def test_a_model_trains_on_jitnorm(self):
        for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 2**-5)):
            with self.subTest(dtype):
                torch._dynamo.reset()
                net, x = Net(dtype), leaf(random((4, 16), dtype))
                expected = self.step(net, net, x)
                compiled = torch.compile(net, backend=jitnorm_torch.inductor, fullgraph=True)
                for got, wanted in zip(self.step(compiled, net, x), expected):
                    self.assert_near(got, wanted, bound)
                with torch.autograd.profiler.profile() as profile:
                    self.step(compiled, net, x)
                names = [event.name for event in profile.function_events]
                self.assertEqual(names.count("jitnorm::layer_norm_forward"), 2, names)
                self.assertEqual(names.count("jitnorm::layer_norm_backward"), 2, names)
                self.assertEqual(names.count("jitnorm::rms_norm_forward"), hasattr(torch.nn, "RMSNorm"), names)
                with torch.no_grad():
                    self.assert_near(compiled(x), net(x), bound)

    def test_options_and_sizes_that_change(self):
        torch._dynamo.reset()
        net = Net()
        compiled = torch.compile(net, backend=jitnorm_torch.inductor, dynamic=True, options={"max_fusion_size": 32})
        for rows in (4, 7, 9):
            x = random((rows, 16))
            self.assert_near(compiled(x).detach(), net(x).detach(), 1e-5)


if __name__ == "__main__":
    unittest.main()
