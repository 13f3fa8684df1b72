# SPDX-License-Identifier: Apache-2.0
"""Finds the operator that computes what a module computes, by rows whose results tell formulas and roundings apart.

The module's forward runs on a copy that shares nothing with the module but settings. Its results for two kinds of rows are
compared with those of each operator:

- *exact* rows, for which the sums, the mean of squares and its root have no rounding errors, whatever the order of the
  sums: all bits of bfloat16 and float16 must be equal, and float32 within two units;
- *other* rows, small ones where epsilon counts, rows with a mean, and plain ones: nearly all bits must be equal. Where one
  operator rounds at one place more than another one, a fifth of them differ."""

import itertools
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import torch
from torch import Tensor, nn

from . import _C

_INTERNAL = frozenset(vars(nn.Module())) - {"training"}
_TYPES = (torch.float32, torch.bfloat16, torch.float16)
_CONSTANTS = (1e-5, 1e-6, 1e-8, 1e-12, None)  # epsilons that a class may have in its code
_ROWS = 8
_Epsilon = Union[str, float, None]  # the name of the attribute that has it, or itself
_Run = Callable[[Tensor, Optional[Tensor], List[int], Optional[Tensor], Optional[Tensor], Any], Optional[Tensor]]


class Unfit(Exception):
    """Why a module is not executed by an operator. A structural reason does not depend on the types of a call."""

    def __init__(self, reason: str, structural: bool = False) -> None:
        super().__init__(reason)
        self.structural = structural


class _Formula(NamedTuple):
    name: str
    run: _Run
    parameters: int  # the largest number of them
    gate: bool = False


def _formulas() -> Iterator[_Formula]:
    flags = {False: "", True: "round_normalized=True"}
    for rounds in (False, True):
        for plus_one in (False, True):
            how = ", ".join(filter(None, ("plus_one=True" if plus_one else "", flags[rounds])))
            yield _Formula(
                f"rms_norm({how})",
                lambda x, gate, shape, weight, bias, eps, p=plus_one, r=rounds: _C.rms_norm(x, shape, weight, eps, p, r),
                1,
            )
        for first in (True, False):
            how = ", ".join(filter(None, ("" if first else "norm_before_gate=False", flags[rounds])))
            yield _Formula(
                f"gated_rms_norm({how})",
                lambda x, gate, shape, weight, bias, eps, f=first, r=rounds: _C.gated_rms_norm(x, gate, weight, eps, f, r),
                1,
                True,
            )
    yield _Formula(
        "layer_norm()", lambda x, gate, shape, weight, bias, eps: _C.layer_norm(x, shape, weight, bias, eps), 2
    )


FORMULAS = tuple(_formulas())


