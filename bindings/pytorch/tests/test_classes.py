# SPDX-License-Identifier: Apache-2.0
"""Classes of modules that are executed by jitnorm's operators: which ones, with what bits, and what stays as it is."""

import copy
import io
import itertools
import pickle
import threading
import unittest
import unittest.mock
import warnings

import torch
from torch import nn
from torch.nn.functional import silu

import jitnorm_torch
from jitnorm_torch import classes
from support import TestCase, leaf, random

IS_2 = torch.__version__ >= "2"
TYPES = (torch.float32, torch.bfloat16, torch.float16) if IS_2 else (torch.float32, torch.bfloat16)


class Norm(nn.Module):
    """What the formulas below have in common; it has no forward."""

    def __init__(self, columns=64, eps=1e-6, heads=()):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.5 * random((*heads, columns), seed=3))
        self.eps = eps

    def normalized(self, x):
        x = x.to(torch.float32)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class RoundedBeforeWeight(Norm):
    def forward(self, hidden_states):
        return self.weight * self.normalized(hidden_states).to(hidden_states.dtype)


class RoundedOnce(Norm):
    def forward(self, x):
        return (self.weight * self.normalized(x)).to(x.dtype)


class PlusOne(Norm):
    def forward(self, x):
        return (self.normalized(x.float()) * (1.0 + self.weight.float())).type_as(x)


class InWeightsType(Norm):
    def forward(self, x):
        y = x * torch.rsqrt(x.to(torch.float32).pow(2).mean(-1, keepdim=True) + self.eps)
        if self.weight.dtype in (torch.float16, torch.bfloat16):
            y = y.to(self.weight.dtype)
        return self.weight * y


class WithoutWeight(nn.Module):
    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


class GateAfter(Norm):
    def forward(self, hidden_states, gate=None):
        y = self.weight * self.normalized(hidden_states).to(hidden_states.dtype)
        if gate is not None:
            y = y * silu(gate.to(torch.float32))
        return y.to(hidden_states.dtype)


class GateBefore(Norm):
    def forward(self, x, gate=None):
        y = x.to(torch.float32)
        if gate is not None:
            y = y * silu(gate.to(torch.float32))
        return self.weight * self.normalized(y).to(x.dtype)


class Grouped(Norm):
    group_size = 0

    def __init__(self, columns=64, group_size=16):
        super().__init__(columns)
        self.group_size = group_size

    def forward(self, x, gate=None):
        y = x.to(torch.float32)
        if gate is not None:
            y = y * silu(gate.to(torch.float32))
        parts = y.view(*y.shape[:-1], y.shape[-1] // self.group_size, self.group_size)
        return self.weight * self.normalized(parts).view(y.shape).to(x.dtype)


class WithMean(Norm):
    def forward(self, x):
        y = x.float()
        y = y - y.mean(-1, keepdim=True)
        return (self.weight.float() * (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps))).to(x.dtype)


class Switched(RoundedOnce):
    """A setting decides what it computes."""

    scaled = True

    def forward(self, x):
        y = self.normalized(x)
        return (y * self.weight if self.scaled else y).to(x.dtype)


FORMULAS = (  # class, arguments of its constructor, whether it is called with a gate, the operator in bfloat16
    (RoundedBeforeWeight, {}, False, "rms_norm(round_normalized=True)"),
    (RoundedOnce, {}, False, "rms_norm()"),
    (PlusOne, {}, False, "rms_norm(plus_one=True)"),
    (InWeightsType, {}, False, "rms_norm(round_normalized=True)"),
    (WithoutWeight, {}, False, "rms_norm()"),
    (GateAfter, {}, True, "gated_rms_norm(round_normalized=True)"),
    (GateAfter, {}, False, "rms_norm(round_normalized=True)"),
    (GateBefore, {}, True, "gated_rms_norm(norm_before_gate=False, round_normalized=True)"),
    (Grouped, {}, True, "gated_rms_norm(norm_before_gate=False, round_normalized=True) by groups of 16"),
    (WithMean, {}, False, "layer_norm()"),
    (WithMean, {"heads": (4,)}, False, "layer_norm()"),
    (RoundedBeforeWeight, {"heads": (4,)}, False, "rms_norm(round_normalized=True)"),
)


