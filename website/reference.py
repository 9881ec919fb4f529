"""The page of all verbs and their options: what `--help` says, written when the site is built."""

import click

from evenhand.cli.main import GROUPS, main

WIDTH = 100


def write_reference() -> str:
    """The page, as Markdown."""
    context = click.Context(main, info_name="evenhand")
    parts = [
        "# Reference of the command line",
        "Every verb with its options, as `evenhand VERB --help` prints them.",
    ]
    for group, verbs in GROUPS.items():
        parts.append(f"## {group}")
        for verb in verbs:
            parts += [f"### evenhand {verb}", f"```text\n{_help(context, verb)}\n```"]
    return "\n\n".join(parts) + "\n"


def _help(group: click.Context, verb: str) -> str:
    command = main.get_command(group, verb)
    assert command is not None
    size = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    return command.get_help(click.Context(command, group, verb, **size))
