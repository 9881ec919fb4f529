"""``python -m benchmarks``: measure, print, and keep the rows of full suites."""

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks import pages, regress, sizes, slopes, table, targets
from benchmarks.contenders import Case, FileCase, Suite
from benchmarks.limits import Limits
from benchmarks.row import (
    RESULTS,
    ROOT,
    Row,
    is_version,
    kept_tables,
    number_version,
    read_rows,
    replace_cases,
    version,
    write_rows,
)
from benchmarks.sizes import whole
from benchmarks.suites import SUITES
from benchmarks.suites.fit import case as fit_case

__all__ = ["main", "whole"]


def some_suites(text: str) -> tuple[Suite, ...]:
    """The suites of ``--suite``. Raises `click.BadParameter` on a name that is none."""
    names = tuple(SUITES) if text == "all" else tuple(text.split(","))
    if unknown := [name for name in names if name not in SUITES]:
        raise click.BadParameter(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    return tuple(SUITES[name] for name in names)


def some_peers(text: str, suites: Sequence[Suite]) -> tuple[str, ...] | None:
    """The peers of ``--peers``, None for all. Raises `click.BadParameter` on other names."""
    if text in {"all", "none"}:
        return None if text == "all" else ()
    names = tuple(text.split(","))
    cases = [one for suite in suites for one in suite.cases if isinstance(one, FileCase)]
    known = {one.name: one for case in cases for one in case.contenders if one.role == "peer"}
    known |= dict.fromkeys(["pearmut"])  # type: ignore[arg-type]
    if unknown := [name for name in names if name not in known]:
        raise click.BadParameter(f"no peer {', '.join(unknown)}; there are {', '.join(known)}")
    return names


@click.command()
@click.option("--suite", "names", default="all", show_default=True, help="With commas between.")
@click.option("--quick", is_flag=True, help="Small cases, two runs.")
@click.option("--case", "wanted", default="", help="Only cases whose name has this in it.")
@click.option("--sizes", "own", help="Own cases of the suite fit: N:K, with commas between.")
@click.option("--peers", default="all", show_default=True, help="Names with commas, or none.")
@click.option("--repeat", default=5, show_default=True, help="Runs; the fastest counts.")
@click.option("--limit", default=120.0, show_default=True, help="CPU seconds a run may take.")
@click.option("--budget", default=10.0, show_default=True, help="CPU seconds to repeat one for.")
@click.option("--blas-threads", default=1, show_default=True, help="For peers; 0 leaves them.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Where the rows go.")
@click.option("--docs", is_flag=True, help="Fill in the tables of docs/ from the kept rows.")
def main(
    *,
    names: str,
    quick: bool,
    wanted: str,
    own: str | None,
    peers: str,
    repeat: int,
    limit: float,
    budget: float,
    blas_threads: int,
    folder: Path,
    csv_file: Path | None,
    docs: bool,
) -> None:
    """Measure Evenhand beside its peers, suite by suite; say what was promised and got worse."""
    suites = some_suites("fit" if own else names)
    who = some_peers(peers, suites)
    limits = Limits(2 if quick else repeat, budget, limit, blas_threads, who)
    rows: list[Row] = []
    for suite in suites:
        cases = suite.quick if quick else suite.cases
        if own:
            cases = tuple(fit_case(n, k) for n, k in sizes.pairs(own))
        rows += measure(suite, [one for one in cases if wanted in one.name], folder, limits)
    click.echo(table.setting(rows, blas_threads))
    for line in (*slopes.lines(rows), *targets.lines(rows)):
        click.echo(line)
    kept = RESULTS / f"{version('evenhand')}.csv"
    if csv_file is None and not (quick or own) and who is None:
        csv_file = kept
    if csv_file is not None:
        every = names == "all" and not (quick or own or wanted)
        for line in keep(csv_file, rows, every=every):
            click.echo(line)
    if docs:
        pages.fill(read_rows(kept), blas_threads)


def measure(suite: Suite, cases: Sequence[Case], folder: Path, limits: Limits) -> list[Row]:
    """Measure the cases of a suite and print their tables."""
    rows: list[Row] = []
    for case in cases:
        click.echo(f"{suite.name}: {case.name} ...", err=True)
        found = list(case.measure(suite.name, folder, limits))
        click.echo(table.case(found))
        rows += found
    return rows


def keep(path: Path, rows: Sequence[Row], *, every: bool = False) -> list[str]:
    """Put rows into a table in place of those of the same cases; say what got worse.

    Args:
        path: of the table; rows are compared with those of the version before it, and with its own
            earlier ones where there is no such version.
        rows: the new ones.
        every: whether every case was measured, so that rows which are missing are missed.

    """
    before = read_rows(path) if path.exists() else []
    earlier = [row for one in latest(path) for row in read_rows(one)] or before
    write_rows(path, replace_cases(before, rows))
    cases = {row.key[:2] for row in rows}
    asked = earlier if every else [row for row in earlier if row.key[:2] in cases]
    changes = list(regress.compare(asked, rows))
    return [f"kept in {path}", *regress.report(changes, regress.TOLERANCE)] if earlier else []


def latest(path: Path) -> list[Path]:
    """The table of the version before that of a table, if there is any."""
    others = [one for one in kept_tables(path.parent) if one != path]
    if is_version(path):
        others = [one for one in others if number_version(one) < number_version(path)]
    return others[-1:]


if __name__ == "__main__":
    main()
