"""The command `evenhand`: verbs that are imported when they are used, and how a command ends.

What is refused is said in one line on the error stream, with exit code 2; never a traceback.
"""

from __future__ import annotations

import builtins
import codecs
import gc
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType, TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar, cast

import click

import evenhand
from evenhand.errors import (
    ActionableError,
    EvenhandError,
    LeaveOut,
    listing,
    sentence_hint,
    suggest,
    write_without,
)

if TYPE_CHECKING:
    from evenhand.data.exclusions import Exclusion


WIDTH: Final = 7  # Columns of a label before a line, as in `evenhand.render.text`
EXCLUDED: Final = "evenhand.excluded"  # Its name in the context


def keep_excluded(excluded: Sequence[Exclusion]) -> None:
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[EXCLUDED] = tuple(excluded)


def kept_excluded() -> tuple[Exclusion, ...] | None:
    """Return what was excluded from what the command read; None where it read no judgments."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(EXCLUDED)


# Output streams that cannot write every sign get one that they can.

# Signs of our own and what stands for them, one for one so that columns stay aligned
PLAIN: Final = dict(zip("─●┈…→✗—–−·×²λγδπντχκ", "-o.~>x---.x2lgdpntxk", strict=True))


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in lost), error.end


def discard_output() -> None:
    """Send what standard output could not take to nowhere: Python would try again at its exit."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a stream of the system
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


MAX_LEFT_OUT: Final = 4  # Systems that a remedy names at most: longer ones would not be copied


# What is wrong, in one line on the error stream, and exit code 2; never a traceback.

INTERRUPTED: Final = 130
# With these words DuckDB passes on an interrupt as a RuntimeError
INTERRUPTED_QUERY: Final = "Query interrupted"
# What people write → the option that does it, where letters are no guide
MEANT_OPTIONS: Final = {
    "--pairs": "--batch",
    "--merged": "--system-separator",
    "--together": "--pool-tasks",
    "--against": "--baselines",
    "--always": "--force-shared",
    "--each": "--per-judge",
}


class Refusal(click.ClickException):
    """Something asked for cannot be done; shown as `error  ...`."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        label = click.style("error".ljust(WIDTH), fg="red", bold=True)
        body = ("\n" + " " * WIDTH).join(line.strip() for line in self.message.splitlines())
        click.echo(label + body, file=file, err=file is None, color=choose_colour())


def choose_colour() -> bool | None:
    """Return False where the user wants no colour, None where the stream decides."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


@contextmanager
def plainly(words: tuple[str, ...]) -> Iterator[None]:
    """Turn an error into a refusal in the user's words, without secrets of URLs."""
    try:
        with _refusing():
            yield
    except Refusal as error:
        if not any("://" in word for word in words):
            raise
        from evenhand.formats.reading import hide_settings

        raise Refusal(hide_settings(error.message, words)) from error.__cause__


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except EvenhandError as error:
        from evenhand.render.document import escape_control

        said = str(error)
        if isinstance(error, ActionableError) and 0 < len(error.leave) <= MAX_LEFT_OUT:
            way = f" ({write_without('system', error.leave)})"  # a judge may have the same name
            remedies = [f"{one}{way * isinstance(one, LeaveOut)}" for one in error.remedies]
            said = str(type(error)(error.fault, remedies))
        raise Refusal(escape_control(said)) from error
    except click.UsageError as error:
        verb = error.ctx.command_path if error.ctx is not None else "evenhand"
        raise Refusal(f"{_fault(error, verb)}\n{verb} --help lists what there is") from error
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise  # the reader has seen enough; click ends quietly
    except OSError as error:
        if error.filename is None:
            discard_output()
        where = f"'{error.filename}': " if error.filename else "output cannot be written: "
        raise Refusal(f"{where}{(error.strerror or str(error)).lower()}") from error
    except RuntimeError as error:
        if str(error) != INTERRUPTED_QUERY:
            raise
        raise click.exceptions.Exit(INTERRUPTED) from None
    except MemoryError as error:
        raise Refusal("memory ran out: rank one task at a time (--task), or fewer rows") from error
    except getattr(sys.modules.get("duckdb"), "Error", ()) as error:
        from evenhand.data.engine_errors import explain, was_stopped

        if isinstance(error, sys.modules["duckdb"].InterruptException) or was_stopped(error):
            raise click.exceptions.Exit(INTERRUPTED) from error
        raise Refusal(str(explain(error))) from error


FAILED: Final = 70  # Exit code of a fault of our own


def say_warning(message: Warning | str, *_: object) -> None:
    """Print a warning, such as of letters that figures lack, as a note."""
    from evenhand.render.text import PLAIN, label

    click.echo(label("note", str(message), PLAIN), err=True)


