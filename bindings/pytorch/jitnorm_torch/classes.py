# SPDX-License-Identifier: Apache-2.0
"""Module classes that compute a normalization in operators of PyTorch, executed by jitnorm's operators in their place.

Which formula a class computes, and where it rounds, is found by its behaviour (probes.py) when one of its modules is called
for the first time: with the types, sizes and settings of this call. The class gets a `forward` that looks up what was
found, and calls the class's own for all else. So modules keep their class, their names, parameters and hooks."""

import functools
import inspect
import threading
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

import torch
from torch import Tensor, nn

from . import probes

Wanted = Union[str, type, Iterable[Union[str, type]]]
DEFAULT = ("transformers", "transformers_modules")  # the latter has the code that comes with models

_lock = threading.RLock()
_scopes: List[Wanted] = []  # what is wanted by those who are within an override; of all of them together
_switched: List[Wanted] = []  # the same by override(); at most one
_applied: List[Wanted] = []  # what classes have been considered for
_own: Dict[type, Callable[..., Any]] = {}  # of each class that has a forward of ours the one that it had
_seen: Dict[Callable[..., Any], Dict[type, "_Class"]] = {}  # by forward and by the class of a module, which may inherit it
_given_up: Set[type] = set()  # classes that have their own forward for good
_sighted: Set[type] = set()  # classes that were considered since the last change of what is wanted
_hooks: List[Any] = []

_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) or (lambda: False)
_count_modes = getattr(torch._C, "_len_torch_dispatch_stack", None) or (lambda: 0)
_current_transform = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", None) or (lambda: None)
_count_function_modes = getattr(torch._C, "_len_torch_function_stack", None) or (lambda: 0)


def _query_of_autocast() -> Callable[[], bool]:
    """What says whether autocast is on for CPUs: PyTorch 2.4 and later warn of is_autocast_cpu_enabled()."""
    try:
        torch.is_autocast_enabled("cpu")
    except TypeError:  # before, it is about GPUs and takes no argument
        return torch.is_autocast_cpu_enabled
    return functools.partial(torch.is_autocast_enabled, "cpu")


_is_autocast = _query_of_autocast()


class Entry(NamedTuple):
    """What became of a class: a line of report()."""

    name: str
    operators: Tuple[str, ...]  # that execute it, for one or another combination of types
    calls: int  # that they have executed
    reason: str  # why the class, or some of its calls, stay as they are; empty if none do

    def __str__(self) -> str:
        taken = f"{', '.join(self.operators)}; {self.calls} calls" if self.operators else "not taken"
        return f"{self.name}: {taken}" + (f" ({self.reason})" if self.reason else "")


class _Class:
    """The modules of one class that are executed by one `forward`, which may be that of a base."""

    def __init__(self, forward: Callable[..., Any]) -> None:
        self.forward = forward
        self.settings: Tuple[str, ...] = ()  # attributes that it reads, beside parameters and epsilon
        self.known: Dict[Any, Optional[probes.Found]] = {}
        self.reasons: Dict[str, None] = {}  # in the order of calls
        self.calls = 0

    def key(self, module: nn.Module, given: Tuple[Any, ...]) -> Any:
        """All that decides what the module does with its arguments, other than values of tensors and epsilon."""
        state = module.__dict__
        x = given[0]
        return (
            tuple([None if t is None else t.dtype for t in given]),
            tuple(
                [
                    None if p is None else (p.dtype, p.shape, p.dim() < 2 or probes.fits(p, x))
                    for p in state["_parameters"].values()
                ]
            ),
            x.dim(),
            x.shape[-1] if x.dim() else 0,
            len(given) < 2 or given[1].shape == x.shape,
            None if x.is_contiguous() else probes.order_of(x),
            _is_autocast(),
            tuple([state.get(name) for name in self.settings]),
        )

    def learn(self, module: nn.Module, given: Tuple[Any, ...], key: Any) -> Optional[probes.Found]:
        with _lock:
            if key in self.known:
                return self.known[key]
            try:
                found, settings = probes.find(self.forward, module, given)
            except probes.Unfit as unfit:
                self.known[key] = None
                if unfit.structural or not (
                    any(self.known.values()) or probes.is_normalization(self.forward, module, len(given))
                ):
                    _give_up(type(module), self.forward)
                if not module._modules:
                    self.reasons[str(unfit)] = None
                return None
            new = [name for name in settings if name not in self.settings]
            if new:  # what was found before did not depend on them, but its keys lack them
                self.settings += tuple(new)
                self.known.clear()
                key = self.key(module, given)
            self.known[key] = found
            return found


def _give_up(kind: type, forward: Callable[..., Any]) -> None:
    """The class is not a normalization: it gets its own forward back for good."""
    if _own.get(kind) is forward:
        _given_up.add(kind)
        kind.forward = _own.pop(kind)  # type: ignore[attr-defined]


def _replacement(kind: type, own: Callable[..., Any]) -> Callable[..., Any]:
    names = tuple(inspect.signature(own).parameters)[1:3]
    seen = _seen.setdefault(own, {})

    @functools.wraps(own)
    def forward(self: nn.Module, *given: Any, **named: Any) -> Any:
        if _is_compiling() or _own.get(kind) is not own:  # a hook keeps it beyond restore()
            return own(self, *given, **named)
        made = _run(own, seen, self, _by_position(given, named, names) if named else given)
        return own(self, *given, **named) if made is None else made

    return forward


