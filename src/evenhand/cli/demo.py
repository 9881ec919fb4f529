"""`evenhand demo`: a walk through the main job on published tables that come with Evenhand."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import Options, argument, under, verb
from evenhand.cli.running import columns_of_terminal, refusing_to_write, write_file
from evenhand.data.comparisons import Comparisons
from evenhand.datasets import Dataset, Number
from evenhand.errors import EvenhandError, UnknownFormat, UnknownOption, require_option
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.render.document import Column, Document, Finding, Table, plural
from evenhand.render.text import PLAIN, align, label, render_text

if TYPE_CHECKING:
    from evenhand.datasets.public import Fetched, PublicSet

TABLE: Final = "dras2015_table1"
FILE: Final = "table1.csv"
WALK: Final = (
    ("What is in the file?", f"inspect {FILE}"),
    ("Which system is better, and how sure may we be?", f"rank {FILE}"),
    ("The model behind it, as the papers print it.", f"fit {FILE}"),
    ("Do the judges agree? Look at A and B under J3.", f"fit {FILE} --judge-covariate judge"),
    ("What if J3 is excluded?", f"rank {FILE} --where \"judge <> 'J3'\""),
)
NEXT: Final = (
    f"evenhand demo {TABLE} -o {FILE}",
    "evenhand demo --list",
    "evenhand rank YOUR_FILE",
)
RATED: Final = {
    "hamon2007_simulated": "125 honest judges rate 26 systems for fluency and adequacy, after the"
    " design of Hamon, Mostefa & Arranz (2007)"
}


_option = under("Options")


class Wish(Options):
    name: str | None = argument("[NAME]", required=False)
    as_list: bool = _option("--list", "List the bundled tables, and what --fetch knows.")
    output: str | None = _option(
        "-o --output FILE", "Write table NAME: .csv, .tsv, .jsonl, .parquet."
    )
    force: bool = _option("--force", "Replace a file that is there.")
    fetch: str | None = _option("--fetch NAME|all", "Download published judgments.")
    into: str | None = _option("--into FOLDER", "Where to put them (a cache folder).")


@verb(
    "evenhand demo",
    "evenhand demo --list",
    "evenhand demo pudding",
    "evenhand demo pudding -o pudding.csv",
    "evenhand demo side_by_side_simulated -o side_by_side.csv",
    "evenhand demo hamon2007_simulated -o ratings.csv",
    "evenhand demo --fetch llmfao --into data",
)
def demo(*, wish: Wish) -> None:
    """Show the main job on a published table.

    With NAME: the numbers that a bundled table must give, beside those that
    Evenhand gives. With NAME and -o FILE: the table itself, to try things on.
    With --fetch NAME: judgments that others published, checked by SHA-256.
    """
    from evenhand import datasets

    name, as_list, output, force = wish.name, wish.as_list, wish.output, wish.force
    if as_list and (name or output or wish.fetch):
        raise UnknownOption("--list stands alone: evenhand demo --list")
    if wish.into and not wish.fetch:
        raise UnknownOption("--into is for --fetch NAME: evenhand demo --list names the sets")
    if wish.fetch:
        if name or output:
            raise UnknownOption("--fetch takes only --into FOLDER beside it")
        _fetch(wish.fetch, Path(wish.into) if wish.into else None)
        return
    if as_list:
        _list_tables()
    elif name in _simulated():
        # Draw a table or a campaign and write it
        if output is None:
            raise UnknownOption(
                f"{name} is simulated and has no printed numbers:"
                f" evenhand demo {name} -o FILE writes it"
            )
        from evenhand.datasets.simulated import draw_table
        from evenhand.design import simulate

        text = simulate(name).csv() if name in RATED else draw_table(name)
        _write(text, _simulated()[name][1], Path(output), force=force)
    elif name is None:
        if output:
            raise UnknownOption(f"which table? evenhand demo NAME -o {output}; --list names them")
        _walk(click.get_current_context().find_root().command, datasets.load(TABLE))
    else:
        require_option("table", name, (*datasets.names(), *_simulated()))
        # Write a table, or print its numbers beside ours
        table = datasets.load(name)
        if output:
            _write(table.csv(), table.title, Path(output), force=force)
        else:
            _compare(table)


def _list_tables() -> None:
    from evenhand import datasets
    from evenhand.datasets.public import public_sets

    tables = [datasets.load(one) for one in datasets.names()]
    padded = align([(one.name,) for one in tables], left=(0,))
    for (padded_name,), one in zip(padded, tables, strict=True):
        held = plural(one.n_judgments, "judgment")
        click.echo(f"{click.style(padded_name, bold=True)}  {held}\n  {one.title}")
    for simulated, (kind, title) in _simulated().items():
        click.echo(f"{click.style(simulated, bold=True)}  simulated {kind}\n  {title}")
    for public in public_sets().values():
        how = f"--fetch: {public.size:,} bytes" if public.files else "by hand"
        held = f"{how}, licence: {public.licence}"
        click.echo(f"{click.style(public.name, bold=True)}  {held}\n  {public.title}")


def _fetch(name: str, into: Path | None) -> None:
    """Fetch a set, or all with known digests, and say of each where it is and what to try."""
    from evenhand.datasets.public import ByHand, cache_folder, fetch, public_sets

    sets = public_sets()
    require_option("--fetch", name, ("all", *sets))
    if name != "all":
        with refusing_to_write((into or cache_folder()) / name):
            _say_fetched(sets[name], fetch(sets[name], into))
        return
    by_hand, failed = [], []
    for public in sets.values():
        try:
            with refusing_to_write((into or cache_folder()) / public.name):
                _say_fetched(public, fetch(public, into))
        except ByHand:
            by_hand.append(public.name)
        except EvenhandError as refused:
            failed.append(public.name)
            click.echo(label("failed", f"{public.name}: {refused}", PLAIN), err=True)
    if by_hand:
        click.echo(f"by hand: {', '.join(by_hand)}; --fetch NAME says how")
    if failed:
        raise UnknownFormat(
            f"{plural(len(failed), 'set')} not fetched: {', '.join(failed)};"
            " evenhand demo --fetch NAME tries one again"
        )


def _say_fetched(public: PublicSet, fetched: Fetched) -> None:
    if fetched.checked:
        files = plural(len(public.files), "file")
        how = [f"{files}, {len(fetched.downloaded)} downloaded, SHA-256 checked"]
        how += [f"{public.table} made of them"] * fetched.made
    else:
        how = [f"{public.table} {'made of the files there' if fetched.made else 'is there'}"]
    how.append(f"licence: {public.licence}")
    click.echo(
        f"{fetched.folder}: {'; '.join(how)}" + f"; {public.citation}" * bool(public.citation)
    )
    verb_name, file, *options = shlex.split(public.command or f"inspect {public.table}")
    words = ["evenhand", verb_name, str(fetched.folder / file), *options]
    click.echo(f"try    {shlex.join(words)}")


def _simulated() -> dict[str, tuple[str, str]]:
    """Return kind and title of what is drawn: comparisons, and campaigns of ratings."""
    from evenhand.datasets.simulated import SIMULATED as TABLES
    from evenhand.design import SIMULATED as CAMPAIGNS

    tables = {name: ("comparisons", table.title) for name, table in TABLES.items()}
    return {**tables, **{name: ("ratings", RATED[name]) for name in CAMPAIGNS}}


def _write(text: str, title: str, path: Path, *, force: bool) -> None:
    if path.is_file() and not force:
        raise UnknownOption(f"'{path}' is there already: --force replaces it")
    if path.suffix.lower() == ".csv":
        write_file(path, text)
    else:
        from evenhand import formats

        with TemporaryDirectory(prefix="evenhand-") as folder:
            table = Path(folder, "table.csv")
            table.write_text(text, encoding="utf-8", newline="\n")
            formats.write(formats.read(table), path, force=force)
    click.echo(label("wrote", f"{path}: {title}", PLAIN), err=True)


def _walk(group: click.Command, table: Dataset) -> None:
    columns = columns_of_terminal()
    click.echo(label("table", f"{table.title}. {table.source}", columns))
    with TemporaryDirectory(prefix="evenhand-") as folder, chdir(folder):
        Path(FILE).write_text(table.csv(), encoding="utf-8", newline="\n")
        click.echo(label("", f"{table.n_judgments:,} judgments, now in {FILE}", columns))
        preferred: Counter[str] = Counter()
        for row in table.rows:
            cell = dict(zip(table.columns, row, strict=True))
            if cell["outcome"] != "tie":
                preferred[str(cell[str(cell["outcome"])])] += int(cell["weight"])
        counted = ", ".join(f"{name} {n}" for name, n in preferred.most_common())
        click.echo(label("", f"first preferences: {counted}", columns))
        for title, command in WALK:
            click.echo(f"\n{click.style(title, bold=True)}")
            click.echo(click.style(f"$ evenhand {command}\n", fg="cyan"))
            group.main(shlex.split(command), prog_name="evenhand", standalone_mode=False)
    click.echo(f"\n{click.style('Now you', bold=True)}")
    for command in NEXT:
        click.echo(click.style(f"$ evenhand {command.removeprefix('evenhand ')}", fg="cyan"))


def _compare(table: Dataset) -> None:
    from evenhand.data.comparisons import Comparisons
    from evenhand.formats.reading import read

    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder, f"{table.name}.csv")
        path.write_text(table.csv(), encoding="utf-8", newline="\n")
        data = read(path)
        if not isinstance(data, Comparisons):
            raise UnknownOption(f"{table.name} holds no comparisons")
        numbers = reproduce(table, data)
    missed = sum(not one.agrees for one in numbers)
    document = Document(
        answer=(
            f"{missed} of {len(numbers)} numbers differ." if missed else "Every number agrees.",
        ),
        basis=f"{table.title}. {table.source}",
        parts=(_tabulate(numbers),),
        findings=(Finding("table", table.note),) if table.note else (),
    )
    click.echo(render_text(document, columns_of_terminal()), nl=False)


def _tabulate(numbers: list[Reproduced]) -> Table:
    """Return printed numbers beside those that are found here, with a rule between models."""
    rows: list[dict[str, str]] = []
    for one in numbers:
        number, tolerance = one.expected, one.expected.tolerance
        # the decimals that a tolerance leaves meaningful, at most six
        fine = (digits for digits in range(6) if not tolerance or tolerance * 10**digits >= 0.5)
        digits = next(fine, 6)
        printed, here = (f"{value:.{digits}f}" for value in (number.value, one.computed))
        row = {"model": number.model, "quantity": number.quantity, "of": number.of}
        row |= {"printed": printed, "here": here, "differs": "" if one.agrees else "differs"}
        rows.append(row)
    models = [row["model"] for row in rows]
    starts = [at for at in range(len(rows)) if models[at] != models[at - 1] or not at]
    for at in {*range(len(rows))} - {*starts}:
        rows[at]["model"] = ""
    columns = (
        Column("model", "model", "prose"),
        Column("quantity", "quantity"),
        Column("of", "of"),
        Column("printed", "printed", "two"),
        Column("here", "here", "two"),
        Column("differs", ""),
    )
    return Table("numbers", "Numbers", columns, tuple(rows), lines=tuple(starts[1:]))


MODELS: Final[Mapping[str, BradleyTerry]] = {
    "davidson": BradleyTerry(),
    "davidson by judge": BradleyTerry(judge_covariates=("judge",)),
    "gamma zero": BradleyTerry(ties="none"),
    "bradley-terry": BradleyTerry(),
    "bradley-terry with order effect": BradleyTerry(order_effect=True),
}
APART: Final = ", orders apart"
COLUMNS: Final = {"se": "stderr", "z": "z", "p": "p"}


@dataclass(frozen=True)
class Reproduced:
    expected: Number
    computed: float

    @property
    def agrees(self) -> bool:
        return abs(self.computed - self.expected.value) <= self.expected.tolerance


def reproduce(table: Dataset, data: Comparisons) -> list[Reproduced]:
    fit = cache(lambda model: MODELS[model].fit(data))
    return [Reproduced(number, _find(number, data, fit)) for number in table.numbers]


def _find(number: Number, data: Comparisons, fit: Callable[[str], Fit]) -> float:
    model, quantity = number.model, number.quantity
    if model == "counts":
        tally = data.tally()
        code = tally.systems.index(number.of)
        as_left, as_right = tally.wins[tally.left == code], tally.losses[tally.right == code]
        return float(as_left.sum() + as_right.sum())
    if model.endswith(APART):  # both orders of a pair are cells of their own
        smaller = model.removesuffix(APART)
        larger = fit(f"{smaller} with order effect")
        test = larger.lr_test(fit(smaller))
        more = {"deviance": test.statistic, "df": float(test.df)}
        return float(getattr(larger, quantity)) + more[quantity]
    if quantity in {"deviance", "df"}:
        return float(getattr(fit(model), quantity))
    if quantity == "worth":
        return fit(model).worths[number.of]
    return _estimate(fit(model), quantity, number.of)


def _estimate(fit: Fit, quantity: str, of: str) -> float:
    """Return an estimate, or the column of its line that a trailing word names."""
    what, _, last = quantity.rpartition(" ")
    column = COLUMNS.get(last, "estimate")
    what = quantity if column == "estimate" else what
    if what in {"gamma", "nu"}:
        gamma = find_coefficient(fit, "tie", column)
        return exp(gamma) if what == "nu" else gamma
    twice = column in {"estimate", "stderr"}
    if what == "order effect":
        return find_coefficient(fit, "order", column) * (2 if twice else 1)
    if ":" in of:
        return find_coefficient(fit, of, column)
    first, second = of.split(" - ")
    (contrast,) = fit.contrasts([(first, second)])
    value = float(getattr(contrast, column))
    if what == "odds":
        return exp(value)
    return value / 2 if what == "lambda" and twice else value


def find_coefficient(fit: Fit, label: str, column: str) -> float:
    coefficient = next(one for one in fit.coefficients if one.label == label)
    value = getattr(coefficient, column)
    if value is None:
        raise EvenhandError(f"{label} is the reference: it has no {column}")
    return float(value)