_numbers = itertools.count()


def fresh(kind):
    """A class that has not been seen."""
    return type(f"{kind.__name__}{next(_numbers)}", (kind,), {"forward": _copied(kind.forward)})


def _copied(function):
    own = type(function)(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    own.__kwdefaults__ = function.__kwdefaults__
    return own


def entry_of(kind):
    return [e for e in jitnorm_torch.report() if e.name == f"{kind.__module__}.{kind.__qualname__}"][-1:]


class ClassesTestCase(TestCase):
    def tearDown(self):
        jitnorm_torch.restore()

    def taken(self, kind, *arguments, module=None):
        """The result within the override, and the entry of the report."""
        module = module or kind()
        with jitnorm_torch.overridden([kind]):
            made = module(*arguments)
        return made, (entry_of(kind) or [None])[0]

    def assert_nearly_all_bits(self, got, expected):
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape))
        if got.dtype == torch.float32:
            self.assert_near(got, expected, 1e-6)
        else:
            self.assertLessEqual((got != expected).sum().item(), 1 + got.numel() * 1e-3)
            self.assert_near(got, expected)

    def assert_untouched(self, kind, *arguments, module=None, reason=""):
        own = kind.__dict__["forward"]
        module = module or kind()
        expected = module(*arguments)
        with jitnorm_torch.overridden([kind]):
            for _ in range(2):
                self.assert_same_bits(module(*arguments), expected)
        self.assertIs(kind.__dict__["forward"], own)
        self.assertFalse([e for e in entry_of(kind) if e.operators])
        if reason:
            self.assertIn(reason, entry_of(kind)[0].reason)