def _by_position(given: Tuple[Any, ...], named: Dict[str, Any], names: Tuple[str, ...]) -> Tuple[Any, ...]:
    """The tensors of a call with names; none if there are other arguments."""
    rest = names[len(given) :]
    if any(name not in rest for name in named) or not (given or names[0] in named):
        return ()
    return (*given, *(named[name] for name in rest if name in named))


def _run(
    own: Callable[..., Any], seen: Dict[type, _Class], module: nn.Module, given: Tuple[Any, ...]
) -> Optional[Tensor]:
    """None where the class's own forward must do it."""
    if len(given) == 2 and given[1] is None:
        given = given[:1]
    if not 1 <= len(given) <= 2 or _count_modes():
        return None
    for tensor in given:
        if type(tensor) is not Tensor or not tensor.is_cpu:
            return None
    entry = seen.get(type(module))
    if entry is None:
        if probes.is_probe(type(module)):
            return None
        entry = seen.setdefault(type(module), _Class(own))
    try:
        key = entry.key(module, given)
        found = entry.known[key]
    except KeyError:
        if _is_watched():
            return None
        found = entry.learn(module, given, key)
    except TypeError:  # a setting that has no hash
        return None
    made = None if found is None else found(module, *given)
    if made is not None:
        entry.calls += 1
    return made


def _is_watched() -> bool:
    """Whether what a probe computes might be traced, transformed or seen by a mode, as that of a default device."""
    return (
        torch._C._get_tracing_state() is not None or _current_transform() is not None or _count_function_modes() > 0
    )


def _wants(wanted: Wanted, kind: type) -> bool:
    if wanted == "all":
        return not kind.__module__.startswith(("torch.", "jitnorm_torch."))
    for one in (wanted,) if isinstance(wanted, str) else wanted:
        if one is kind or isinstance(one, str) and (kind.__module__ + ".").startswith(one + "."):
            return True
    return False


def checked(wanted: Wanted) -> Wanted:
    """What is wanted as a text or a tuple. TypeError if it is neither names nor classes of modules."""
    if isinstance(wanted, str):
        return wanted
    alone = isinstance(wanted, (type, nn.Module)) or not isinstance(wanted, Iterable)
    listed = (wanted,) if alone else tuple(wanted)
    for one in listed:
        if not isinstance(one, str) and not (isinstance(one, type) and issubclass(one, nn.Module)):
            hint = f"; give its class, {type(one).__qualname__}" if isinstance(one, nn.Module) else ""
            raise TypeError(f"classes are names of packages, classes of modules, or 'all', not {one!r:.200}{hint}")
    return "all" if "all" in listed else listed


def _is_candidate(kind: type) -> bool:
    """Whether its own forward takes one or two tensors, and nothing else that it must be given."""
    own = kind.__dict__.get("forward")
    code = getattr(inspect.unwrap(own), "__code__", None) if inspect.isfunction(own) else None
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return False
    required = code.co_argcount - len(inspect.unwrap(own).__defaults__ or ())
    return code.co_argcount >= 2 and required <= 3


def _consider(kind: type) -> None:
    if kind in _own or kind in _given_up or not _is_candidate(kind):
        return
    if any(_wants(wanted, kind) for wanted in _applied):
        own = kind.__dict__["forward"]
        _own[kind] = own
        kind.forward = _replacement(kind, own)  # type: ignore[attr-defined]


def _descendants(kind: type) -> Iterable[type]:
    found, rest = {kind}, [kind]
    while rest:
        for one in type.__subclasses__(rest.pop()):
            if one not in found:
                found.add(one)
                rest.append(one)
    return found


def _sight(module: nn.Module, name: str, part: Any) -> None:
    """Looks at the classes of a module that gets a part, and of the part."""
    if _is_compiling():
        return
    for one in (module, part):
        if isinstance(one, nn.Module) and type(one) not in _sighted:
            with _lock:
                for kind in type(one).__mro__:
                    if issubclass(kind, nn.Module) and kind not in _sighted:
                        _sighted.add(kind)
                        _consider(kind)


def _update() -> None:
    """Gives classes a forward of ours, or theirs back, as is wanted now."""
    active = []
    for one in _scopes + _switched:
        if one not in active:
            active.append(one)
    if _applied == active:
        return
    _applied[:] = active
    for kind, own in list(_own.items()):
        if not any(_wants(wanted, kind) for wanted in active):
            if getattr(kind.__dict__.get("forward"), "__wrapped__", None) is own:
                kind.forward = own  # type: ignore[attr-defined]
            del _own[kind]
    while _hooks:
        _hooks.pop().remove()
    _sighted.clear()
    if active:
        for kind in _descendants(nn.Module):
            _sighted.add(kind)
            _consider(kind)
        for what in ("module", "parameter"):  # PyTorch 2
            register = getattr(nn.modules.module, f"register_module_{what}_registration_hook", None)
            if register is not None:
                _hooks.append(register(_sight))


def switch(wanted: Optional[Wanted]) -> None:
    """None ends it."""
    with _lock:
        _switched[:] = [] if wanted is None else [wanted]
        _update()


def enter(wanted: Wanted) -> None:
    with _lock:
        _scopes.append(wanted)
        _update()


def leave(wanted: Wanted) -> None:
    with _lock:
        _scopes.remove(wanted)
        _update()


def report() -> List[Entry]:
    with _lock:
        lines = []
        for kind, entry in (pair for seen in _seen.values() for pair in seen.items()):
            operators = dict.fromkeys(found.name for found in entry.known.values() if found is not None)
            if operators or entry.reasons:
                name = f"{kind.__module__}.{kind.__qualname__}"
                lines.append(Entry(name, tuple(operators), entry.calls, "; ".join(entry.reasons)))
        return lines
