"""Which judges are careless or reversed: one entry for comparisons, rankings and ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, refuse_kind
from evenhand.data.joining import say_without
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, Scale, require_scale
from evenhand.data.ratings import Ratings
from evenhand.data.votes import Votes
from evenhand.errors import UnknownOption
from evenhand.judges.cards import Screening
from evenhand.judges.comparison_cards import FALSE_ALARM_RATE, screen_comparisons
from evenhand.judges.rating_cards import screen_ratings
from evenhand.judges.removal import describe_changes
from evenhand.judges.texts import say

Judgments = Comparisons | Rankings | Ratings | RatingRows | Votes


@carries_excluded()
def screen_judges(
    data: Judgments,
    *,
    level: float = FALSE_ALARM_RATE,
    scale: Scale | str | None = None,
    effect: Callable[[str], str] | None = None,
) -> Screening:
    """Flag careless and reversed judges and odd habits, few of whom are honest.

    Every judge gets a card with what was seen and how sure it is. Of all flags about `level` fall
    on honest judges. Where the design cannot tell, nobody is flagged and the reason is given.

    Args:
        data: judgments, with a column of judges; several tasks are taken together.
        level: share of honest judges among the flagged that is allowed.
        scale: of ratings, such as "1-5"; by default the lowest and highest score that occur.
        effect: tells, for the name of a flagged judge, what leaving that judge out changes; for
            ratings this is by default what becomes of the systems' mean scores.

    Returns:
        The cards, the most doubtful first, and what was found in sentences.

    Raises:
        NotIdentified: nobody knows who the judges are.
        UnknownOption: a level that is no share, or a scale that is none or not for these data.
        InvalidJudgments: no judgments, a value in the data that cannot be, or a score off the
            declared scale.

    >>> import evenhand
    >>> import pandas as pd
    >>> rows = [
    ...     {
    ...         "judge": f"J{j}",
    ...         "item": str(i),
    ...         "system": "ABC"[s],
    ...         "score": (s + i + (j + i) % 2) % 5,
    ...     }
    ...     for j in range(12)
    ...     for i in range(20)
    ...     for s in range(3)
    ... ]
    >>> found = evenhand.screen_judges(evenhand.read(pd.DataFrame(rows)))
    >>> len(found.cards), found.flagged
    (12, ())
    """
    if isinstance(data, Ratings | RatingRows):
        rows = data.rows() if isinstance(data, Ratings) else data
        declared = require_scale(scale)
        screening = screen_ratings(rows, level=level, scale=declared, effect=effect)
        screening = screening if effect is not None else _add_effects(screening, rows)
        return _say_remedy(screening, data)
    if scale is not None:
        raise UnknownOption("a scale is for scores: comparisons and rankings have none")
    screening = screen_comparisons(_votes(data), level=level, effect=effect)
    screening = replace(screening, kind="rankings") if isinstance(data, Rankings) else screening
    return _say_remedy(screening, data)


def _say_remedy(screening: Screening, data: Judgments) -> Screening:
    """Say how to go on without the flagged judges, where the table's names are known."""
    if not screening.flagged or isinstance(data, RatingRows | Votes):
        return screening
    option = say_without([card.judge for card in screening.flagged], "judge", data.source)
    return replace(screening, notes=(*screening.notes, say("without-flagged", option=option)))


def _add_effects(screening: Screening, rows: RatingRows) -> Screening:
    sentences = describe_changes(rows, [[card.judge] for card in screening.flagged])
    changes = dict(zip((card.judge for card in screening.flagged), sentences, strict=True))
    cards = [replace(card, effect=changes.get(card.judge)) for card in screening.cards]
    return replace(screening, cards=tuple(cards))


def _votes(data: Comparisons | Rankings | Votes) -> Votes:
    if isinstance(data, Votes):
        return data
    if isinstance(data, Rankings):
        return data.comparisons().votes()
    if isinstance(data, Comparisons):
        return data.votes()
    raise refuse_kind(data, "judges are seen in comparisons, rankings or ratings, not in")