def say_unforeseen(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print one line for a fault of our own; EVENHAND_TRACEBACK=1 shows where it is."""
    if issubclass(kind, KeyboardInterrupt):
        return
    if os.environ.get("EVENHAND_TRACEBACK"):
        sys.__excepthook__(kind, error, trace)
        raise SystemExit(FAILED)
    first = (str(error).splitlines() or [""])[0]
    Refusal(
        f"internal error in Evenhand: {kind.__name__}: {first}\n"
        "please report this line; EVENHAND_TRACEBACK=1 shows where it arose"
    ).show()
    raise SystemExit(FAILED)  # not Python's 1, which is a decision of `gate`


def _fault(error: click.UsageError, verb: str) -> str:
    if isinstance(error, click.NoSuchOption):
        # Suggest the nearest option, or say which other verb has it
        context = error.ctx
        params = context.command.get_params(context) if context is not None else []
        names = [name for one in params for name in one.opts]
        meant = MEANT_OPTIONS.get(error.option_name, "")
        hint = sentence_hint(suggest(meant if meant in names else error.option_name, names))
        group = None if context is None else context.find_root().command
        others = []
        if context is not None and isinstance(group, click.Group):
            verbs = {one: group.get_command(context, one) for one in group.list_commands(context)}
            others = [
                name
                for name, one in verbs.items()
                if one and any(error.option_name in param.opts for param in one.params)
            ]
        if others:
            named = listing(others, 3) if len(others) > 2 else " and ".join(others)
            hint = f"; {named} {'has' if len(others) == 1 else 'have'} it"
        return f"{verb} has no option {error.option_name}{hint}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{verb} needs {_name(error.param)}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        text = error.message.rstrip(".").replace("a valid float", "a number")
        text = re.sub("a valid integer( range)?", "a whole number", text)
        return f"{_name(error.param)}: {text}"
    message = error.format_message()
    return f"{message[:1].lower()}{message[1:].rstrip('.')}"


def _name(param: click.Parameter) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name.removesuffix("...")


# A command that reads files elsewhere ends orderly when it is told to end: copies are removed.

# Signals that would end a process at once
TOLD: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
SIGNALLED: Final = 128  # What a shell adds to the number of a signal that ended a command


@contextmanager
def end_orderly() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as an interrupt, and exit with 128 and their number.

    What ignores one of them (nohup) goes on ignoring it, and commands with handlers of their own
    set those later. The second time a signal ends the process at once.
    """
    received: list[int] = []

    def stop(number: int, _frame: object) -> None:
        for one in before:
            signal.signal(one, signal.SIG_DFL if one == number else signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    before = [one for one in TOLD if signal.getsignal(one) == signal.SIG_DFL]
    for one in before:
        signal.signal(one, stop)
    try:
        yield
    except SystemExit:
        if received:
            raise SystemExit(SIGNALLED + received[0]) from None
        raise
    finally:
        for one in before:
            signal.signal(one, signal.SIG_DFL)


# No pandas for the commands: none needs it, and DuckDB would import it all the same. Before it
# takes a constant into a query it looks whether that is the missing value of pandas: .5 s of CPU
# and 40 MB for every command that compares a column with a word.

T = TypeVar("T")
# The address of an engine, other than those of files in a bucket or on a web server
_ENGINE: Final = re.compile(
    r"(?<!\w)(?!(?:s3|gs|gcs|r2|https?)://)[a-z][a-z0-9+.-]*://", re.IGNORECASE
)


@contextmanager
def without_pandas(words: Sequence[str]) -> Iterator[None]:
    """Let pandas be not installed meanwhile, unless it is in use already or may be needed."""
    if not _keep_out(words):
        yield
        return
    try:
        yield
    finally:
        del sys.modules["pandas"]


def open_elsewhere(opener: Callable[[], T], words: Sequence[str]) -> T:
    """Open judgments in a process that does nothing else, and from now on without pandas."""
    _keep_out(words)
    return opener()


def _keep_out(words: Sequence[str]) -> bool:
    """Let pandas be not installed, unless it is in use or may be needed; say whether."""
    if "pandas" in sys.modules or any(_ENGINE.search(word) for word in words):
        return False
    sys.modules["pandas"] = cast("ModuleType", None)  # how Python says: not to be imported
    return True


# Verbs as the help groups them, with their short help: the list of verbs imports none of them
GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Read and rank": {
        "inspect": "What is in a file: judgments, judges, items, systems, ties.",
        "rank": "Rank systems, with intervals and clusters.",
        "gate": "May a new system replace an old one?",
        "report": "Write a report on one page, to read and to cite.",
        "watch": "Follow votes as they come in: what is decided already?",
        "demo": "Show the main steps on published tables.",
        "convert": "Write the judgments in another format.",
    },
    "Judges and metrics": {
        "agreement": "Do judges agree, with each other and with themselves?",
        "judges": "Find careless and biased judges.",
        "variance": "Split the variance into systems, judges, items and chance.",
        "bias": "Is the output on one side preferred for its position?",
        "labels": "Aggregate the labels of several judges.",
        "replace": "May an LLM judge replace a human judge?",
        "metrics": "How well do automatic metrics agree with people?",
    },
    "Collect": {
        "plan": "How many judgments, judges and items are enough?",
        "check": "Check the design of a campaign, or the log of its judgments.",
        "serve": "Collect judgments on the web.",
        "ask": "Let an LLM judge answer the questions of a campaign.",
        "next": "Choose the pairs or outputs to judge next.",
    },
    "Models": {
        "fit": "Estimate the coefficients of a model.",
        "compare": "Compare models: held-out prediction, nested tests.",
        "test": "Is there a preference at all? Sign tests, Friedman's test.",
        "robustness": "What would change the ranking: fewer votes, other choices?",
        "impute": "Predict the ratings that judges did not give.",
        "similarity": "Which judges rate alike, and who scores high?",
    },
}
VERBS: Final = {verb: says for verbs in GROUPS.values() for verb, says in verbs.items()}
# Words that lead to a verb: of the field, and of the first versions
MEANT: Final[Mapping[str, str]] = {
    "leaderboard": "rank",
    "elo": "rank --elo",
    "significance": "test",
    "ship": "gate",
    "mixed": "variance",
    "verify": "check",
    "doubt": "robustness",
    "models": "compare --nested",
    "complete": "impute",
    "alike": "similarity",
}
# Verbs that stand in the file of another one
FILES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("agreement", "bias", "variance", "labels", "replace"), "judges"),
    "robustness": "rank",
    "inspect": "convert",
}
_WORDS: Final = "evenhand.words"
# Objects that are made before Python looks for circles of them: imports make many, of which none
# can go, and looking took a tenth of the CPU of a small command, and at its end a fifth
COLLECTED_AFTER: Final = 50_000


