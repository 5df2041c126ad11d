"""Structs: classes of named values, declared as with `dataclasses` and made in a tenth of its time.

`dataclasses` writes and compiles methods for every class, a quarter of the start-up of a short run. Here all structs
share theirs. Type checkers know them by PEP 681.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")


class FrozenStructError(AttributeError):
    """A struct that does not change was to be changed."""


class _Factory:
    """Default of a field that is made anew for each struct."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], Any]) -> Any:
    """A field whose default is made anew for each struct."""
    return _Factory(default_factory)


@overload
def struct(cls: type[T], /) -> type[T]: ...
@overload
def struct(*, frozen: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def struct(cls: type[T] | None = None, /, *, frozen: bool = True, eq: bool = True) -> Any:
    """Make a class a struct of the names it annotates, after those of the structs it inherits from.

    Values are given in order or by name, and shown by `repr`. `frozen`: they stay as they are, and equal structs hash
    alike. `eq`: structs of one class with equal values are equal; without it each equals itself alone.
    """
    if cls is None:
        return lambda decorated: _made(decorated, frozen, eq)
    return _made(cls, frozen, eq)


def replace(original: T, /, **changes: Any) -> T:
    """A struct like `original`, with some values changed."""
    cls: Any = type(original)
    made: T = cls(**({name: getattr(original, name) for name in cls._fields} | changes))
    return made


def _made(cls: Any, frozen: bool, eq: bool) -> Any:
    own = [name for name, kind in vars(cls).get("__annotations__", {}).items() if not kind.startswith("ClassVar")]
    defaults = {**getattr(cls, "_defaults", {}), **{name: vars(cls)[name] for name in own if name in vars(cls)}}
    cls._fields = tuple(dict.fromkeys((*getattr(cls, "_fields", ()), *own)))
    cls._defaults = defaults
    cls.__init__ = _init
    cls.__repr__ = _repr
    if eq:
        cls.__eq__ = _eq
        cls.__hash__ = _hash if frozen else None
    if frozen:
        cls.__setattr__ = cls.__delattr__ = _refuse
    return cls


def _init(self: Any, /, *values: Any, **named: Any) -> None:
    cls = type(self)
    names = cls._fields
    given = self.__dict__
    given.update(zip(names, values, strict=False))
    if len(values) > len(names) or not given.keys().isdisjoint(named):
        raise TypeError(f"{cls.__name__}: too many values, or one given twice")
    given.update(named)
    if len(given) < len(names):
        for name, default in cls._defaults.items():
            if name not in given:
                given[name] = default.make() if isinstance(default, _Factory) else default
    if given.keys() != set(names):
        raise TypeError(f"{cls.__name__}: values of {', '.join(names)} expected, found {', '.join(given)}")


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in type(self)._fields)


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse(self: Any, name: str, value: object = None) -> NoReturn:
    raise FrozenStructError(f"{type(self).__name__}.{name} cannot be changed; `replace` makes another struct")
