#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The provider in ONNX Runtime's Python: ONNX's own tests of normalizations, models of onnx.helper, graphs within
nodes, and the lines of the README. JITNORM_TEST_PROVIDER is the path of the provider."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections import Counter
from contextlib import contextmanager

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

PROVIDER = os.environ["JITNORM_TEST_PROVIDER"]
README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
OPSET = 23  # the first one with RMSNormalization

onnxruntime.register_execution_provider_library("jitnorm", PROVIDER)
DEVICES = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "JitnormExecutionProvider"]


@contextmanager
def lines_of_stderr(lines):
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            lines += file.read().decode().splitlines()


def open_session(model, jitnorm=True):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    if jitnorm:
        options.add_provider_for_devices(DEVICES, {"statistics": "1"})
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def run_on_cpu(model, inputs):
    return open_session(model, jitnorm=False).run(None, inputs)


def run_with_statistics(model, *runs):
    """The results of each of the runs, and what ran on jitnorm by the provider's own line."""
    lines = []
    with lines_of_stderr(lines):
        session = open_session(model)
        results = [session.run(None, inputs) for inputs in runs]
        del session
    found = re.search(r"jitnorm: statistics: ?(.*;|)", "\n".join(lines))
    return results, found[1] if found else "\n".join(lines)


def distance(a, b):
    """The largest difference, as a part of the largest element of b, or of 1."""
    return float(numpy.max(numpy.abs(a.astype(float) - b.astype(float)))) / max(1, float(numpy.max(numpy.abs(b))))


def random(shape, seed, mean=0, spread=1):
    return (mean + spread * numpy.random.default_rng(seed).standard_normal(shape)).astype(numpy.float32)


