"""`evenhand inspect` and `evenhand convert`: what is in a file, and the same in another format."""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli import running
from evenhand.cli.options import OneOf, Options, Reading, Run, scale_option, under, verb
from evenhand.errors import UnknownOption
from evenhand.render.text import block, label


class InspectOptions(Options):
    scale: str | None = scale_option(under("Ratings"))


@verb(
    "evenhand inspect battles.parquet",
    "evenhand inspect votes.csv --column judge=annotator",
    "evenhand inspect scores.csv --scale 1-5",
    doing="counting",
)
def inspect(run: Run, *, asked: InspectOptions) -> running.VerbResult:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    from evenhand import formats

    return running.VerbResult({"": formats.inspect(run.reading.open(), scale=asked.scale)}, {}, ())


FILES: Final = ("csv", "tsv", "jsonl", "parquet")
TABLES: Final = ("comparisons", "rankings", "ratings", "arena")
EXPORTS: Final = ("wmt-rnk", "appraise", "wmt-json", "mqm-tsv", "label-studio")


_option = under("Options")


class ConvertOptions(Options):
    output: str = _option(
        "-o --output FILE",
        "Where to write; .csv, .tsv, .jsonl or .parquet, the text kinds also with .gz or .zst;"
        " label-studio .json.",
        required=True,
    )
    wanted: tuple[str, ...] = _option(
        "--to FORMAT",
        f"{' | '.join(FILES)} where the ending does not say; {' | '.join(TABLES)} for the table:"
        f" arena has model_a, model_b, winner; {' | '.join(EXPORTS)} for other programs."
        " Repeatable.",
        type=OneOf((*FILES, *TABLES, *EXPORTS)),
    )
    comparisons: bool = _option(
        "--comparisons", "Take rankings apart; the same as --to comparisons."
    )
    persons: str | None = _option(
        "--persons FILE",
        'Whose logins the judges are: {"person": ["login", ...]}, or a table login, person.',
    )
    force: bool = _option("--force", "Replace a file that is there.")


@verb(
    "evenhand convert wmt12.RNK_results.csv -o wmt12.parquet",
    "evenhand convert wmt12.RNK_results.csv --comparisons -o pairs.csv.gz",
    "evenhand convert votes.csv --to arena -o battles.jsonl",
    "evenhand convert scores.csv --to appraise -o appraise.csv",
)
def convert(*, reading: Reading, asked: ConvertOptions) -> None:
    """Write judgments in another format, under Evenhand's own column names.

    Every value is checked, so that what is written can be read and used.
    """
    running.refuse_overwriting(reading.files, asked.output)
    names = [*asked.wanted, *(["comparisons"] if asked.comparisons else [])]
    file, table = _only(names, FILES), _only(names, (*TABLES, *EXPORTS))
    with running.ProgressDisplay("converting"):
        from evenhand import formats
        from evenhand.data.exclusions import count_exclusions, list_texts

        reading.thorough = True  # all of it is written
        if reading.system_separator is None:
            reading.system_separator = ""  # an answer on a merged output stays one row
        data = reading.open()
        if asked.persons is not None:
            data = formats.name_persons(data, formats.read_persons(asked.persons))
        path = formats.write(data, asked.output, format=file, kind=table, force=asked.force)
        left_out = formats.say_left_out(data, table or "")
        excluded = list_texts(count_exclusions(data.source.exclusions), data.source.notes)
    width = running.columns_of_terminal()
    read = block("read", [*data.source.notes, *excluded], width)
    lost = block("lost", left_out, width) if left_out else []
    for line in (*read, *lost, label("wrote", str(path), width)):
        click.echo(line, err=True)


def _only(names: list[str], among: tuple[str, ...]) -> str | None:
    matches = sorted({one for one in names if one in among})
    if len(matches) > 1:
        raise UnknownOption(f"--to cannot be both {matches[0]} and {matches[1]}: choose one")
    return matches[0] if matches else None