class Found(NamedTuple):
    """How modules of a class are executed. A call returns None where the class's own forward must do it."""

    formula: _Formula
    parameters: Tuple[str, ...]  # the names of weight and bias, as far as there are any
    epsilon: _Epsilon
    group: int  # how many elements are normalized together, if these are not all of a row; otherwise 0
    order: Optional[Tuple[int, ...]]  # the result's dimensions in the order of memory, where they are not in order

    @property
    def name(self) -> str:
        return self.formula.name + (f" by groups of {self.group}" if self.group else "")

    def __call__(self, module: nn.Module, x: Tensor, gate: Optional[Tensor] = None) -> Optional[Tensor]:
        own = module.__dict__["_parameters"]
        weight = own[self.parameters[0]] if self.parameters else None
        bias = own[self.parameters[1]] if len(self.parameters) > 1 else None
        epsilon = getattr(module, self.epsilon) if isinstance(self.epsilon, str) else self.epsilon
        if self.order is None and not self.group:
            return self.formula.run(x, gate, [x.shape[-1]], weight, bias, epsilon)
        order = self.order or tuple(range(x.dim()))
        x, gate = x.permute(order), None if gate is None else gate.permute(order)
        shape, group = x.shape, self.group or x.shape[-1]
        if self.group:
            parts = (*shape[:-1], shape[-1] // group, group)
            x, gate = (None if t is None else t.reshape(parts) for t in (x, gate))
            weight, bias = (None if t is None else t.view(-1, group) for t in (weight, bias))
        made = self.formula.run(x, gate, [group], weight, bias, epsilon)
        return None if made is None else made.view(shape).permute(_inverse(order))


def fits(parameter: Tensor, x: Tensor) -> bool:
    """Whether all dimensions of rows that the parameter has are 1 or the input's: it does not broadcast the input."""
    count = parameter.dim()
    if count < 2:
        return True
    return count <= x.dim() and all([a == b or a == 1 for a, b in zip(parameter.shape[:-1], x.shape[-count:-1])])


def order_of(x: Tensor) -> Tuple[int, ...]:
    """The dimensions in the order of memory: those with the largest strides first, as PyTorch orders new results."""
    strides = x.stride()
    return tuple(sorted(range(x.dim()), key=lambda d: -strides[d]))


def _inverse(order: Tuple[int, ...]) -> List[int]:
    return [order.index(d) for d in range(len(order))]


# The squares of each four have a mean that is the square of a whole number.
_FOURS = [
    four
    for root in (3, 5, 7)
    for four in itertools.combinations_with_replacement(range(2 * root + 1), 4)
    if sum(n * n for n in four) == 4 * root * root
]
_EXACT_SCALE = 256.0  # next to the squares of such rows an epsilon is nothing


def _random(count: int, seed: int, dtype: torch.dtype) -> Tensor:
    """Numbers of a normal distribution, more or less, without PyTorch's generators."""
    place = torch.arange(count, dtype=torch.float64, device="cpu") + 1
    sines = [(place * (12.9898 + 7.1 * seed + 1.7 * n)).sin().mul(43758.5453) for n in range(4)]
    return sum(((n - n.floor() - 0.5) for n in sines), torch.zeros(count, dtype=torch.float64, device="cpu")).mul(1.7).to(dtype)


def _exact_row(columns: int, seed: int) -> Tensor:
    """Its second half is minus the first one, so that its mean is zero."""
    half = columns // 2
    root = (3, 5, 7)[seed % 3]
    fours = [four for four in _FOURS if sum(n * n for n in four) == 4 * root * root]
    numbers = [n for place in range(half // 4) for n in fours[(7 * place + seed) % len(fours)]]
    first = torch.tensor(numbers + [root] * (half % 4), dtype=torch.float64, device="cpu")
    return torch.cat((first, -first.flip(0), torch.full((columns % 2,), float(root), dtype=torch.float64, device="cpu"))) * _EXACT_SCALE


class _Probe(NamedTuple):
    """Arguments of a call, of which the first `exact` rows are exact ones. Results are compared as they are."""

    x: Tensor
    gate: Optional[Tensor]
    exact: int


def _rows(columns: int, group: int, dtype: torch.dtype) -> Tensor:
    exact = [torch.cat([_exact_row(group, row + part) for part in range(columns // group)]) for row in range(_ROWS // 2)]
    rest = [_random(columns, 11 + row, torch.float64) for row in range(_ROWS - len(exact))]
    for row, (scale, mean) in enumerate(((1e-3, 0.0), (1.0, 3.0), (7.0, -1.0))):
        rest[row] = rest[row] * scale + mean
    return torch.stack(exact + rest).to(dtype)


def _gates(columns: int, dtype: torch.dtype) -> Tensor:
    """silu of the gates of exact rows is the gate, which is a power of two."""
    exact = torch.full((_ROWS // 2, columns), 64.0, dtype=dtype, device="cpu")
    return torch.cat((exact, _random((_ROWS // 2) * columns, 5, dtype).view(-1, columns) * 2))


class _Case:
    """A call that is probed: how its arguments are laid out."""

    def __init__(self, module: nn.Module, given: Tuple[Tensor, ...]) -> None:
        x = given[0]
        own = [p for p in module._parameters.values() if p is not None]
        self.tail = tuple(own[0].shape) if own else tuple(x.shape[-1:])
        of_row = x.dim() > 0 and x.shape[-1] == self.tail[-1] and x.shape[-1] >= 2
        if x.dim() < len(self.tail) or not of_row or not all(fits(p, x) for p in own):
            raise Unfit(f"an input of shape {tuple(x.shape)} with parameters of shape {self.tail}")
        self.lead = x.dim() - len(self.tail)
        self.order = None if x.is_contiguous() else order_of(x)
        if self.order is not None and self.lead == 0:
            raise Unfit("strides of an input that has the parameters' dimensions")
        self.types = [t.dtype for t in given]

    def probe(self, group: int) -> Iterator[_Probe]:
        columns = self.tail[-1]
        x = _rows(columns, group, self.types[0])
        gate = _gates(columns, self.types[1]) if len(self.types) > 1 else None
        middle = self.tail[:-1]
        for rows, exact in ((slice(0, _ROWS // 2), True), (slice(_ROWS // 2, _ROWS), False)):
            tensors = [None if t is None else self._shape(t[rows], middle) for t in (x, gate)]
            count = tensors[0].shape[0] if self.lead == 0 else 1  # type: ignore[union-attr]
            for row in range(count):
                one = [t if t is None or self.lead else t[row] for t in tensors]
                yield _Probe(one[0], one[1], int(exact))  # type: ignore[arg-type]

    def _shape(self, rows: Tensor, middle: Tuple[int, ...]) -> Tensor:
        """Rows as the call has them; where parameters have dimensions of rows, the same ones for each of these."""
        count = rows.shape[0]
        full = rows.view(count, *[1] * len(middle), -1).expand(count, *middle, rows.shape[-1])
        lead = [1] * (self.lead - 2) + [2, count // 2] if self.lead > 1 else [count]
        full = full.reshape(*lead, *middle, rows.shape[-1])
        if self.order is None:
            return full
        return full.permute(self.order).contiguous().permute(_inverse(self.order))


def is_probe(kind: type) -> bool:
    """Whether it is the class of a copy that find() has made."""
    return "_reads_of_probe" in kind.__dict__


def _copy(module: nn.Module, dtype: Optional[torch.dtype]) -> Tuple[nn.Module, Set[str]]:
    """A copy with parameters of its own, and the names of attributes that will be read of it. The parameters have the type,
    or, without one, those of the module's."""
    reads: Set[str] = set()

    def read(self: nn.Module, name: str) -> Any:
        reads.add(name)
        return super(kind, self).__getattribute__(name)  # type: ignore[misc]

    kind = type("Probe", (type(module),), {"__getattribute__": read, "_reads_of_probe": reads})
    copy = kind.__new__(kind)  # type: ignore[call-overload]
    state = {name: value.copy() if isinstance(value, (dict, list, set)) else value for name, value in vars(module).items()}
    state["_parameters"] = {
        name: None if p is None else _random(p.numel(), place, dtype or p.dtype).view(p.shape).mul(0.5).add(1 - place)
        for place, (name, p) in enumerate(module._parameters.items())
    }
    vars(copy).update(state)
    reads.clear()
    return copy, reads


def _check(module: nn.Module) -> None:
    own = [p for p in module._parameters.values() if p is not None]
    if module._modules or any(b is not None for b in module._buffers.values()):
        raise Unfit("it has parts or buffers", structural=True)
    if len(own) > 2 or any(p.dim() == 0 or p.shape != own[0].shape for p in own):
        raise Unfit("its parameters are not those of a normalization", structural=True)


def _settings(module: nn.Module, reads: Set[str]) -> List[str]:
    names = sorted(n for n in reads - _INTERNAL if not n.startswith("__") and n not in module._parameters)
    for name in names:
        value = vars(module).get(name)
        if not isinstance(value, (int, float, str, tuple, type(None), torch.dtype)) and not callable(value):
            raise Unfit(f"its result may depend on {name}, a {type(value).__name__}", structural=True)
    return names


def _same(theirs: Tensor, ours: Optional[Tensor], exact: bool) -> bool:
    if ours is None or ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    is_narrow = theirs.dtype != torch.float32
    if is_narrow and exact:
        return torch.equal(theirs, ours)
    if is_narrow and (theirs != ours).sum() * 64 > theirs.numel():
        return False
    a, b = theirs.double(), ours.double()
    unit = 2 * torch.finfo(theirs.dtype).eps if is_narrow else 0.0
    return bool(((a - b).abs() <= unit * a.abs() + 2e-6 * a.abs().amax(-1, keepdim=True)).all())


def _text_of(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _call(forward: Callable[..., Any], module: nn.Module, probe: _Probe) -> Tensor:
    x = probe.x.clone()
    try:
        made = forward(module, x) if probe.gate is None else forward(module, x, probe.gate.clone())
    except Exception as error:  # whatever a class may raise that is no normalization
        raise Unfit(_text_of(error)) from None
    if type(made) is not Tensor or made.shape != x.shape or made.dtype not in _TYPES:
        raise Unfit("its result is not a tensor as its input")
    if not torch.equal(x, probe.x):
        raise Unfit("it writes to its input", structural=True)
    return made


def find(
    forward: Callable[..., Any], module: nn.Module, given: Tuple[Tensor, ...], dtype: Optional[torch.dtype] = None
) -> Tuple[Found, List[str]]:
    """What executes such a call, and the names of those attributes on which this may depend. Raises Unfit. With a type, the
    parameters have that type."""
    try:
        return _find(forward, module, given, dtype)
    except Unfit:
        raise
    except Exception as error:  # of a class that cannot be copied or read
        raise Unfit(_text_of(error)) from None


def _find(
    forward: Callable[..., Any], module: nn.Module, given: Tuple[Tensor, ...], dtype: Optional[torch.dtype]
) -> Tuple[Found, List[str]]:
    _check(module)
    own = [p for p in module._parameters.values() if p is not None and dtype is None]
    if any(t.dtype not in _TYPES for t in (*given, *own)) or (len(given) > 1 and given[1].shape != given[0].shape):
        raise Unfit("a type or a shape of tensors that jitnorm does not take")
    case = _Case(module, given)
    state = torch.get_rng_state()
    try:
        with torch.no_grad():
            return _search(forward, *_copy(module, dtype), case)
    finally:
        if not torch.equal(torch.get_rng_state(), state):  # a class that draws numbers
            torch.set_rng_state(state)


def _search(forward: Callable[..., Any], copy: nn.Module, reads: Set[str], case: _Case) -> Tuple[Found, List[str]]:
    columns = case.tail[-1]
    names = [name for name, p in vars(copy)["_parameters"].items() if p is not None]
    results: Dict[int, List[Tuple[_Probe, Tensor]]] = {}

    def results_of(group: int) -> List[Tuple[_Probe, Tensor]]:
        if group not in results:
            results[group] = [(probe, _call(forward, copy, probe)) for probe in case.probe(group or columns)]
        return results[group]

    order = _order_of_results(case, results_of(0)[-1][1])
    settings = _settings(copy, reads)
    values = {name: getattr(copy, name, None) for name in settings}  # some may be missing
    numbers = [name for name, value in values.items() if type(value) is float]
    groups = [0] + [v for v in values.values() if type(v) is int and 1 < v < columns and columns % v == 0]
    chosen = [some for count in range(len(names), -1, -1) for some in itertools.permutations(names, count)]
    for formula, group, epsilon, weights in itertools.product(FORMULAS, groups, numbers or _CONSTANTS, chosen):
        if len(weights) > formula.parameters or formula.gate != (len(case.types) > 1) or (group and len(case.tail) > 1):
            continue
        found = Found(formula, weights, epsilon, group, order)
        if all(_same(theirs, _try(found, copy, probe), bool(probe.exact)) for probe, theirs in results_of(group)):
            return found, [name for name in settings if name != epsilon]
    types = " and ".join(str(t).replace("torch.", "") for t in case.types)
    raise Unfit(f"no operator has its results in {types}")


def _try(found: Found, module: nn.Module, probe: _Probe) -> Optional[Tensor]:
    try:
        return found(module, probe.x, probe.gate)
    except (RuntimeError, TypeError):
        return None


def _order_of_results(case: _Case, result: Tensor) -> Optional[Tuple[int, ...]]:
    if case.order is None or result.is_contiguous():
        return None
    if case.order[-1] != len(case.order) - 1 or not result.permute(case.order).is_contiguous():
        raise Unfit("strides of an input that is not a permutation of rows")
    return case.order


def is_normalization(forward: Callable[..., Any], module: nn.Module, count: int) -> bool:
    """Whether an operator computes this with so many tensors of one type, which the parameters have, too."""
    own = [p for p in module._parameters.values() if p is not None]
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.empty((2, *(own[0].shape if own else (64,))), dtype=dtype, device="cpu")
        try:
            find(forward, module, (x,) * count, dtype)
            return True
        except Unfit:
            pass
    return False