class Formulas(ClassesTestCase):
    def test_each_is_executed_with_its_own_roundings(self):
        for original, how, gated, operator in FORMULAS:
            for dtype in TYPES:
                kind = fresh(original)
                with self.subTest(kind=kind.__name__, how=how, dtype=dtype):
                    module = kind(**how).to(dtype)
                    shape = (3, 50, *how.get("heads", ()), 64)
                    x = leaf(random(shape, dtype))
                    tensors = [x] + [leaf(random(shape, dtype, 2))] * gated
                    gradient = random(shape, dtype, 9)

                    def run():
                        output = module(*tensors)
                        return (output.detach(), *torch.autograd.grad(output, [*tensors, *module.parameters()], gradient))

                    expected = run()
                    with jitnorm_torch.overridden([kind]):
                        got = run()
                    for a, b in zip(got[1:], expected[1:]):
                        self.assert_near(a, b, 2e-5 if dtype == torch.float32 else 2**-5)
                    self.assert_nearly_all_bits(got[0], expected[0])
                    (entry,) = entry_of(kind)
                    self.assertEqual(entry.calls, 1)
                    if dtype != torch.float32:
                        self.assertEqual(entry.operators, (operator,))

    def test_input_weight_and_gate_of_other_types(self):
        for dtype, others in ((torch.bfloat16, torch.float32), (torch.float32, torch.bfloat16)):
            for original, how, gated, _ in FORMULAS:
                kind = fresh(original)
                module = kind(**how).to(others)
                shape = (3, 20, *how.get("heads", ()), 64)
                tensors = [random(shape, dtype)] + [random(shape, others, 2)] * gated
                with self.subTest(kind=kind.__name__, dtype=dtype):
                    expected = module(*tensors)
                    got, entry = self.taken(kind, *tensors, module=module)
                    self.assert_nearly_all_bits(got.detach(), expected.detach())
                    if dtype == torch.bfloat16 and original is not InWeightsType and (gated or original is not GateAfter):
                        self.assertEqual(entry.calls, 1, entry)

    def test_what_is_no_such_formula_stays(self):
        class Scaled(RoundedOnce):
            def forward(self, x):
                return (self.weight * self.normalized(x) * 1.01).to(x.dtype)

        class EpsilonOutside(RoundedOnce):
            def forward(self, x):
                return (self.weight * x.float() / (x.float().pow(2).mean(-1, keepdim=True).sqrt() + self.eps)).to(x.dtype)

        class Sampled(RoundedOnce):
            def forward(self, x):
                return self.weight * x + torch.rand(()) * 0

        class ByChannels(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(random((8,)))

            def forward(self, x):
                y = x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6)
                return y * self.weight.view(-1, *[1] * (x.dim() - 2))

        class Linear(RoundedOnce):
            def forward(self, x):
                return x * self.weight

        class TwoArguments(RoundedOnce):
            def forward(self, x, positions):
                return (self.weight * self.normalized(x)).to(x.dtype) + positions.sum() * 0

        class WithPart(RoundedOnce):
            def __init__(self):
                super().__init__()
                self.part = nn.Linear(64, 64)

            def forward(self, x):
                return self.part(self.weight * self.normalized(x))

        class Raising(RoundedOnce):
            def forward(self, x):
                if x.shape[0] != 3:
                    raise ValueError("three rows, please")
                return self.weight * x

        x = random((3, 5, 64))
        for kind in (Scaled, Sampled, Linear, WithPart, Raising):
            with self.subTest(kind=kind):
                self.assert_untouched(kind, x)
        with self.subTest(kind=EpsilonOutside):
            self.assert_untouched(EpsilonOutside, x * 1e-3, module=EpsilonOutside(eps=1e-2))
        with self.subTest(kind=TwoArguments):
            self.assert_untouched(TwoArguments, x, torch.arange(5))
        with self.subTest(kind=ByChannels):
            self.assert_untouched(ByChannels, random((2, 8, 3, 8)))

    def test_random_numbers_are_those_of_a_run_without(self):
        class Dropping(nn.Module):
            def forward(self, x):
                return x * (torch.rand(x.shape) > 0.5)

        x = random((3, 64))
        torch.manual_seed(3)
        expected = [Dropping()(x) for _ in range(3)]
        torch.manual_seed(3)
        with jitnorm_torch.overridden([Dropping]):
            got = [Dropping()(x) for _ in range(3)]
        for a, b in zip(got, expected):
            self.assert_same_bits(a, b)

    def test_groups_of_no_rows(self):
        kind = fresh(Grouped)
        module = kind()
        for shape in ((0, 64), (3, 0, 64), (3, 5, 64), (0, 64)):
            tensors = (random(shape), random(shape, seed=2))
            got, entry = self.taken(kind, *tensors, module=module)
            self.assertEqual(got.shape, shape)
        self.assertEqual(entry.calls, 4)

    def test_settings_are_followed(self):
        kind = fresh(Switched)
        module, x = kind(), random((3, 5, 64))
        for change in ({}, {"scaled": False}, {"eps": 0.5}, {"scaled": True}):
            vars(module).update(change)
            expected = module(x).detach()
            got, entry = self.taken(kind, x, module=module)
            self.assert_near(got.detach(), expected, 1e-6)
        self.assertEqual(entry.calls, 4)

    def test_a_setting_that_is_not_there(self):
        class Asking(RoundedOnce):
            def forward(self, x):
                y = self.normalized(x) * (self.weight if getattr(self, "scaled", True) else 1)
                return (y + 1 if hasattr(self, "shifted") else y).to(x.dtype)

        module, x = Asking(), random((3, 5, 64))
        for change, calls in (({}, 1), ({"scaled": False}, 2), ({"shifted": True}, 2)):
            vars(module).update(change)
            expected = module(x).detach()
            got, entry = self.taken(Asking, x, module=module)
            self.assert_near(got.detach(), expected, 1e-6)
            self.assertEqual(entry.calls, calls)

    def test_a_class_of_which_no_copy_can_be_made(self):
        class Made(RoundedOnce):
            def __new__(cls, columns):
                return super().__new__(cls)

            def forward(self, x):
                return (self.weight * self.normalized(x)).to(x.dtype)

        class Final(RoundedOnce):
            def __init_subclass__(cls):
                raise NotImplementedError("no class of mine")

            def forward(self, x):
                return (self.weight * self.normalized(x)).to(x.dtype)

        for kind, reason in ((Made, "TypeError: "), (Final, "NotImplementedError: no class of mine")):
            self.assert_untouched(kind, random((3, 64)), module=kind(64), reason=reason)

    def test_strides_are_those_of_its_own_results(self):
        class Contiguous(RoundedOnce):
            def forward(self, x):
                return (self.weight * self.normalized(x)).to(x.dtype).contiguous()

        for original in (RoundedBeforeWeight, GateBefore, Grouped, Contiguous):
            kind = fresh(original)
            module = kind()
            for x in (random((2, 6, 4, 64)).transpose(1, 2), random((2, 6, 4, 80))[..., 8:72], random((64, 5)).t()):
                tensors = (x, x.clone()) if original in (GateBefore, Grouped) else (x,)
                expected = module(*tensors)
                got, entry = self.taken(kind, *tensors, module=module)
                self.assert_near(got.detach(), expected.detach(), 1e-6)
                self.assertEqual(got.stride(), expected.stride())
            self.assertEqual(entry.calls, 3 if original is Contiguous else 2, entry)  # rows that lie across: not of the others

    def test_a_call_that_broadcasts_after_one_that_does_not(self):
        for original in (GateAfter, GateBefore):
            kind = fresh(original)
            module, x = kind(), random((3, 5, 64))
            with jitnorm_torch.overridden([kind]):
                module(x, random((3, 5, 64), seed=2))
                for gate in (random(64, seed=2), random((1, 1, 64), seed=2), random((3, 5, 1), seed=2)):
                    self.assert_same_bits(module(x, gate), original.forward(module, x, gate))
                module(x, random((3, 5, 64), seed=2))
            self.assertEqual(entry_of(kind)[0].calls, 2)

    def test_a_weight_that_broadcasts_after_one_that_does_not(self):
        kind = fresh(RoundedBeforeWeight)
        module = kind(heads=(4,))
        x, one = random((3, 5, 4, 64)), random((3, 5, 1, 64))
        for calls in ((x, one), (one, x)):
            with jitnorm_torch.overridden([kind]):
                for tensor in calls:
                    expected = RoundedBeforeWeight.forward(module, tensor)
                    got = module(tensor)
                    self.assert_near(got.detach(), expected.detach(), 0 if tensor is one else 1e-6)
        self.assertEqual(entry_of(kind)[0].calls, 2)
        over_rows = kind(heads=(1,))  # a dimension of 1 is for any number of rows
        self.taken(kind, x, module=over_rows)
        self.assertEqual(entry_of(kind)[0].calls, 3)

    def test_other_shapes_are_as_ever(self):
        kind = fresh(RoundedBeforeWeight)
        module = kind()
        for shape in ((64,), (0, 64), (1, 1, 64), (3, 1), (2, 3, 4, 5, 64)):
            expected = module(random(shape)).detach()
            got, _ = self.taken(kind, random(shape), module=module)
            self.assert_near(got.detach(), expected, 1e-6)
        with jitnorm_torch.overridden([kind]), self.assertRaisesRegex(RuntimeError, "must match the size of tensor b"):
            module(random((3, 63)))


