"""One file per contender; every form is a function from a Parquet file to log-worths by system.

A module imports its library at the top, so that the clock starts after the imports. `Worths` is
the one thing that leaves a form: the natural log of the worth of each system, centred at zero.
"""

from collections.abc import Callable, Iterable

Worths = dict[str, float]
"""Log-worth (logits, mean zero) by system name."""

Form = Callable[[str], Worths]
"""One way of calling a library: takes the path of the Parquet file."""


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
