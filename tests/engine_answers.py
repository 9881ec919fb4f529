"""What an engine is asked, written so that the answers of two can be compared."""

from collections.abc import Mapping

import numpy as np

from evenhand.judges.agreement import measure_agreement


def cells(tally):
    """Counts by (levels, left, right), squares, totals and the digest."""
    found = {}
    for at in range(len(tally.left)):
        levels = [own.labels[own.codes[at]] for own in tally.factors.values()]
        key = (*levels, tally.systems[tally.left[at]], tally.systems[tally.right[at]])
        found[key] = np.round(tally.counts[at], 9).tolist()
    loads = {name: own.loads.tolist() for name, own in tally.factors.items()}
    squares = None if tally.squares is None else np.round(tally.squares, 9).tolist()
    totals = (tally.n_judgments, round(tally.n_comparisons, 9), tally.zero_weight)
    return found, loads, squares, totals, tally.digest


def ask_rows(rows):
    """Every rating with its labels, in an order of its own, and what the notes say."""
    named = zip(
        np.array(rows.judges)[rows.judge],
        np.array(rows.items)[rows.item],
        np.array(rows.systems)[rows.system],
        np.array(rows.criteria)[rows.criterion],
        rows.score,
        strict=True,
    )
    return sorted(tuple(map(str, one)) for one in named), rows.missing, rows.notes


def ask_votes(found):
    """Every vote with its labels, in an order of its own."""
    named = zip(
        np.array(found.judges)[found.judge],
        np.array(found.items)[found.item],
        np.array(found.systems)[found.left],
        np.array(found.systems)[found.right],
        found.outcome.tolist(),
        strict=True,
    )
    return sorted(tuple(map(str, one)) for one in named), found.notes


def ask_ranked(data):
    """Pairs by judge and ranking, and how many rankings say what."""
    held = data.comparisons()
    return (
        cells(held.tally(("judge",))),
        cells(held.tally(("ranking",))),
        (data.count(), data.count_blank(), data.count_used(), data.count_blank_ranks()),
    )


def ask_agreement(data):
    """n-agreement and the coefficients of every criterion."""
    return measure_agreement(data, coefficients=("n-agreement", "alpha")).records()


def ask_parts(data, **settings):
    """The parts of each table of agreement, as JSON has them."""
    found = measure_agreement(data, **settings)
    tables = found.values() if isinstance(found, Mapping) else [found]
    return [plain(table.to_dict()) for table in tables]


def plain(found):
    """The same with numbers to the tenth digit, and without the signature."""
    if isinstance(found, dict):
        return {name: plain(own) for name, own in found.items() if name != "signature"}
    if isinstance(found, list | tuple):
        return [plain(own) for own in found]
    return round(found, 10) if isinstance(found, float) else found