class Modules(ClassesTestCase):
    """What is around a forward."""

    def setUp(self):
        self.kind = fresh(RoundedBeforeWeight)
        self.module, self.x = self.kind().bfloat16(), random((3, 5, 64), torch.bfloat16)

    def test_calls_by_name(self):
        gated = fresh(GateAfter)
        module = gated()
        x, gate = random((3, 64)), random((3, 64), seed=2)
        expected = module(x, gate)
        with jitnorm_torch.overridden([gated]):
            for got in (module(x, gate), module(x, gate=gate), module(gate=gate, hidden_states=x)):
                self.assert_near(got.detach(), expected.detach(), 1e-6)
            self.assert_near(module(x, gate=None).detach(), module(x).detach())
            with self.assertRaises(TypeError):
                module(x, nothing=gate)
            with self.assertRaises(TypeError):
                module()
        self.assertEqual(entry_of(gated)[0].calls, 5)

    def test_mistakes_are_reported_and_change_nothing(self):
        own = self.kind.__dict__["forward"]
        for classes, reason in (
            (self.module, "not .*; give its class, "),
            ([self.module], "not .*; give its class, "),
            (torch.nn.Sequential(), "not .*; give its class, Sequential"),
            (5, "classes are names of packages, classes of modules, or 'all', not 5"),
            ([str], "or 'all', not <class 'str'>"),
        ):
            with self.assertRaisesRegex(TypeError, reason):
                jitnorm_torch.override(classes)
            with self.assertRaisesRegex(TypeError, reason), jitnorm_torch.overridden(classes):
                pass
        self.assertIs(self.kind.__dict__["forward"], own)
        jitnorm_torch.restore()

    def test_a_class_by_itself_and_an_iterator(self):
        for classes in (self.kind, iter([self.kind]), [self.kind, "all"]):
            with jitnorm_torch.overridden(classes):
                self.module(self.x)
        self.assertEqual(entry_of(self.kind)[0].calls, 3)

    def test_restore_and_scopes(self):
        own = self.kind.__dict__["forward"]
        jitnorm_torch.override([self.kind])
        self.assertIsNot(self.kind.forward, own)
        with jitnorm_torch.overridden([self.kind]):
            jitnorm_torch.restore()
            self.assertIsNot(self.kind.forward, own)
            with jitnorm_torch.overridden():
                pass
            self.assertIsNot(self.kind.forward, own)
        self.assertIs(self.kind.forward, own)
        jitnorm_torch.override("all")
        self.assertIsNot(self.kind.forward, own)
        jitnorm_torch.override()
        self.assertIs(self.kind.forward, own)
        jitnorm_torch.override(self.kind.__module__)
        self.assertIsNot(self.kind.forward, own)

    def test_a_forward_of_the_module_is_respected(self):
        self.module.forward = lambda x: x + 1
        with jitnorm_torch.overridden([self.kind]):
            self.assert_same_bits(self.module(self.x), self.x + 1)
            del self.module.forward
            own = self.module.forward  # as hooks of accelerate do it
            self.module.forward = lambda x: own(x) * 2
            expected = self.module(self.x)
        self.assertEqual(entry_of(self.kind)[0].calls, 1)
        self.assert_nearly_all_bits(self.module(self.x).detach(), expected.detach())
        self.assertEqual(entry_of(self.kind)[0].calls, 1)  # the forward that was kept is the class's own now
        with jitnorm_torch.overridden([self.kind]):
            self.module(self.x)
        self.assertEqual(entry_of(self.kind)[0].calls, 2)

    def test_a_forward_that_others_set_is_respected(self):
        jitnorm_torch.override([self.kind])
        mine = lambda self, x: x - 1  # noqa: E731
        self.kind.forward = mine
        jitnorm_torch.restore()
        self.assertIs(self.kind.forward, mine)

    def test_names_states_and_copies(self):
        state = {name: value.clone() for name, value in self.module.state_dict().items()}
        attributes, text = list(vars(self.module)), repr(self.module)
        with jitnorm_torch.overridden([self.kind]):
            self.module(self.x)
            self.assertEqual((list(vars(self.module)), repr(self.module)), (attributes, text))
            self.assertEqual(list(self.module.state_dict()), list(state))
            self.assertIs(type(self.module), self.kind)
            self.assertIsInstance(self.module, RoundedBeforeWeight)
            self.assertEqual(self.kind.forward.__name__, "forward")
            self.assertEqual(list(copy.deepcopy(self.module).state_dict()), list(state))
            plain = RoundedBeforeWeight()
            with jitnorm_torch.overridden([RoundedBeforeWeight]):
                plain(random((2, 64)))
                again = pickle.loads(pickle.dumps(plain))
                file = io.BytesIO()
                torch.save(plain.state_dict(), file)
        self.assert_same_bits(again(random((2, 64))), plain(random((2, 64))))

    def test_hooks_run(self):
        seen = []
        self.module.register_forward_pre_hook(lambda module, given: seen.append("before"))
        self.module.register_forward_hook(lambda module, given, made: made * 2)
        expected = self.module(self.x)
        with jitnorm_torch.overridden([self.kind]):
            self.assert_nearly_all_bits(self.module(self.x).detach(), expected.detach())
        self.assertEqual(seen, ["before"] * 2)

    def test_meta_tensors_and_subclasses_of_tensors(self):
        class Own(torch.Tensor):
            pass

        with jitnorm_torch.overridden([self.kind]):
            self.assertEqual(self.kind().to("meta")(torch.empty((3, 64), device="meta")).device.type, "meta")
            self.assertIsInstance(self.module(self.x.as_subclass(Own)), Own)
        self.assertEqual(sum(e.calls for e in entry_of(self.kind)), 0)

    def test_a_class_that_calls_its_base(self):
        base = self.kind

        class Half(base):
            def forward(self, x):
                return super().forward(x) * 0.5

        class Same(base):
            def forward(self, x):
                return super().forward(x)

        for kind, calls in ((Half, 1), (Same, 1)):
            module = kind()
            expected = module(self.x.float())
            with jitnorm_torch.overridden([base, kind]):
                self.assert_near(module(self.x.float()).detach(), expected.detach(), 1e-6)
            own = [e for e in jitnorm_torch.report() if e.name.endswith(kind.__qualname__)]
            self.assertEqual(sum(e.calls for e in own), calls, own)

    def test_jit_trace_and_script_see_its_own(self):
        with jitnorm_torch.overridden([self.kind]):
            for _ in range(2):
                traced = torch.jit.trace(self.module, (self.x,))
                self.assertNotIn("jitnorm::", str(traced.graph))
                self.module(self.x)

    def test_a_first_call_within_a_mode(self):
        from torch.overrides import TorchFunctionMode

        class Mode(TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                return function(*args, **(kwargs or {}))

        expected = self.module(self.x).detach()
        with jitnorm_torch.overridden([self.kind]):
            for mode in (Mode(), torch.device("cpu")) if IS_2 else (Mode(),):
                with mode:
                    self.assert_same_bits(self.module(self.x).detach(), expected)
            self.assertEqual(entry_of(self.kind), [])
            self.assert_nearly_all_bits(self.module(self.x).detach(), expected)
        self.assertEqual(entry_of(self.kind)[0].calls, 1)

    def test_autocast_is_asked_for_without_a_warning(self):
        def asked(device=None):
            if device is None:
                raise AssertionError("this is about GPUs")
            return device == "cpu"

        with unittest.mock.patch.object(torch, "is_autocast_enabled", asked):
            self.assertTrue(classes._query_of_autocast()())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertFalse(classes._is_autocast())
            with torch.autocast("cpu", torch.bfloat16):
                self.assertTrue(classes._is_autocast())

    def test_threads_meet_it_at_once(self):
        results = []
        expected = self.module(self.x).detach()
        with jitnorm_torch.overridden([self.kind]):
            work = [threading.Thread(target=lambda: results.append(self.module(self.x).detach())) for _ in range(8)]
            for thread in work:
                thread.start()
            for thread in work:
                thread.join()
        self.assertEqual(len(results), 8)
        for made in results:
            self.assert_nearly_all_bits(made, expected)

    def test_a_second_derivative(self):
        for original, how, gated, _ in FORMULAS:
            kind = fresh(original)
            module = kind(**how)
            shape = (3, *how.get("heads", ()), 64)
            tensors = [leaf(random(shape))] + [leaf(random(shape, seed=2))] * gated
            leaves = [*tensors, *module.parameters()]

            def second():
                first = torch.autograd.grad(module(*tensors).pow(3).sum(), leaves, create_graph=True)
                return torch.autograd.grad(sum(g.pow(2).sum() for g in first), leaves)

            with self.subTest(kind=kind.__name__):
                expected = second()
                with jitnorm_torch.overridden([kind]):
                    got = second()
                for a, b in zip(got, expected):
                    self.assert_near(a, b, 1e-4)
                self.assertEqual(entry_of(kind)[0].calls, 1)

    def test_forward_mode(self):
        import torch.autograd.forward_ad as forward_ad

        for original, how, gated, _ in FORMULAS:
            kind = fresh(original)
            module = kind(**how)
            shape = (3, *how.get("heads", ()), 64)

            def tangent():
                with forward_ad.dual_level():
                    x = forward_ad.make_dual(random(shape), random(shape, seed=5))
                    made = module(*[x] + [random(shape, seed=2)] * gated)
                    return forward_ad.unpack_dual(made).tangent.detach()

            expected = tangent()
            with jitnorm_torch.overridden([kind]):
                self.assert_near(tangent(), expected, 1e-5)
                self.assert_near(tangent(), expected, 1e-5)

    @unittest.skipUnless(IS_2, "PyTorch 2 tells of registrations")
    def test_classes_that_come_later(self):
        jitnorm_torch.override("all")

        class Later(RoundedBeforeWeight):
            def forward(self, hidden_states):
                return self.weight * self.normalized(hidden_states).to(hidden_states.dtype)

        nn.Sequential(Later())(self.x)
        Later()(self.x)
        self.assertEqual(entry_of(Later)[0].calls, 2)

    @unittest.skipUnless(IS_2, "torch.compile came with PyTorch 2")
    def test_nothing_is_taken_where_it_is_compiled(self):
        graphs = []

        def backend(graph, _):
            graphs.append(str(graph.graph))
            return graph.forward

        expected = self.module(self.x)
        with jitnorm_torch.overridden([self.kind]):
            self.module(self.x)
            compiled = torch.compile(self.module, backend=backend, fullgraph=True)
            self.assert_same_bits(compiled(self.x), expected)
        self.assertIn("rsqrt", graphs[0])
        self.assertEqual(entry_of(self.kind)[0].calls, 1)

    @unittest.skipUnless(IS_2, "torch.compile came with PyTorch 2")
    def test_modules_that_a_compiled_forward_makes(self):
        class Slicing(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = nn.ModuleList(RoundedBeforeWeight() for _ in range(3))

            def forward(self, x):
                for part in self.parts[:2]:  # a ModuleList of its own, whose registrations are seen
                    x = part(x)
                return x

        net, x = Slicing(), random((3, 64))
        expected = net(x)
        with jitnorm_torch.overridden("all"):
            self.assert_near(net(x).detach(), expected.detach(), 1e-6)
            compiled = torch.compile(net, backend="eager", fullgraph=True)
            self.assert_same_bits(compiled(x).detach(), expected.detach())

    @unittest.skipUnless(hasattr(torch, "func") and hasattr(torch.library, "register_vmap"), "PyTorch 2.5")
    def test_transforms(self):
        from torch import func

        module, x = self.kind(), random((4, 3, 64))
        for transform in (lambda f: func.vmap(f), lambda f: func.grad(lambda t: f(t).pow(2).sum()),
                          lambda f: lambda t: func.jvp(f, (t,), (t,))[1], lambda f: func.vmap(func.grad(lambda t: f(t).sum()))):  # fmt: skip
            expected = transform(module)(x)
            for _ in range(2):
                with jitnorm_torch.overridden([self.kind]):
                    self.assert_near(transform(module)(x).detach(), expected.detach(), 1e-5)
                    module(x)


if __name__ == "__main__":
    unittest.main()
