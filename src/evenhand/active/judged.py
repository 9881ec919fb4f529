"""What the next pairs are chosen from: the judgments of one task, counted by pair."""

from __future__ import annotations

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs


def count_judged(data: Comparisons | Rankings | Tally) -> Tally:
    """Count judgments by pair.

    Args:
        data: comparisons or rankings of one task; a tally is taken as it is.

    Raises:
        InvalidJudgments: something that holds no judgments on pairs; says what to do.
        NotIdentified: several tasks, of which each has an order of its own.

    >>> count_judged("votes.csv")
    Traceback (most recent call last):
    evenhand.errors.InvalidJudgments: pairs are chosen by comparisons or rankings, not by the text
    'votes.csv': open a file of them with evenhand.read('votes.csv')
    """
    if isinstance(data, Tally):
        return data
    refusal = "pairs are chosen by comparisons or rankings, not by"
    table = require_pairs(data, refusal, "choose_outputs chooses the outputs to have rated next")
    tasks = table.tasks()
    if len(tasks) > 1:
        raise NotIdentified(
            f"there are {len(tasks)} tasks ({listing(tasks, 3)}), and each has an order of its own",
            [
                f"choose pairs of one: select_task({tasks[0]!r})",
                "take all tasks as one, on purpose: pass what tally() returns",
            ],
        )
    return table.tally()
