"""One file per contender; every form is a function from the path of a file to named numbers.

A module imports its library at the top, so that the clock starts after the imports. What leaves a
form of a fit are log-worths by system; others give what can be compared with another contender.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Values = dict[str, float]
"""What was computed, by name."""
Worths = Values
"""Log-worth (logits, mean zero) by system name."""


@dataclass(frozen=True)
class Answer:
    """Numbers that are compared, and others that are only shown beside them."""

    values: Values
    also: Values = field(default_factory=dict)


Form = Callable[[str], Values | Callable[[], Answer]]
"""One way of calling a library: takes the path of the Parquet file. Where it returns a function,
that is called when the clock has stopped: it looks at what was found."""


class TooLarge(RuntimeError):
    """The contender would need more memory or time than a bench may take."""


def parquet(path: str) -> str:
    """The file as a table of SQL, as a literal: a bound parameter makes DuckDB import pandas.

    >>> parquet("one's own.parquet")
    "read_parquet('one''s own.parquet')"
    """
    return "read_parquet('{}')".format(path.replace("'", "''"))


def centred(systems: Iterable[str], log_worth: Iterable[float]) -> Worths:
    """Log-worths by system with mean zero.

    >>> centred(["a", "b"], [3.0, 1.0])
    {'a': 1.0, 'b': -1.0}
    """
    values = [float(value) for value in log_worth]
    middle = sum(values) / len(values)
    return {str(system): value - middle for system, value in zip(systems, values, strict=True)}
