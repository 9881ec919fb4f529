"""``python -m benchmarks``: measure, print, and keep the table of a full run."""

from pathlib import Path

import click

from benchmarks import contenders, data, startup, table, targets
from benchmarks.measure import ROOT, Limits
from benchmarks.run import Row, measured

Case = tuple[int, int]

JUDGMENTS, SYSTEMS = (10**5, 10**6, 10**7), (20, 100, 1_000)
FULL: tuple[Case, ...] = (
    *((n, k) for n in JUDGMENTS for k in SYSTEMS),
    (10**6, contenders.SPARSE),
)
QUICK: tuple[Case, ...] = ((10**5, 20), (10**5, 100))


def cases(text: str) -> tuple[Case, ...]:
    """The cases of ``--sizes``: ``N:K``, or ``N`` for all K, with commas between.

    >>> cases("1e6:100,1e5")
    ((1000000, 100), (100000, 20), (100000, 100), (100000, 1000))
    """
    found: list[Case] = []
    for size in text.split(","):
        n, colon, k = size.partition(":")
        many = (whole(k),) if colon else SYSTEMS
        found.extend((whole(n), systems) for systems in many)
    return tuple(found)


def whole(text: str) -> int:
    """A whole number that may be written as 1e6. Raises `click.BadParameter` on anything else."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value < 2 or value != int(value):
        raise click.BadParameter(f"{text!r} is not a size; write N:K, as in 1e6:100")
    return int(value)


def some_peers(text: str) -> tuple[str, ...]:
    """The peers of ``--peers``. Raises `click.BadParameter` on a name that is none."""
    if text in {"all", "none"}:
        return contenders.PEERS if text == "all" else ()
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in contenders.PEERS]:
        raise click.BadParameter(
            f"no peer {', '.join(unknown)}; there are {', '.join(contenders.PEERS)}"
        )
    return names


@click.command()
@click.option("--sizes", help="Cases N:K with commas between, as 1e6:100; N alone is every K.")
@click.option("--peers", default="all", show_default=True, help="Names with commas, or none.")
@click.option("--repeat", default=5, show_default=True, help="Runs; the fastest counts.")
@click.option("--quick", is_flag=True, help="N = 100,000 only, two runs.")
@click.option("--limit", default=180.0, show_default=True, help="Seconds a run may take.")
@click.option("--budget", default=10.0, show_default=True, help="CPU seconds to repeat a peer for.")
@click.option("--blas-threads", default=1, show_default=True, help="For peers; 0 leaves them.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Where the rows go.")
@click.option("--docs", type=click.Path(path_type=Path, exists=True), help="A page to fill in.")
def main(
    *,
    sizes: str | None,
    peers: str,
    repeat: int,
    quick: bool,
    limit: float,
    budget: float,
    blas_threads: int,
    folder: Path,
    csv_file: Path | None,
    docs: Path | None,
) -> None:
    """Measure Evenhand beside its peers on string-labelled Parquet files, in one run."""
    limits = Limits(2 if quick else repeat, budget, limit, blas_threads)
    click.echo(f"{table.setting(blas_threads)}\n")
    chosen = cases(sizes) if sizes else QUICK if quick else FULL
    rows = [row for case in chosen for row in one_case(case, some_peers(peers), folder, limits)]
    starts = startup.starts(data.csv(folder), limits.repeat)
    click.echo(table.start_table(starts))
    for line in targets.lines(rows, starts):
        click.echo(line)
    if chosen == FULL and peers == "all" and csv_file is None:
        csv_file = ROOT / "benchmarks" / "results" / table.file_name()
    if csv_file:
        table.write_csv(csv_file, rows)
    if docs:
        table.write_docs(docs, table.report(rows, starts, blas_threads))


def one_case(case: Case, peers: tuple[str, ...], folder: Path, limits: Limits) -> list[Row]:
    """Measure one file and print its table."""
    n, k = case
    click.echo(f"N = {n:,}, K = {k:,} ...", err=True)
    rows = list(measured(data.parquet(folder, n, k), n, k, peers, limits))
    click.echo(table.case(rows))
    return rows


if __name__ == "__main__":
    main()
