"""``python -m benchmarks.regress OLD.csv NEW.csv``: what got slower since an earlier version.

Seconds of two runs say little: the machine differs, or is busy. So what is compared is how many
times the floor of its own run each of our rows takes, and, where a case has no floor, how many
times the best peer. Rows of fewer CPU seconds than `--least` in both are mostly noise.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.row import Row, read_rows

TOLERANCE, LEAST = 1.25, 0.05
DIFFERENT = "is not measured any more"


@dataclass(frozen=True)
class Change:
    """A row of ours in two runs.

    Attributes:
        where: suite, case and contender.
        what: floor, or best peer.
        before: how many times that the row took.
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
        """How many times as slow; infinite where it fails now."""
        return self.after / self.before

    def __str__(self) -> str:
        """One line."""
        suite, case, contender = self.where
        if self.note:
            return f"fails   {suite}, {case}: {contender} ({self.note})"
        told = f"{self.after:.2f} x {self.what}, was {self.before:.2f} ({self.factor:.2f} x)"
        return f"slower  {suite}, {case}: {contender} takes {told}"


def compare(old: Sequence[Row], new: Sequence[Row], least: float = LEAST) -> Iterator[Change]:
    """Yield every row of ours that both runs have, or that the new one fails at."""
    before = {row.key: row for row in old if row.role == "ours" and row.cpu_s is not None}
    for row in new:
        was = before.get(row.key)
        if was is None:
            continue
        if row.cpu_s is None:
            yield Change(row.key, "", 1.0, float("inf"), row.note or DIFFERENT)
            continue
        if max(row.cpu_s, was.cpu_s or 0.0) < least:
            continue
        for what, then, now in (
            ("the floor", was.times_floor, row.times_floor),
            ("the best peer", was.times_peer, row.times_peer),
        ):
            if then and now:
                yield Change(row.key, what, then, now)
                break


def report(changes: Sequence[Change], tolerance: float) -> Iterator[str]:
    """The lines that say what got slower, and how many rows were compared."""
    slower = sorted((one for one in changes if one.factor > tolerance), key=lambda one: -one.factor)
    yield from map(str, slower)
    yield f"{len(changes)} rows compared, {len(slower)} of them slower than {tolerance:g} x"


@click.command()
@click.argument("old", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("new", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--tolerance", default=TOLERANCE, show_default=True, help="What is no regression.")
@click.option("--least", default=LEAST, show_default=True, help="CPU seconds below which: noise.")
def main(old: Path, new: Path, tolerance: float, least: float) -> None:
    """Say which rows of ours got slower; exit code 1 if there are any."""
    try:
        changes = list(compare(read_rows(old), read_rows(new), least))
    except ValueError as fault:
        raise click.ClickException(str(fault)) from fault
    for line in report(changes, tolerance):
        click.echo(line)
    sys.exit(any(change.factor > tolerance for change in changes))


if __name__ == "__main__":
    main()
