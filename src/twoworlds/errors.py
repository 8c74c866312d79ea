"""What this package refuses, and how it says so.

    TwoWorldsError
    ├── ArgumentError          (ValueError)   an argument has a value that cannot be used
    │   ├── GridError                         the noise asked for does not fit 64-bit integers
    │   ├── UnitError                         two statements are about different units
    │   ├── NoErrorLawError                   a number has no public error law to read
    │   ├── CalibrationError                  no parameter reaches what was asked
    │   ├── SourceError                       a source that cannot be opened
    │   └── ExpressionError                   an expression that is not row-wise, deterministic and total
    ├── ArgumentTypeError      (TypeError)    an argument is of a kind that cannot be used
    │   └── NotAGuaranteeError                something measured was used as something proved
    ├── UnknownNameError       (KeyError)     a name that does not exist, and those that do
    ├── QueryError             (RuntimeError) a query on a source did not finish
    │   └── DeadlineError      (TimeoutError) it ran longer than it was allowed to
    ├── MissingExtraError      (ImportError)  an optional library is not installed
    └── EntropyError           (OSError)      the kernel gives no random bits, so nothing is drawn

Every class also inherits the built-in error a Python programmer would expect. A message names the argument, its value
and what to do next. No message ever holds a protected value: a refusal depends on public things only.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "CalibrationError",
    "DeadlineError",
    "EntropyError",
    "ExpressionError",
    "GridError",
    "MissingExtraError",
    "NoErrorLawError",
    "NotAGuaranteeError",
    "QueryError",
    "SourceError",
    "TwoWorldsError",
    "UnitError",
    "UnknownNameError",
]


class TwoWorldsError(Exception):
    """The root of every error this package raises on purpose."""


class ArgumentError(TwoWorldsError, ValueError):
    """An argument has a value that cannot be used."""

    @classmethod
    def expected(cls, name: str, value: object, rule: str, advice: str = "") -> ArgumentError:
        """The usual sentence: what was given, what is allowed, what to do."""
        return cls(f"{name}={shown(value)}: {rule}{_sentence(advice)}")


class GridError(ArgumentError):
    """The noise asked for does not fit 64-bit integers."""


class UnitError(ArgumentError):
    """Two statements are about different units."""

    @classmethod
    def clash(cls, left: object, right: object) -> UnitError:
        """Two guarantees that protect different things were to be put together."""
        return cls(
            f"these guarantees protect different units and cannot be added: {left} and {right}. "
            "State the same unit for both (unit=...), or convert with .under('replace') where one says remove."
        )


class NoErrorLawError(ArgumentError):
    """A number has no public error law to read."""


class CalibrationError(ArgumentError):
    """No parameter reaches what was asked."""


class SourceError(ArgumentError):
    """A source that cannot be opened."""

    @classmethod
    def cannot(cls, source: object, why: str, advice: str = "") -> SourceError:
        """What was to be opened and why it is not: never what stands in it."""
        return cls(f"source={shown(source)}: {why}{_sentence(advice)}")


class ExpressionError(ArgumentError):
    """An expression that is not row-wise, deterministic and total."""


class ArgumentTypeError(TwoWorldsError, TypeError):
    """An argument is of a kind that cannot be used."""

    @classmethod
    def expected(cls, name: str, value: object, rule: str, advice: str = "") -> ArgumentTypeError:
        """The usual sentence, with the type in place of the value."""
        return cls(f"{name} is of type {type(value).__name__}: {rule}{_sentence(advice)}")


class NotAGuaranteeError(ArgumentTypeError):
    """Something measured was used as something proved."""


class UnknownNameError(TwoWorldsError, KeyError):
    """A name that does not exist, and those that do."""

    def __init__(self, kind: str, name: object, known: Iterable[object]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:  # KeyError would print the repr of its argument
        known = ", ".join(str(k) for k in self.known) or "none"
        return f"there is no {self.kind} {shown(self.name)}. Those that exist: {known}."


class QueryError(TwoWorldsError, RuntimeError):
    """A query on a source did not finish. Its text is constant: what an engine says may quote the data."""


class DeadlineError(QueryError, TimeoutError):
    """It ran longer than it was allowed to."""


class MissingExtraError(TwoWorldsError, ImportError):
    """An optional library is not installed."""

    @classmethod
    def needs(cls, what: str, library: str, extra: str) -> MissingExtraError:
        """What was asked for, the library it needs, and the extra that brings it."""
        return cls(f"{what} needs {library}. Install it with: pip install 'twoworlds[{extra}]'")


class EntropyError(TwoWorldsError, OSError):
    """The kernel gives no random bits, so nothing is drawn."""


def shown(value: object) -> str:
    """A public argument as a message shows it: never longer than a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _sentence(advice: str) -> str:
    return f". {advice}." if advice else "."
