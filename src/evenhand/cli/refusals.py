"""What is wrong, in one line on the error stream, and exit code 2; never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, Final

import click

from evenhand.cli.streams import discard_output
from evenhand.errors import EvenhandError, end, suggest
from evenhand.report.signs import visible

WIDTH: Final = 7  # Columns that a label such as `error` takes, with the space after it
INTERRUPTED: Final = 130
# With these words DuckDB passes on an interrupt as a RuntimeError
INTERRUPTED_QUERY: Final = "Query interrupted"
# What people write → the option that does it, where letters are no guide
MEANT: Final = {"--pairs": "--batch"}


class Refusal(click.ClickException):
    """Something asked for cannot be done; shown as `error  ...`."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message; further lines are indented below the first."""
        label = click.style("error".ljust(WIDTH), fg="red", bold=True)
        body = ("\n" + " " * WIDTH).join(line.strip() for line in self.message.splitlines())
        click.echo(label + body, file=file, err=file is None, color=choose_colour())


def choose_colour() -> bool | None:
    """Return False where the user wants no colour, None where the stream decides.

    Source: https://no-color.org.
    """
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
        from evenhand.formats.source_names import hide_settings

        raise Refusal(hide_settings(error.message, words)) from error.__cause__


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what went wrong into a refusal."""
    try:
        yield
    except EvenhandError as error:
        from evenhand.cli.left_out import explain_leaving

        raise Refusal(visible(explain_leaving(error))) from error
    except click.UsageError as error:
        raise Refusal(_explain_usage(error)) from error
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise  # the reader has seen enough; click ends quietly
    except OSError as error:
        if error.filename is None:
            discard_output()
        raise Refusal(_explain_system(error)) from error
    except RuntimeError as error:
        if str(error) != INTERRUPTED_QUERY:
            raise
        raise click.exceptions.Exit(INTERRUPTED) from None
    except MemoryError as error:
        raise Refusal("memory ran out: rank one task at a time (--task), or fewer rows") from error
    except _engine_errors() as error:
        raise _explain_engine(error) from error


def say_unforeseen(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print one line for a fault of our own; EVENHAND_TRACEBACK=1 shows where it is."""
    if issubclass(kind, KeyboardInterrupt):
        return
    if os.environ.get("EVENHAND_TRACEBACK"):
        sys.__excepthook__(kind, error, trace)
        return
    first = (str(error).splitlines() or [""])[0]
    Refusal(
        f"Evenhand failed where it should not: {kind.__name__}: {first}\n"
        "please report this line; with EVENHAND_TRACEBACK=1 it says where"
    ).show()


def _engine_errors() -> tuple[type[Exception], ...]:
    """Return DuckDB's errors if it was needed at all."""
    return (sys.modules["duckdb"].Error,) if "duckdb" in sys.modules else ()


def _explain_engine(error: Exception) -> Exception:
    import duckdb

    from evenhand.judgments.refusals import explain, was_stopped

    if isinstance(error, duckdb.InterruptException) or (
        isinstance(error, duckdb.Error) and was_stopped(error)
    ):
        return click.exceptions.Exit(INTERRUPTED)
    return Refusal(str(explain(error))) if isinstance(error, duckdb.Error) else error


def _explain_system(error: OSError) -> str:
    where = f"'{error.filename}': " if error.filename else "output cannot be written: "
    return f"{where}{(error.strerror or str(error)).lower()}"


def _explain_usage(error: click.UsageError) -> str:
    """Say what is wrong with the words of a command, and where to look."""
    verb = error.ctx.command_path if error.ctx is not None else "evenhand"
    return f"{_fault(error, verb)}\n{verb} --help lists what there is"


def _fault(error: click.UsageError, verb: str) -> str:
    if isinstance(error, click.NoSuchOption):
        return _no_option(error, verb)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"{verb} needs {_name(error.param)}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        said = error.message.rstrip(".").replace("a valid float", "a number")
        return f"{_name(error.param)}: {said.replace('a valid integer', 'a whole number')}"
    message = error.format_message()
    return f"{message[:1].lower()}{message[1:].rstrip('.')}"


def _name(param: click.Parameter) -> str:
    """Return an option as people write it, `--level`."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name.removesuffix("...")


def _no_option(error: click.NoSuchOption, verb: str) -> str:
    """Suggest the nearest option, or say which other verb has it."""
    context = error.ctx
    own = context.command.get_params(context) if context is not None else []
    names = [name for one in own for name in one.opts]
    meant = MEANT.get(error.option_name, "")
    hint = end(suggest(meant if meant in names else error.option_name, names))
    others = [] if context is None else _who_has(error.option_name, context)
    if others:
        hint = f"; {' and '.join(others)} {'has' if len(others) == 1 else 'have'} it"
    return f"{verb} has no option {error.option_name}{hint}"


def _who_has(option: str, context: click.Context) -> list[str]:
    """Name the other verbs that know an option."""
    group = context.find_root().command
    if not isinstance(group, click.Group):
        return []
    verbs = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return [
        name
        for name, verb in verbs.items()
        if verb is not None and any(option in one.opts for one in verb.params)
    ]
