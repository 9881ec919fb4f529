"""Measures one file with all contenders and compares what they computed."""

import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.contenders import Contender
from benchmarks.limits import Limits
from benchmarks.measure import Failed, Found, Timing, choose_form, in_turn
from benchmarks.peers import Values
from benchmarks.row import Row, version

ONCE = Limits(repeat=1)
NONE = "", None


def measured(
    path: Path, where: tuple[str, str], contenders: Sequence[Contender], limits: Limits
) -> Iterator[Row]:
    """Rows for one file; `where` is suite and case. Who lacks numbers is not the best peer."""
    found = in_turn(contenders, path, limits)
    known = References(path, contenders, found)
    apart = known.compare_all(contenders, found)
    whole = [one for one in contenders if apart.get(one.name, NONE)[1] != math.inf]
    floor = least(found, [one for one in contenders if one.role == "floor"][:1])
    peer = least(found, [one for one in whole if one.role == "peer"])
    for contender in contenders:
        timing = found[contender.name]
        start = (version("evenhand"), *where, contender.role, contender.name)
        packages = " ".join(f"{one}={version(one)}" for one in contender.packages)
        if isinstance(timing, Failed):
            yield Row(*start, gives=contender.gives, note=str(timing), versions=packages)
            continue
        cpu = min(timing.cpu)
        yield Row(
            *start,
            form=timing.form,
            gives=contender.gives,
            runs=len(timing.cpu),
            cpu_s=cpu,
            cpu_median_s=statistics.median(timing.cpu),
            wall_s=min(timing.wall),
            peak_mb=timing.peak,
            times_floor=cpu / floor if floor else None,
            times_peer=cpu / peer if peer else None,
            reference=apart[contender.name][0],
            difference=apart[contender.name][1],
            also=" ".join(f"{name}={value:.5g}" for name, value in timing.also.items()),
            versions=packages,
        )


def least(found: Found, contenders: Sequence[Contender]) -> float | None:
    """CPU seconds of the fastest of some contenders, if any was measured."""
    timings = [found[one.name] for one in contenders]
    return min((min(one.cpu) for one in timings if isinstance(one, Timing)), default=None)


class References:
    """What contenders' numbers are compared with: from the timed runs, or from one of its own."""

    def __init__(self, path: Path, contenders: Sequence[Contender], found: Found) -> None:
        self.path = path
        self.known: dict[str, Values] = {}
        for one in contenders:
            timing = found[one.name]
            if isinstance(timing, Timing):
                self.known[f"{one.module}.{timing.form}"] = timing.values

    def compare_all(
        self, contenders: Sequence[Contender], found: Found
    ) -> dict[str, tuple[str, float | None]]:
        """Reference and difference of all that were measured."""
        timings = {one: found[one.name] for one in contenders}
        return {
            one.name: self.compare(one, timing)
            for one, timing in timings.items()
            if isinstance(timing, Timing)
        }

    def compare(self, contender: Contender, timing: Timing) -> tuple[str, float | None]:
        """The name of the reference and the difference; none where nothing can be computed."""
        for name in contender.like:
            if timing.values and (values := self.values(name)):
                asked = contender.numbers or tuple(values)
                own = {one: values[one] for one in asked if one in values}
                return name, compare_numbers(timing.values, own)
        return NONE

    def values(self, name: str) -> Values:
        """The numbers of a module's form."""
        if name not in self.known:
            module, _, form = name.partition(".")
            try:
                worker = choose_form(Contender(name, "ours", module, (form,), ""), self.path, ONCE)
            except Failed:
                self.known[name] = {}
            else:
                self.known[name] = worker.timing.values
                worker.close()
        return self.known[name]


def compare_numbers(values: Values, reference: Values) -> float:
    """The largest absolute difference; infinite where one lacks a name, or a number is none.

    >>> compare_numbers({"a": 0.5, "b": -0.5}, {"a": 0.25, "b": -0.25})
    0.25
    >>> compare_numbers({"a": 0.5}, {"a": 0.5, "b": -0.25})
    inf
    """
    numbers = [*values.values(), *reference.values()]
    if values.keys() != reference.keys() or not all(map(math.isfinite, numbers)):
        return math.inf
    return max(abs(values[name] - reference[name]) for name in values)
