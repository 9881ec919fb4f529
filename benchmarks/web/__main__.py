"""``python -m benchmarks.web``: play the judges, print, and keep the rows of a full run."""

from pathlib import Path

import click

from benchmarks.measure import Failed
from benchmarks.row import ROOT, version
from benchmarks.web import process, table
from benchmarks.web.measured import ACKNOWLEDGED, Plan, Row, measure
from benchmarks.web.peer import install_pearmut
from benchmarks.web.work import Work

FULL = "2000x50,20000x500"


def read_sizes(text: str, per_item: int) -> list[Work]:
    """The sizes of ``--sizes``.

    >>> read_sizes("2000x50", 10)
    [Work(items=2000, judges=50, per_item=10)]
    """
    found = []
    for one in text.split(","):
        items, cross, judges = one.partition("x")
        if not (cross and items.isdigit() and judges.isdigit() and int(items) and int(judges)):
            raise click.BadParameter(f"{one!r} is not a size; write ITEMSxJUDGES, as in 2000x50")
        found.append(Work(int(items), int(judges), min(per_item, int(judges))))
    return found


@click.command()
@click.option("--sizes", default=FULL, show_default=True, help="ITEMSxJUDGES, commas between.")
@click.option("--per-item", default=10, show_default=True, help="Judges of each item.")
@click.option("--seconds", default=15.0, show_default=True, help="Of each phase.")
@click.option("--rate", default=300.0, show_default=True, help="Judgments/s offered.")
@click.option("--repeat", default=2, show_default=True, help="Rounds; the best of each counts.")
@click.option("--peer/--no-peer", "peer", default=True, help="Measure pearmut too.")
@click.option("--postgres", default="", metavar="URL", help="A server to measure PostgreSQL on.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Where the rows go.")
def main(
    *,
    sizes: str,
    per_item: int,
    seconds: float,
    rate: float,
    repeat: int,
    peer: bool,
    postgres: str,
    folder: Path,
    csv_file: Path | None,
) -> None:
    """Measure `evenhand serve` under load beside pearmut and two floors, in one run."""
    if not process.PROC.joinpath("self/stat").exists():
        raise click.ClickException("CPU and memory of servers are read from /proc, as on Linux")
    works = read_sizes(sizes, per_item)
    click.echo(f"{table.setting()}\nload average {process.load():.2f} at the start\n")
    plan = Plan(seconds, rate, _find_peer(folder) if peer else None, postgres)
    rows = [row for work in works for row in measure_size(work, plan, repeat)]
    for line in table.lines(table.best(rows)):
        click.echo(line)
    click.echo("\nWhen an answer is acknowledged:")
    for contender in dict.fromkeys(row.contender for row in rows):
        click.echo(f"  {contender:18} {ACKNOWLEDGED[contender]}")
    if csv_file is None and sizes == FULL and plan.pearmut is not None:
        csv_file = ROOT / "benchmarks" / "results" / f"web-{version('evenhand')}.csv"
    if csv_file is not None:
        table.write_csv(csv_file, rows)


def measure_size(work: Work, plan: Plan, repeat: int) -> list[Row]:
    """Measure one size, round by round, and print its table."""
    rows: list[Row] = []
    for number in range(1, repeat + 1):
        for row in measure(work, plan, number):
            seen = row.note or f"{row.per_s or 0:,.0f}/s, p95 {row.p95_ms or 0:,.1f} ms"
            told = f"{row.contender}, {row.phase}: {seen} (CPU {row.cpu_ms or 0:.2f} ms each)"
            click.echo(f"{work.items} x {work.judges}, round {number}: {told}", err=True)
            rows.append(row)
    click.echo(table.case(table.best(rows)))
    return rows


def _find_peer(folder: Path) -> Path | None:
    try:
        return install_pearmut(folder)
    except Failed as fault:
        click.echo(f"pearmut is left out: {fault}\n")
        return None


if __name__ == "__main__":
    main()
