"""Measures one file with all contenders and compares their worths."""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import contenders
from benchmarks.contenders import Contender
from benchmarks.measure import Failed, Limits, Timing, alternating, fastest
from benchmarks.peers import Worths

EVENHAND_FORMS = {"davidson": "model_intervals", "half-win": "half_win", "discard": "discard"}
NEWTON_FORMS = {"davidson": "davidson", "half-win": "half_win", "discard": "discard"}
ONCE = Limits(repeat=1)


@dataclass(frozen=True)
class Row:
    """One contender on one file; seconds, MB, ratios of CPU seconds, logits.

    `difference` is the largest absolute difference between its log-worths and `reference`'s
    under the same tie rule. Empty (None) where there is nothing to say, and `note` says why.
    """

    n: int
    k: int
    contender: str
    form: str = ""
    ties: str = ""
    gives: str = ""
    runs: int = 0
    cpu_s: float | None = None
    cpu_median_s: float | None = None
    wall_s: float | None = None
    peak_mb: float | None = None
    imports_mb: float | None = None
    times_floor: float | None = None
    times_evenhand: float | None = None
    difference: float | None = None
    reference: str = ""
    note: str = ""


def measured(path: Path, n: int, k: int, peers: tuple[str, ...], limits: Limits) -> Iterator[Row]:
    """Rows for one file: Evenhand and the floors in turn first, then each peer by itself."""
    present = contenders.chosen(peers, k)
    results = alternating([c for c in present if not c.is_peer], path, limits)
    references = References(path, results)
    for contender in present:
        if contender.is_peer:
            results[contender.name] = outcome(contender, path, limits)
        yield row(n, k, contender, results, references)


def outcome(contender: Contender, path: Path, limits: Limits) -> Timing | Failed:
    """A peer's fastest form, or why there is none."""
    try:
        return fastest(contender, path, limits)
    except Failed as failure:
        return failure


class References:
    """The log-worths that others are compared with: Evenhand's, or a bare Newton's without it.

    Evenhand's own are compared with the bare Newton's.
    """

    def __init__(self, path: Path, results: dict[str, Timing | Failed]) -> None:
        self.path = path
        self.results = results
        self.known: dict[tuple[str, str], Worths] = {}

    def against(self, contender: Contender) -> tuple[str, Worths]:
        """The name and the log-worths to compare with; empty where nothing can be fitted."""
        names = ["floor+newton"] if contender.module == "evenhand" else ["evenhand", "floor+newton"]
        for name in names:
            if name != contender.name and (worths := self.worths(name, contender.ties)):
                return name, worths
        return "", {}

    def worths(self, name: str, ties: str) -> Worths:
        """`name`'s log-worths under a tie rule, from the timed runs or from one of its own."""
        if (name, ties) not in self.known:
            timing = self.results.get(name)
            if not isinstance(timing, Timing) or ties != "davidson":
                timing = outcome(reference(name, ties), self.path, ONCE)
            self.known[name, ties] = timing.worths if isinstance(timing, Timing) else {}
        return self.known[name, ties]


def reference(name: str, ties: str) -> Contender:
    """Evenhand or the bare Newton under a tie rule, as an untimed contender."""
    module, forms = ("evenhand", EVENHAND_FORMS) if name == "evenhand" else ("newton", NEWTON_FORMS)
    return Contender(name, module, (forms[ties],), (), ties, "")


def row(
    n: int,
    k: int,
    contender: Contender,
    results: dict[str, Timing | Failed],
    references: References,
) -> Row:
    """One contender's line, with its ratios to the floor and to Evenhand."""
    timing = results[contender.name]
    if isinstance(timing, Failed):
        return Row(n, k, contender.name, gives=contender.gives, note=str(timing))
    cpu = min(timing.cpu)
    name, worths = references.against(contender) if contender.ties else ("", {})
    ours = "evenhand-sparse" if k == contenders.SPARSE else "evenhand"
    return Row(
        n,
        k,
        contender.name,
        form=timing.form,
        ties=contender.ties,
        gives=contender.gives,
        runs=len(timing.cpu),
        cpu_s=cpu,
        cpu_median_s=statistics.median(timing.cpu),
        wall_s=min(timing.wall),
        peak_mb=timing.peak,
        imports_mb=timing.imported,
        times_floor=ratio(cpu, results.get("floor")),
        times_evenhand=ratio(cpu, results.get(ours)),
        difference=difference(timing.worths, worths) if worths else None,
        reference=name,
    )


def ratio(cpu: float, other: Timing | Failed | None) -> float | None:
    """CPU seconds as a multiple of another contender's."""
    return cpu / min(other.cpu) if isinstance(other, Timing) else None


def difference(worths: Worths, reference: Worths) -> float:
    """The largest absolute difference; infinite if the two do not rank the same systems.

    >>> difference({"a": 0.5, "b": -0.5}, {"a": 0.25, "b": -0.25})
    0.25
    """
    if worths.keys() != reference.keys():
        return math.inf
    return max(abs(worths[system] - reference[system]) for system in reference)
