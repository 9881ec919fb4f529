"""``python -m benchmarks.year FILE``: what the whole protocol of Hopkins & May (2013) costs.

FILE holds the rankings of a year; eight models, six sizes, five trials.
"""

import time
from pathlib import Path

import click


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, exists=True))
def main(path: Path) -> None:
    """Run the protocol on rankings of one's own and say what it cost."""
    import evenhand

    data = evenhand.read(path)
    assert not isinstance(data, evenhand.Ratings)
    began = time.process_time()
    found = evenhand.trace_learning(data, models="paper")
    spent = time.process_time() - began
    click.echo(f"{found!r}")
    own = ", ".join(f"{name} {seconds:.1f}" for name, seconds in found.seconds.items())
    click.echo(f"protocol of {len(found.tasks)} tasks: {spent:.1f} s of CPU ({own})")


if __name__ == "__main__":
    main()
