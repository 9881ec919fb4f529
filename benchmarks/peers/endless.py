"""Nobody: a run that does not end, by which the tests see that it is stopped."""

from benchmarks.peers import Values


def spin(path: str) -> Values:
    """Go on."""
    while path:
        pass
    return {}
