"""Sizes as they are written on the command line."""

import click


def whole(text: str) -> int:
    """A whole number that may be written as 1e6. Raises `click.BadParameter` on anything else.

    >>> whole("1e6")
    1000000
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value < 2 or value != int(value):
        raise click.BadParameter(f"{text!r} is not a size; write a whole number, as 1000 or 1e6")
    return int(value)


def pairs(text: str) -> tuple[tuple[int, int], ...]:
    """The cases of ``--sizes``: ``N:K`` with commas between.

    >>> pairs("1e6:100,1e5:20")
    ((1000000, 100), (100000, 20))
    """
    found = []
    for size in text.split(","):
        n, colon, k = size.partition(":")
        if not colon:
            raise click.BadParameter(f"{size!r} is not a size; write N:K, as in 1e6:100")
        found.append((whole(n), whole(k)))
    return tuple(found)
