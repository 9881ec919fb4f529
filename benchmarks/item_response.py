"""``python -m benchmarks.item_response``: what the Gaussian item-response model costs.

One file, made once and kept: 160 rankings of five of 15 systems, so 1,600 comparisons of 800
outputs, drawn from the model. Each contender draws 4 chains of 1,000 sweeps in a process of its
own; CPU seconds count from the path of the file, after imports. With `--year FILE` the protocol of
Hopkins & May (2013) is run on rankings of one's own: eight models, six sizes, five trials.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import click
import duckdb
import numpy as np

from benchmarks.data import quoted
from benchmarks.measure import ROOT, environment

SYSTEMS, RANKINGS, EACH, RECIPE = 15, 160, 5, 1
CHAINS, SWEEPS, BURN_IN = 4, 1000, 200
TARGET = 2.0
"""CPU seconds for Evenhand."""
CONTENDERS = {
    "evenhand": "irt_evenhand",
    "plain Gibbs": "irt_plain",
    "numpyro": "irt_numpyro",
}
RUN = """
import json, sys, time
import importlib
import numpy as np
from benchmarks.worker import peak_mb
from evenhand.numerics.chains import bulk_size, split_r_hat
module = importlib.import_module("benchmarks.peers." + sys.argv[1])
began = time.process_time()
systems, draws = module.run(sys.argv[2], *map(int, sys.argv[3:]))
cpu = time.process_time() - began
draws = draws - draws.mean(axis=2, keepdims=True)
print(json.dumps({
    "cpu": cpu, "peak": peak_mb(), "means": draws.mean(axis=(0, 1)).tolist(),
    "sd": draws.std(axis=(0, 1)).tolist(), "worth": float(bulk_size(draws).min()),
    "r_hat": float(split_r_hat(draws).max()),
}))
"""


def parquet(folder: Path) -> Path:
    """The file in `folder`, made if it is not there."""
    path = folder / f"outputs-k{SYSTEMS}-n{RANKINGS * EACH * (EACH - 1) // 2}-v{RECIPE}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    ability = rng.normal(size=SYSTEMS) / 2
    rows = []
    for item in range(RANKINGS):
        shown = rng.choice(SYSTEMS, EACH, replace=False)
        quality = rng.normal(ability[shown], 0.5)
        for i in range(EACH):
            for j in range(i):
                gap = quality[i] - quality[j] + rng.normal(0, 2**0.5)
                said = "tie" if abs(gap) < 0.4 else "left" if gap > 0 else "right"
                left, right = (f"system-{shown[at]:02d}" for at in (i, j))
                rows.append((left, right, said, f"item-{item:03d}"))
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t ("left" TEXT, "right" TEXT, outcome TEXT, item TEXT)')
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.execute(f"COPY t TO {quoted(path)} (FORMAT parquet)")
    return path


def measured(module: str, path: Path, length: tuple[int, int, int]) -> dict[str, object]:
    """One run of a contender, or why there is none."""
    words = [sys.executable, "-W", "ignore", "-c", RUN, module, str(path), *map(str, length)]
    ran = subprocess.run(
        words, cwd=ROOT, env=environment(1), capture_output=True, text=True, check=False
    )
    if ran.returncode:
        return {"note": (ran.stderr.strip().splitlines() or ["ended"])[-1]}
    return dict(json.loads(ran.stdout))


def line(name: str, found: dict[str, object], ours: dict[str, object]) -> str:
    """One row of the printed table."""
    if "note" in found:
        return f"{name:12} {found['note']}"
    apart = np.abs(np.subtract(found["means"], ours["means"])) / np.asarray(ours["sd"])
    cpu, worth = float(str(found["cpu"])), float(str(found["worth"]))
    start = f"{name:12} {cpu:8.2f} {found['peak']:6.0f} {worth:9.0f} {worth / cpu:10.1f}"
    return f"{start} {found['r_hat']:6.3f} {apart.max():9.3f}"


def trace_year(path: Path) -> None:
    """Run the whole protocol of a year and say what it cost."""
    import evenhand

    began = time.process_time()
    found = evenhand.trace_learning(evenhand.read(path), models="paper")
    spent = time.process_time() - began
    click.echo(f"{found!r}")
    own = ", ".join(f"{name} {seconds:.1f}" for name, seconds in found.seconds.items())
    click.echo(f"protocol of {len(found.tasks)} tasks: {spent:.1f} s of CPU ({own})")


@click.command()
@click.option("--repeat", default=3, show_default=True, help="Runs of Evenhand; the fastest counts")
@click.option("--length", nargs=3, type=int, default=(CHAINS, SWEEPS, BURN_IN), show_default=True)
@click.option("--year", type=click.Path(path_type=Path, exists=True), help="Rankings of a year.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
def main(repeat: int, length: tuple[int, int, int], year: Path | None, folder: Path) -> None:
    """Measure the item-response model beside its peers, or the protocol of a year."""
    if year is not None:
        trace_year(year)
        return
    path = parquet(folder)
    chains, sweeps, burn_in = length
    click.echo(f"{SYSTEMS} systems, {chains} chains of {sweeps} sweeps, {burn_in} of them burn-in")
    click.echo(
        f"{'contender':12} {'CPU s':>8} {'MB':>6} {'effective':>9} {'per CPU s':>10}"
        f" {'R-hat':>6} {'apart, sd':>9}"
    )
    runs = [measured("irt_evenhand", path, length) for _ in range(repeat)]
    ours = min(runs, key=lambda run: float(str(run.get("cpu", "inf"))))
    for name, module in CONTENDERS.items():
        found = ours if module == "irt_evenhand" else measured(module, path, length)
        click.echo(line(name, found, ours))
    if length == (CHAINS, SWEEPS, BURN_IN) and "cpu" in ours:
        met = float(str(ours["cpu"])) < TARGET
        click.echo(f"target {TARGET:g} s of CPU: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
