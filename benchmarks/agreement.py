"""``python -m benchmarks.agreement``: what agreement costs at a million ratings, beside its peers.

Two files, made once and kept: two judges on every output, and five of whom a fifth of the scores
is missing. Floors and Evenhand take turns; each peer follows with the faster of its forms. CPU
seconds count from the path of the file, so that peers pay for making their input: one score of each
judge for each output, counted; *unchecked* they count all rows and never look at who gave them.
"""

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import duckdb
import numpy as np

from benchmarks.contenders import Contender
from benchmarks.data import quoted
from benchmarks.measure import ROOT, Failed, Limits, Timing, alternating, fastest

RATINGS, SYSTEMS, JUDGES, RECIPE = 1_000_000, 20, 1_000, 1
ONCE, ALL = ("duckdb_once", "polars_once"), ("duckdb_all", "polars_all")
OURS = (
    Contender("floor, one column", "agreement_floor", ("one_column",), (), "", "counts of scores"),
    Contender("floor", "agreement_floor", ("by_output",), (), "", "counts by output"),
    Contender("evenhand", "agreement_evenhand", ("default",), (), "", "12 coefficients, intervals"),
)
PEERS = tuple(
    Contender(f"{module}{unchecked}", f"agreement_{module}", forms, (), "", gives)
    for module, gives in (("krippendorff", "interval α"), ("statsmodels", "Fleiss' κ"))
    for unchecked, forms in (("", ONCE), (", unchecked", ALL))
)
LABELLED = """
    SELECT format('annotator-{:08d}', judge) AS judge, format('item-{:09d}', item) AS item,
           format('system-{:05d}-instruct', system) AS system, score
    FROM codes
"""


@dataclass(frozen=True)
class Row:
    """One contender on one file; seconds, MB, ratios of CPU seconds.

    `difference` is the largest difference between its coefficients and Evenhand's of that name.
    """

    judges: str
    contender: str
    form: str
    gives: str
    runs: int
    cpu_s: float | None = None
    peak_mb: float | None = None
    times_floor: float | None = None
    times_evenhand: float | None = None
    difference: float | None = None
    note: str = ""


def parquet(folder: Path, judges: int, missing: float) -> Path:
    """The file of a million ratings in `folder`, made if it is not there."""
    path = folder / f"ratings-j{judges}-m{missing:g}-v{RECIPE}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    outputs = round(RATINGS / judges / (1 - missing))
    output = np.repeat(np.arange(outputs), judges)
    n = len(output)
    turn = np.tile(np.arange(judges), outputs) * (JUDGES // judges)
    start = np.repeat(rng.integers(0, JUDGES, outputs), judges)
    felt = np.repeat(rng.normal(3, 1, outputs), judges) + rng.normal(0, 0.8, n)
    columns = {
        "judge": (start + turn + rng.integers(0, JUDGES // judges, n)) % JUDGES,
        "item": output // SYSTEMS,
        "system": output % SYSTEMS,
        "score": np.clip(np.round(felt), 1, 5).astype(np.int64),
    }
    kept = rng.permutation(n)[: round(n * (1 - missing))]
    codes = {name: values[kept] for name, values in columns.items()}  # noqa: F841  read by name below
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({LABELLED}) TO {quoted(path)} (FORMAT parquet)")
    return path


def measured(path: Path, judges: str, limits: Limits) -> Iterator[Row]:
    """Rows for one file."""
    found: dict[str, Timing | Failed] = alternating(list(OURS), path, limits)
    for peer in PEERS:
        try:
            found[peer.name] = fastest(peer, path, limits)
        except Failed as failure:
            found[peer.name] = failure
    ours = found["evenhand"]
    for contender in (*OURS, *PEERS):
        timing = found[contender.name]
        if isinstance(timing, Failed):
            yield Row(judges, contender.name, "", contender.gives, 0, note=str(timing))
            continue
        yield Row(
            judges,
            contender.name,
            timing.form,
            contender.gives,
            len(timing.cpu),
            min(timing.cpu),
            timing.peak,
            ratio(timing, found["floor"]),
            ratio(timing, ours),
            difference(timing, ours),
        )


def ratio(timing: Timing, other: Timing | Failed) -> float | None:
    """CPU seconds as a multiple of another contender's."""
    return min(timing.cpu) / min(other.cpu) if isinstance(other, Timing) else None


def difference(timing: Timing, ours: Timing | Failed) -> float | None:
    """The largest difference of coefficients of the same name."""
    if not timing.worths or isinstance(ours, Failed) or timing is ours:
        return None
    return max(abs(value - ours.worths[name]) for name, value in timing.worths.items())


def line(row: Row) -> str:
    """One row of the printed table."""
    start = f"{row.judges:22} {row.contender:24} {row.gives:28}"
    if row.cpu_s is None:
        return f"{start} {row.note}"
    ratios = f"{row.times_floor or 0:8.2f} {row.times_evenhand or 0:11.2f}"
    apart = "" if row.difference is None else f"{row.difference:9.0e}"
    return f"{start} {row.cpu_s:7.3f} {row.peak_mb or 0:6.0f} {ratios} {apart}"


@click.command()
@click.option("--repeat", default=5, show_default=True, help="Runs; the fastest counts.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
@click.option("--out", type=click.Path(path_type=Path), help="Write the rows as CSV.")
def main(repeat: int, folder: Path, out: Path | None) -> None:
    """Measure agreement of a million ratings and print the rows."""
    head = f"{'CPU s':>7} {'MB':>6} {'x floor':>8} {'x Evenhand':>11}  max diff"
    click.echo(f"{'judges per output':22} {'contender':24} {'gives':28} {head}")
    rows = []
    for judges, missing, name in ((2, 0.0, "2"), (5, 0.2, "up to 5, 20 % missing")):
        for row in measured(parquet(folder, judges, missing), name, Limits(repeat=repeat)):
            click.echo(line(row))
            rows.append(row)
    if out is not None:
        with out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(asdict(rows[0])), lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)


if __name__ == "__main__":
    main()
