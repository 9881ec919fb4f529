"""What holds no judgments of the right kind is refused at the door, and says what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.errors import InvalidJudgments
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings

if TYPE_CHECKING:
    from evenhand.judgments.rating_rows import RatingRows

# What to do with ratings, where nothing else is said
RANKED: Final = "make_report ranks systems by their mean scores"


def require_pairs(data: object, refusal: str, ratings: str = RANKED) -> Comparisons:
    """Return the comparisons of systems: controls are left out, and rankings expanded."""
    table = take_pairs(data)  # type: ignore[arg-type]
    if isinstance(table, Comparisons):
        return table
    raise refuse_kind(data, refusal, ratings)


def require_scores(data: object, refusal: str) -> Ratings | RatingRows:
    """Return ratings, or rows of them."""
    from evenhand.judgments.rating_rows import RatingRows

    if isinstance(data, Ratings | RatingRows):
        return data
    if isinstance(data, Comparisons | Rankings):
        kind = type(data).__name__.lower()
        raise InvalidJudgments(f"{refusal} {kind}: they have no scores; rank takes them")
    raise refuse_kind(data, refusal)


def refuse_kind(data: object, refusal: str, ratings: str = RANKED) -> InvalidJudgments:
    """Return the refusal of what is no table of the right kind."""
    kind = type(data)
    if isinstance(data, Ratings):
        return InvalidJudgments(f"{refusal} ratings: {ratings}")
    if isinstance(data, str):
        return InvalidJudgments(
            f"{refusal} the text {data!r}: open a file of them with evenhand.read({data!r})"
        )
    way = "open a file or frame of them with evenhand.read"
    if kind.__module__.partition(".")[0] == "evenhand":
        way = "pass what evenhand.read opens"
    return InvalidJudgments(f"{refusal} {kind.__name__}: {way}")
