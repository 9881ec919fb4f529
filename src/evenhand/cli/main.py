"""The command `evenhand`: a group of verbs that are imported when they are used."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

import evenhand
from evenhand.cli.refusals import (
    choose_colour,
    plainly,
    say_unforeseen,
    without_pandas,
    write_whatever_they_take,
)
from evenhand.errors import suggest

# Verb → its short help, so that the list of verbs imports none of them
VERBS: Final[Mapping[str, str]] = {
    "inspect": "What is in a file: judgments, judges, items, systems, ties.",
    "rank": "Systems best first, with intervals, rank ranges, clusters.",
    "doubt": "What would change the answer: fewer votes, other choices, cycles?",
    "fit": "The coefficients of the model, as the papers print them.",
    "models": "Are ties needed, does order matter, do judges differ?",
    "compare": "Which model of what judges prefer foresees unseen judgments best?",
    "test": "Is there a preference at all? Sign tests of pairs, Friedman's test.",
    "bias": "Is the output shown first preferred for that alone, and by whom?",
    "agreement": "Do judges agree, with each other and with themselves?",
    "judges": "Which judges are to be doubted, how sure is it, and what changes without them?",
    "labels": "What do the judges say together, weighed by how reliable each is?",
    "variance": "What is due to systems, judges, items and chance? How many judges are enough?",
    "alike": "Which judges are alike, who is lenient, who strays, and what moves opinions?",
    "complete": "What would judges have said of the outputs that they were not shown?",
    "plan": "How many judgments, judges and items are enough, at which cost?",
    "next": "Which pairs to ask about next, and why? What does choosing save?",
    "watch": "What is decided already, however often one looks, and who leads now?",
    "serve": "Ask judges on the web, and lose nothing.",
    "report": "All that the judgments show, on one page to read, trust and cite.",
    "convert": "The same judgments in another format.",
    "verify": "Is a log of collected judgments what was written?",
    "demo": "The main job on published tables.",
}
_WORDS: Final = "evenhand.words"


class Verbs(click.Group):
    """Verbs by name, one module each; whatever they refuse is said in one line."""

    def __call__(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
    ) -> Any:
        """Run as a program; the console script and `python -m evenhand` come here."""
        if standalone_mode:
            sys.excepthook = say_unforeseen
        words = sys.argv[1:] if args is None else args
        with _ending(words) if standalone_mode else nullcontext():
            return self.main(args, prog_name, standalone_mode=standalone_mode)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """List the verbs by their short help; click would import each of them for it."""
        with formatter.section("Commands"):
            formatter.write_dl([*VERBS.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = import_module(f"evenhand.cli.{cmd_name}")
        verb = getattr(module, f"{cmd_name}_" if hasattr(builtins, cmd_name) else cmd_name)
        return verb if isinstance(verb, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS:
            raise click.UsageError(_no_verb(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the verb; keep all words for `invoke`."""
        ctx.meta[_WORDS] = tuple(args)
        with plainly(ctx.meta[_WORDS]):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        write_whatever_they_take()
        with plainly(ctx.meta[_WORDS]), without_pandas(ctx.meta[_WORDS]):
            return super().invoke(ctx)


def _ending(words: Sequence[str]) -> AbstractContextManager[None]:
    """Return what ends a command orderly that may copy files from elsewhere."""
    if not any("://" in word for word in words):
        return nullcontext()
    from evenhand.cli.refusals import end_orderly

    return end_orderly()


def _no_verb(word: str) -> str:
    if "://" in word:  # an organiser's link holds a secret: it is not said again
        return "an address is not a verb. Try: evenhand watch ADDRESS"
    if Path(word).is_file():
        return f"'{word}' is a file, not a verb. Try: evenhand rank {word}"
    hint = suggest(word, VERBS) or f" There are {', '.join(VERBS)}"
    return f"there is no verb '{word}'.{hint}"


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
    options_metavar="",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`evenhand VERB --help` lists a verb's options; `evenhand demo` shows them at work.",
)
@click.version_option(evenhand.__version__, message="evenhand %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """From a file of judgments to a ranking that can be believed.

    A judgment says which of two outputs is better, puts several in order, or
    scores one. Evenhand reads them from CSV, JSON Lines or Parquet, tells which
    systems are better and how sure that is, which judges are to be doubted, and
    refuses where the judgments do not say.
    """
    ctx.color = choose_colour()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
