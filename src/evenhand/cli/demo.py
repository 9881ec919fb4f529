"""`evenhand demo`: a walk through the main job on published tables that come with Evenhand."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import Verb, examples
from evenhand.cli.output import write_file
from evenhand.cli.terminal import PLAIN, align, columns_of_terminal, label, plural
from evenhand.errors import UnknownOption, require_option

if TYPE_CHECKING:
    from evenhand.cli.reproduction import Reproduced
    from evenhand.datasets.dataset import Dataset

TABLE: Final = "dras2015_table1"
FILE: Final = "table1.csv"
WALK: Final = (
    ("What is in the file?", f"inspect {FILE}"),
    ("Which system is better, and how sure may we be?", f"rank {FILE}"),
    ("The model behind it, as the papers print it.", f"fit {FILE}"),
    ("Do the judges agree? Look at A and B under J3.", f"fit {FILE} --judge-covariate judge"),
    ("What if J3 is left out?", f"rank {FILE} --where \"judge <> 'J3'\""),
)
NEXT: Final = (
    f"evenhand demo {TABLE} -o {FILE}",
    "evenhand demo --list",
    "evenhand rank YOUR_FILE",
)
RATED: Final = {
    "hamon2007_simulated": "125 honest judges rate 26 systems for fluency and adequacy, after the"
    " design of Hamon, Mostefa & Arranz (2007)",
}
EXAMPLES: Final = (
    "evenhand demo",
    "evenhand demo --list",
    "evenhand demo pudding",
    "evenhand demo pudding -o pudding.csv",
    "evenhand demo side_by_side_simulated -o side_by_side.csv",
    "evenhand demo hamon2007_simulated -o ratings.csv",
)


@click.command(
    cls=Verb,
    short_help="The main job on published tables.",
    epilog=examples(*EXAMPLES),
)
@click.argument("name", required=False)
@click.option("--list", "as_list", is_flag=True, help="List the bundled tables.")
@click.option("-o", "--output", metavar="FILE", help="Write table NAME as CSV.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.pass_context
def demo(
    ctx: click.Context, *, name: str | None, as_list: bool, output: str | None, force: bool
) -> None:
    """Show the main job on a published table.

    With NAME: the numbers that a bundled table must give, beside those that
    Evenhand gives. With NAME and -o FILE: the table itself, to try things on.
    """
    from evenhand import datasets

    if as_list and (name or output):
        raise UnknownOption("--list stands alone: evenhand demo --list")
    if as_list:
        _list([datasets.load(one) for one in datasets.names()])
        _list_simulated()
    elif name in _simulated():
        _write_simulated(name, output, force=force)
    elif name is None:
        if output:
            raise UnknownOption(f"which table? evenhand demo NAME -o {output}; --list names them")
        _walk(ctx.find_root().command, datasets.load(TABLE))
    else:
        require_option("table", name, (*datasets.names(), *_simulated()))
        _show(datasets.load(name), output, force=force)


def _show(table: Dataset, output: str | None, *, force: bool) -> None:
    """Write a table, or print its numbers beside ours."""
    if output:
        _write(table.csv(), table.title, Path(output), force=force)
    else:
        _compare(table)


def _list(tables: list[Dataset]) -> None:
    names = align([(one.name,) for one in tables], left=(0,))
    for (name,), table in zip(names, tables, strict=True):
        click.echo(f"{click.style(name, bold=True)}  {plural(table.n_judgments, 'judgment')}")
        click.echo(f"  {table.title}")


def _simulated() -> dict[str, tuple[str, str]]:
    """Return kind and title of what is drawn: comparisons, and campaigns of ratings."""
    from evenhand.datasets.simulated import SIMULATED as TABLES
    from evenhand.design import SIMULATED as CAMPAIGNS

    tables = {name: ("comparisons", table.title) for name, table in TABLES.items()}
    return {**tables, **{name: ("ratings", RATED[name]) for name in CAMPAIGNS}}


def _list_simulated() -> None:
    for name, (kind, title) in _simulated().items():
        click.echo(f"{click.style(name, bold=True)}  simulated {kind}")
        click.echo(f"  {title}")


def _write_simulated(name: str, output: str | None, *, force: bool) -> None:
    """Draw a table or a campaign and write it."""
    if output is None:
        raise UnknownOption(
            f"{name} is simulated and has no printed numbers:"
            f" evenhand demo {name} -o FILE writes it"
        )
    from evenhand.datasets.simulated import draw_table
    from evenhand.design import simulate

    text = simulate(name).csv() if name in RATED else draw_table(name)
    _write(text, _simulated()[name][1], Path(output), force=force)


def _write(text: str, title: str, path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise UnknownOption(f"'{path}' is there already: --force replaces it")
    write_file(path, text)
    click.echo(label("wrote", f"{path}: {title}", PLAIN), err=True)


def _walk(group: click.Command, table: Dataset) -> None:
    """Run the verbs one after the other in a folder that is removed afterwards."""
    columns = columns_of_terminal()
    click.echo(label("table", f"{table.title}. {table.source}", columns))
    with TemporaryDirectory(prefix="evenhand-") as folder, chdir(folder):
        Path(FILE).write_text(table.csv(), encoding="utf-8", newline="\n")
        click.echo(label("", f"{table.n_judgments:,} judgments, now in {FILE}", columns))
        counted = ", ".join(f"{name} {n}" for name, n in _first_preferences(table))
        click.echo(label("", f"first preferences: {counted}", columns))
        for title, command in WALK:
            click.echo(f"\n{click.style(title, bold=True)}")
            click.echo(click.style(f"$ evenhand {command}\n", fg="cyan"))
            group.main(shlex.split(command), prog_name="evenhand", standalone_mode=False)
    click.echo(f"\n{click.style('Now you', bold=True)}")
    for command in NEXT:
        click.echo(click.style(f"$ evenhand {command.removeprefix('evenhand ')}", fg="cyan"))


def _first_preferences(table: Dataset) -> list[tuple[str, int]]:
    """Count how often each system was preferred, the most often first."""
    counts: Counter[str] = Counter()
    for row in table.rows:
        cell = dict(zip(table.columns, row, strict=True))
        if cell["outcome"] != "tie":
            counts[str(cell[str(cell["outcome"])])] += int(cell["weight"])
    return counts.most_common()


def _compare(table: Dataset) -> None:
    """Print the numbers of a table beside ours."""
    from evenhand.cli.reproduction import reproduce
    from evenhand.formats.reading import read
    from evenhand.judgments.comparisons import Comparisons

    columns = columns_of_terminal()
    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder, f"{table.name}.csv")
        path.write_text(table.csv(), encoding="utf-8", newline="\n")
        data = read(path)
        if not isinstance(data, Comparisons):
            raise UnknownOption(f"{table.name} holds no comparisons")
        found = reproduce(table, data)
    click.echo(label("table", f"{table.title}. {table.source}", columns))
    click.echo("")
    for line in _rows(found):
        click.echo(f" {line}".rstrip())
    missed = sum(not one.agrees for one in found)
    click.echo("")
    verdict = f"{missed} of {len(found)} numbers differ" if missed else "every number agrees"
    click.echo(label("says", verdict, columns, colour="red" if missed else "green"))
    if table.note:
        click.echo(label("note", table.note, columns))


def _rows(found: list[Reproduced]) -> list[str]:
    """Return a line for each number, below the name of its model."""
    rows = [("quantity", "of", "printed", "here", "")]
    for one in found:
        number = one.expected
        digits = _digits(number.tolerance)
        values = f"{number.value:.{digits}f}", f"{one.found:.{digits}f}"
        rows.append((number.quantity, number.of, *values, "" if one.agrees else "differs"))
    first, *lines = ["  ".join(cells).rstrip() for cells in align(rows, left=(0, 1, 4))]
    drawn = [click.style(first, dim=True)]
    last = ""
    for one, line in zip(found, lines, strict=True):
        if one.expected.model != last:
            last = one.expected.model
            drawn.append(click.style(last, bold=True))
        drawn.append(line)
    return drawn


def _digits(tolerance: float) -> int:
    """Return the decimals that a tolerance leaves meaningful, at most six."""
    digits = 0
    while digits < 6 and tolerance * 10**digits < 0.5:
        digits += 1
    return digits if tolerance else 0