class Verbs(click.Group):
    """Verbs by name; whatever they refuse is said in one line."""

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
            warnings.showwarning = cast("Any", say_warning)
            gc.set_threshold(COLLECTED_AFTER)
        words = sys.argv[1:] if args is None else args
        ending: AbstractContextManager[None] = nullcontext()
        if standalone_mode and any("://" in word for word in words):  # files may be copied
            ending = end_orderly()
        with ending:
            try:
                return self.main(args, prog_name, standalone_mode=standalone_mode)
            finally:
                if standalone_mode:
                    gc.freeze()  # the process ends: what is left need not be searched once more

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs alone, by their short help; click would import each of them for it."""
        longest = max(map(len, VERBS))
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{verb:{longest}}", says) for verb, says in verbs.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = import_module(f"evenhand.cli.{FILES.get(cmd_name, cmd_name)}")
        verb = getattr(module, f"{cmd_name}_" if hasattr(builtins, cmd_name) else cmd_name)
        return verb if isinstance(verb, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word in VERBS:
            return super().resolve_command(ctx, args)
        if "://" in word:  # an organiser's link holds a secret: it is not said again
            why = "an address is not a verb. Try: evenhand watch ADDRESS"
        elif Path(word).is_file():
            why = f"'{word}' is a file, not a verb. Try: evenhand rank {word}"
        else:
            hint = f" Try: evenhand {MEANT[word]}" if word in MEANT else suggest(word, VERBS)
            why = f"there is no verb '{word}'.{hint or ' `evenhand --help` lists them'}"
        raise click.UsageError(why, ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the verb; keep all words for `invoke`."""
        ctx.meta[_WORDS] = tuple(args)
        with plainly(ctx.meta[_WORDS]):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        # let the standard streams replace what their encoding lacks rather than fail
        codecs.register_error("evenhand", _replace)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper) and (stream.encoding or "").lower() != "utf-8":
                stream.reconfigure(errors="evenhand")
        with plainly(ctx.meta[_WORDS]), without_pandas(ctx.meta[_WORDS]):
            return super().invoke(ctx)


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
    options_metavar="",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`evenhand VERB --help` lists the options of a verb; try `evenhand demo`.",
)
@click.version_option(evenhand.__version__, message="evenhand %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Rank systems by judgments of their outputs, with honest uncertainty.

    A judgment compares two outputs, orders several, or rates one.
    """
    ctx.color = choose_colour()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