class Builder:
    """A model whose nodes have names by number. In double, normalizations are made of simpler operators."""

    def __init__(self, double):
        self.double = double
        self.type = TensorProto.DOUBLE if double else TensorProto.FLOAT
        self.nodes, self.weights, self.seed = [], [], 0

    def fresh(self):
        return f"v{len(self.nodes) + len(self.weights)}"

    def op(self, kind, *inputs, **attributes):
        output = self.fresh()
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, values):
        name = self.fresh()
        values = numpy.asarray(values)
        if values.dtype.kind == "f":
            values = values.astype(numpy.float64 if self.double else numpy.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, *shape, mean=0, spread=0.1):
        self.seed += 1
        return self.constant(random(shape, self.seed, mean, spread))

    def norm(self, x, columns, rms):
        weights = [self.weight(columns, mean=1)] + ([] if rms else [self.weight(columns)])
        if not self.double:
            return self.op("RMSNormalization" if rms else "LayerNormalization", x, *weights, epsilon=1e-5)
        if not rms:
            x = self.op("Sub", x, self.mean(x))
        deviation = self.op("Sqrt", self.op("Add", self.mean(self.op("Mul", x, x)), self.constant(1e-5)))
        y = self.op("Mul", self.op("Div", x, deviation), weights[0])
        return y if rms else self.op("Add", y, weights[1])

    def mean(self, x):
        return self.op("ReduceMean", x, self.constant(numpy.array([-1])), keepdims=1)

    def linear(self, x, inputs, outputs, bias):
        product = self.op("MatMul", x, self.weight(inputs, outputs))
        return self.op("Add", product, self.weight(outputs)) if bias else product

    def attention(self, x, hidden, heads, bias):
        def split(order):
            parts = self.op("Reshape", self.linear(x, hidden, hidden, bias),
                            self.constant(numpy.array([0, 0, heads, hidden // heads])))
            return self.op("Transpose", parts, perm=order)

        scores = self.op("MatMul", split([0, 2, 1, 3]), split([0, 2, 3, 1]))
        scores = self.op("Softmax", self.op("Div", scores, self.constant((hidden / heads)**0.5)), axis=-1)
        joined = self.op("Transpose", self.op("MatMul", scores, split([0, 2, 1, 3])), perm=[0, 2, 1, 3])
        joined = self.op("Reshape", joined, self.constant(numpy.array([0, 0, hidden])))
        return self.linear(joined, hidden, hidden, bias)

    def model(self, output, shape):
        graph = helper.make_graph(self.nodes, "test", [helper.make_tensor_value_info("x", self.type, shape)],
                                  [helper.make_tensor_value_info(output, self.type, shape)], self.weights)
        return finish(graph)


def finish(graph):
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def bert(double, hidden=64, heads=4, inner=128, layers=2):
    """Normalization after each residual."""
    b = Builder(double)
    x = b.norm("x", hidden, rms=False)
    for _ in range(layers):
        x = b.norm(b.op("Add", b.attention(x, hidden, heads, bias=True), x), hidden, rms=False)
        wide = b.linear(x, hidden, inner, bias=True)
        wide = b.op("Mul", wide, b.op("Tanh", wide))
        x = b.norm(b.op("Add", b.linear(wide, inner, hidden, bias=True), x), hidden, rms=False)
    return b.model(x, ["batch", "sequence", hidden])


def llama(double, hidden=64, heads=4, inner=128, layers=2):
    """Normalization before each part, and one at the end."""
    b = Builder(double)
    x, normalized = "x", b.norm("x", hidden, rms=True)
    for _ in range(layers):
        x = b.op("Add", x, b.attention(normalized, hidden, heads, bias=False))
        normalized = b.norm(x, hidden, rms=True)
        gate = b.linear(normalized, hidden, inner, bias=False)
        product = b.op("Mul", b.op("Mul", gate, b.op("Tanh", gate)), b.linear(normalized, hidden, inner, bias=False))
        x = b.op("Add", x, b.linear(product, inner, hidden, bias=False))
        normalized = b.norm(x, hidden, rms=True)
    return b.model(normalized, ["batch", "sequence", hidden])


class NodeTests(unittest.TestCase):
    """Those that come with ONNX."""

    def test_normalizations(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other operators
            cases = collect_testcases("")
        ran = Counter()
        for case in cases:
            nodes = case.model.graph.node
            operator = nodes[0].op_type
            if len(nodes) != 1 or operator not in ("LayerNormalization", "RMSNormalization"):
                continue
            ran[operator] += 1
            case.model.ir_version = 10
            for inputs, outputs in case.data_sets:
                with self.subTest(case.name):
                    named = {info.name: value for info, value in zip(case.model.graph.input, inputs)}
                    (results,), statistics = run_with_statistics(case.model, named)
                    self.assertEqual(statistics, f"{operator}: 1 nodes, 1 runs;")
                    for result, wanted in zip(results, outputs, strict=True):
                        self.assertEqual((result.shape, result.dtype), (wanted.shape, wanted.dtype))
                        self.assertLess(distance(result, wanted), 2e-6)
        self.assertGreater(min(ran["LayerNormalization"], ran["RMSNormalization"]), 15)


class Models(unittest.TestCase):
    """Open sizes; the results of both providers, and in double."""
    SHAPES = [(1, 1, 64), (2, 9, 64), (3, 1, 64), (1, 130, 64), (2, 9, 64)]

    def compare(self, make, statistics):
        inputs = [{"x": random(shape, number)} for number, shape in enumerate(self.SHAPES)]
        results, ran = run_with_statistics(make(False), *inputs)
        self.assertEqual(ran, statistics)
        for one, (result,) in zip(inputs, results):
            (wanted,) = run_on_cpu(make(True), {"x": one["x"].astype(float)})
            (cpu,) = run_on_cpu(make(False), one)
            self.assertLess(distance(result, wanted), 5e-6)
            self.assertLess(distance(result, cpu), 1e-5)
            self.assertLess(distance(result, wanted), 1.5 * distance(cpu, wanted) + 1e-7)

    def test_like_bert(self):
        self.compare(bert, "LayerNormalization: 1 nodes, 5 runs; LayerNormalization with two Add: 4 nodes, 20 runs;")

    def test_like_llama(self):
        self.compare(llama, "RMSNormalization: 1 nodes, 5 runs; RMSNormalization with Add: 4 nodes, 20 runs;")


class GraphsWithinNodes(unittest.TestCase):
    """Nodes of an inner graph are claimed where ONNX Runtime has names for them."""
    CLAIMED = tuple(map(int, onnxruntime.__version__.split(".")[:2])) >= (1, 25)
    X = random((4, 40), 1)

    def info(self, name, shape=(4, 40), its=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, its, shape)

    def weights(self):
        return [numpy_helper.from_array(random((40,), seed, 1), name) for seed, name in ((2, "scale"), (3, "shift"))]

    def compare(self, graph, inputs, statistics):
        model = finish(graph)
        onnx.checker.check_model(model)
        results, ran = run_with_statistics(model, *inputs)
        for one, result in zip(inputs, results):
            for got, wanted in zip(result, run_on_cpu(model, one), strict=True):
                self.assertLess(distance(got, wanted), 2e-6)
        self.assertEqual(ran, statistics)

    def branch(self, name, nodes, inputs=()):
        return helper.make_graph(nodes, name, list(inputs), [self.info("y_" + name)])

    # Both read tensors of the graph around them: x, the weights, and a sum that is read there too.
    def test_branches(self):
        norm = ["LayerNormalization", "RMSNormalization"]
        then = self.branch("then", [
            helper.make_node("Add", ["sum", "x"], ["more"]),
            helper.make_node(norm[0], ["more", "scale", "shift"], ["y_then"])])
        otherwise = self.branch("else", [helper.make_node(norm[1], ["sum", "scale"], ["y_else"])])
        nodes = [helper.make_node("Add", ["x", "x"], ["sum"]),
                 helper.make_node("If", ["condition"], ["y"], then_branch=then, else_branch=otherwise),
                 helper.make_node(norm[0], ["sum", "scale", "shift"], ["z"])]
        graph = helper.make_graph(nodes, "test", [self.info("x"), self.info("condition", (), TensorProto.BOOL)],
                                  [self.info("y"), self.info("z")], self.weights())
        self.compare(graph, [{"x": self.X, "condition": numpy.array(way)} for way in (True, False, True)],
                     "LayerNormalization with Add: 2 nodes, 5 runs; RMSNormalization: 1 nodes, 1 runs;" if self.CLAIMED
                     else "LayerNormalization with Add: 1 nodes, 3 runs;")

    # Each turn normalizes the sum of the last result and x, and gives the sum back as well.
    def test_loops(self):
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["go_on"]),
             helper.make_node("Add", ["last", "x"], ["sum"]),
             helper.make_node("LayerNormalization", ["sum", "scale", "shift"], ["next"])],
            "body", [self.info("turn", (), TensorProto.INT64), self.info("go", (), TensorProto.BOOL), self.info("last")],
            [self.info("go_on", (), TensorProto.BOOL), self.info("next"), self.info("sum")])
        nodes = [helper.make_node("Loop", ["turns", "", "x"], ["y", "sums"], body=body)]
        graph = helper.make_graph(nodes, "test", [self.info("x"), self.info("turns", (), TensorProto.INT64)],
                                  [self.info("y"), self.info("sums", ("turns", 4, 40))], self.weights())
        self.compare(graph, [{"x": self.X, "turns": numpy.array(turns)} for turns in (1, 7)],
                     "LayerNormalization with Add: 1 nodes, 8 runs;" if self.CLAIMED else "")

    # The body reads nothing of the graph around it, so that it looks like a model.
    def test_loops_that_keep_to_themselves(self):
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["go_on"]),
             helper.make_node("RMSNormalization", ["last", "own_scale"], ["next"])],
            "body", [self.info("turn", (), TensorProto.INT64), self.info("go", (), TensorProto.BOOL), self.info("last")],
            [self.info("go_on", (), TensorProto.BOOL), self.info("next")],
            [numpy_helper.from_array(random((40,), 4, 1), "own_scale")])
        nodes = [helper.make_node("LayerNormalization", ["x", "scale", "shift"], ["z"]),
                 helper.make_node("Loop", ["turns", "", "z"], ["y"], body=body)]
        graph = helper.make_graph(nodes, "test", [self.info("x"), self.info("turns", (), TensorProto.INT64)],
                                  [self.info("y")], self.weights())
        self.compare(graph, [{"x": self.X, "turns": numpy.array(3)}],
                     ("LayerNormalization: 1 nodes, 1 runs; " if self.CLAIMED else "") +
                     "RMSNormalization: 1 nodes, 3 runs;")

    # A sum that only a branch reads, at whose place nothing else would compute it.
    def test_sums_that_only_a_branch_reads(self):
        then = self.branch("then", [helper.make_node("Neg", ["sum"], ["y_then"])])
        otherwise = self.branch("else", [helper.make_node("Identity", ["sum"], ["y_else"])])
        nodes = [helper.make_node("Add", ["x", "x"], ["sum"]),
                 helper.make_node("RMSNormalization", ["sum", "scale"], ["z"]),
                 helper.make_node("If", ["condition"], ["y"], then_branch=then, else_branch=otherwise)]
        graph = helper.make_graph(nodes, "test", [self.info("x"), self.info("condition", (), TensorProto.BOOL)],
                                  [self.info("y"), self.info("z")], self.weights())
        self.compare(graph, [{"x": self.X, "condition": numpy.array(way)} for way in (True, False)],
                     "RMSNormalization with Add: 1 nodes, 2 runs;")


class Readme(unittest.TestCase):
    """Its lines of Python as they are, but for the path of the provider."""

    def test_lines(self):
        (code,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
        code, paths = re.subn(r'"/[^"]*/libonnxruntime_jitnorm\.so"', repr(PROVIDER), code)
        self.assertEqual(paths, 1)
        model = bert(False)
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(model, folder + "/model.onnx")
            numpy.save(folder + "/x.npy", random((2, 9, 64), 1))
            code += ("import numpy\nassert session.get_providers()[0] == 'JitnormExecutionProvider'\n"
                     "numpy.save('y.npy', session.run(None, {'x': numpy.load('x.npy')})[0])\n")
            subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
            (wanted,) = run_on_cpu(model, {"x": random((2, 9, 64), 1)})
            self.assertLess(distance(numpy.load(folder + "/y.npy"), wanted), 1e-5)


if __name__ == "__main__":
    unittest.main()
