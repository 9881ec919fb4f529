"""``python -m benchmarks.regress OLD.csv NEW.csv``: what got worse since an earlier version.

Seconds of two runs say little: the machine differs, or is busy. So what is compared is how many
times the floor of its own run each of our rows takes, and, where a case has no floor, how many
times the best peer. Rows of fewer CPU seconds than `--least` in both are mostly noise. Memory is
compared as it is, and so is how far our numbers are from those of another contender.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.row import Row, read_rows

TOLERANCE, LEAST = 1.25, 0.05
FARTHER, EXACT = 100.0, 1e-10
"""How many times as far from its reference is worse, and what is as good as no distance."""
FLOOR, PEER, MEMORY, APART = "the floor", "the best peer", "MB", "apart"
GONE = "is not measured any more"
NO_RATIO = "neither its floor nor a peer is measured any more"
NO_REFERENCE = "its numbers are compared with none any more"


@dataclass(frozen=True)
class Change:
    """A row of ours in two runs.

    Attributes:
        where: suite, case and contender.
        what: floor, best peer, memory or distance from a reference.
        before: how many times that the row took; how much of it.
        after: the same in the new run.
        note: why it is none any more; empty where it is measured.

    """

    where: tuple[str, str, str]
    what: str
    before: float
    after: float
    note: str = ""

    @property
    def factor(self) -> float:
        """How many times as much; infinite where it fails now."""
        return self.after / self.before

    def worse(self, tolerance: float) -> bool:
        """Say whether that is no noise."""
        most = tolerance * self.before
        if self.what == APART:
            most = FARTHER * max(self.before, EXACT)
        return bool(self.note) or not self.after <= most

    def __str__(self) -> str:
        """One line."""
        suite, case, contender = self.where
        told = f"{suite}, {case}: {contender}"
        if self.note:
            return f"fails   {told} ({self.note})"
        if self.what == APART:
            return f"wrong   {told} is {self.after:.2g} from its reference, was {self.before:.2g}"
        if self.what == MEMORY:
            large = f"{self.after:,.0f} MB, was {self.before:,.0f} ({self.factor:.2f} x)"
            return f"larger  {told} holds {large}"
        slow = f"{self.after:.2f} x {self.what}, was {self.before:.2f} ({self.factor:.2f} x)"
        return f"slower  {told} takes {slow}"


def compare(old: Sequence[Row], new: Sequence[Row], least: float = LEAST) -> Iterator[Change]:
    """Yield what can be compared of every row of ours that was measured in the old run."""
    after = {row.key: row for row in new}
    for was in old:
        if was.role != "ours" or was.cpu_s is None:
            continue
        row = after.get(was.key)
        if row is None or row.cpu_s is None:
            yield _fail(was, (row.note if row else "") or GONE)
            continue
        if max(row.cpu_s, was.cpu_s) >= least:
            yield from _compare_time(was, row)
        if was.peak_mb and row.peak_mb:
            yield Change(row.key, MEMORY, was.peak_mb, row.peak_mb)
        if was.difference is not None and row.difference is not None:
            yield Change(row.key, APART, was.difference, row.difference)
        elif was.difference is not None:
            yield _fail(was, NO_REFERENCE)


def _compare_time(was: Row, row: Row) -> Iterator[Change]:
    """Yield how many times the floor a row takes, or the best peer where there is none."""
    ratios = (
        (FLOOR, was.times_floor, row.times_floor),
        (PEER, was.times_peer, row.times_peer),
    )
    for what, then, now in ratios:
        if then and now:
            yield Change(row.key, what, then, now)
            return
    if was.times_floor or was.times_peer:
        yield _fail(was, NO_RATIO)


def _fail(was: Row, why: str) -> Change:
    return Change(was.key, "", 1.0, float("inf"), why)


def report(changes: Sequence[Change], tolerance: float) -> Iterator[str]:
    """The lines that say what got worse, and how many rows were compared."""
    worse = sorted((one for one in changes if one.worse(tolerance)), key=lambda one: -one.after)
    yield from map(str, worse)
    rows, bad = ({one.where for one in some} for some in (changes, worse))
    yield f"{len(rows)} rows compared, {len(bad)} of them worse by more than {tolerance:g} x"


@click.command()
@click.argument("old", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("new", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--tolerance", default=TOLERANCE, show_default=True, help="What is no regression.")
@click.option("--least", default=LEAST, show_default=True, help="CPU seconds below which: noise.")
def main(old: Path, new: Path, tolerance: float, least: float) -> None:
    """Say which rows of ours got worse; exit code 1 if there are any."""
    try:
        changes = list(compare(read_rows(old), read_rows(new), least))
    except ValueError as fault:
        raise click.ClickException(str(fault)) from fault
    for line in report(changes, tolerance):
        click.echo(line)
    sys.exit(any(change.worse(tolerance) for change in changes))


if __name__ == "__main__":
    main()
