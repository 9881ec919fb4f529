"""Evenhand's rankings by ratings, as a user calls them; what is compared are estimates."""

from benchmarks.peers import Values, centred
from evenhand import rank, read


def adjusted(path: str) -> Values:
    """Scores adjusted for judges and items, the default."""
    return estimates(path, "adjusted")


def mean(path: str) -> Values:
    """Raw means."""
    return estimates(path, "mean")


def z(path: str) -> Values:
    """Scores standardised by judge."""
    return estimates(path, "z")


def mixed(path: str) -> Values:
    """Judges and items random."""
    return estimates(path, "mixed")


def estimates(path: str, model: str) -> Values:
    """Rank with all defaults but the model."""
    ranking = rank(read(path), model=model)  # type: ignore[arg-type]
    return centred(ranking.systems, ranking.estimate)  # type: ignore[union-attr]
