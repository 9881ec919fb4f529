"""What several judges say of one question together, and whether it can still change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby

Places = tuple[int, ...]


def decide(
    votes: Sequence[Places], outputs: int, judges: int
) -> tuple[tuple[int, ...], ...] | None:
    """Return the order that votes come to, or None while votes to come may change it.

    Of every two outputs the answer (one, the other, a tie) with most votes counts; where answers
    share the most, it is a tie. Outputs stand in the order of pairs won less pairs lost.

    Args:
        votes: places of the outputs, 1 is best, one tuple for each vote so far.
        outputs: number of outputs.
        judges: votes that are asked for.

    Returns:
        Numbers of the outputs, best first, those that tie in one group.

    >>> decide([(1, 2), (2, 1), (1, 2)], 2, 3), decide([(1, 2), (1, 2)], 2, 3)
    (((0,), (1,)), ((0,), (1,)))
    >>> decide([(1, 2), (2, 1)], 2, 2), decide([(1, 2), (2, 1)], 2, 3)
    (((0, 1),), None)
    """
    net, left = [0] * outputs, judges - len(votes)
    for one, other in combinations(range(outputs), 2):
        said = [(vote[one] > vote[other]) - (vote[one] < vote[other]) for vote in votes]
        winner = _most_said(said, left)
        if winner is None:
            return None
        net[one] -= winner
        net[other] += winner
    by_net = sorted(range(outputs), key=lambda i: -net[i])
    return tuple(tuple(same) for _, same in groupby(by_net, key=lambda i: net[i]))


def _most_said(said: Sequence[int], left: int) -> int | None:
    """Return −1 (the first), 0 (a tie) or 1, whichever has most votes; None while that may change.

    Answers that share the most are a tie, so that a tie holds only once nobody can win alone.
    """
    counts = {answer: said.count(answer) for answer in (-1, 0, 1)}
    for answer in (-1, 1):
        others = max(count for other, count in counts.items() if other != answer)
        if counts[answer] > others + left:
            return answer
        if counts[answer] + left > others and left:
            return None
    return 0
