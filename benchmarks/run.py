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


def measured(
    path: Path, where: tuple[str, str], contenders: Sequence[Contender], limits: Limits
) -> Iterator[Row]:
    """Rows for one file; `where` is suite and case."""
    found = in_turn(contenders, path, limits)
    known = References(path, contenders, found)
    floor = least(found, [one for one in contenders if one.role == "floor"][:1])
    peer = least(found, [one for one in contenders if one.role == "peer"])
    for contender in contenders:
        timing = found[contender.name]
        start = (version("evenhand"), *where, contender.role, contender.name)
        packages = " ".join(f"{one}={version(one)}" for one in contender.packages)
        if isinstance(timing, Failed):
            yield Row(*start, gives=contender.gives, note=str(timing), versions=packages)
            continue
        cpu = min(timing.cpu)
        reference, apart = known.compare(contender, timing)
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
            difference=apart,
            reference=reference,
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

    def compare(self, contender: Contender, timing: Timing) -> tuple[str, float | None]:
        """The name of the reference and the difference; none where nothing can be computed."""
        for name in contender.like:
            if timing.values and (values := self.values(name)):
                return name, difference(timing.values, values)
        return "", None

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


def difference(values: Values, reference: Values) -> float:
    """The largest absolute difference; infinite if a name is not in the reference.

    >>> difference({"a": 0.5, "b": -0.5}, {"a": 0.25, "b": -0.25})
    0.25
    """
    if not values.keys() <= reference.keys():
        return math.inf
    return max(abs(values[name] - reference[name]) for name in values)
