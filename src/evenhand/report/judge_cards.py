"""Flagged judges, with everything that speaks for and against them."""

from __future__ import annotations

from typing import Any, Final

from evenhand.judges.cards import Card
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.without_judges import describe_change
from evenhand.report.answer import say_answer
from evenhand.report.document import Column, Table
from evenhand.report.numbers import write_value
from evenhand.report.panel import Panel
from evenhand.report.reversal import list_leaders

MOST: Final = 10  # Most flagged judges whose evidence is shown
RANKED: Final = 3  # Most flagged judges who are left out one by one, where that takes long
QUICK: Final = 30  # Most systems for which leaving out a judge takes a tenth of a second
# Name of a piece of evidence → what it is about
ABOUT: Final = {
    "slope": "follows the others",
    "agreement": "where others are sure",
    "controls": "controls",
    "repeats": "asked again",
    "position": "place on the screen",
    "session": "within a session",
    "ties": "ties",
    "seconds": "time taken",
}


def tabulate_cards(panel: Panel, before: Ranking | None) -> Table:
    """Return the cards of flagged judges, a row for each line."""
    flagged = panel.screening.flagged
    total = sum(card.n for card in panel.screening.cards)
    columns = (Column("judge", "judge"), Column("about", "looked at"), Column("says", "found"))
    rows: list[dict[str, Any]] = []
    for place, card in enumerate(flagged[:MOST]):
        lines = [("verdict", _say_verdict(card, total))]
        lines += [(ABOUT.get(one.name, one.name), one.says) for one in card.evidence]
        if before is not None:
            lines.append(("left out", _say_effect(panel, before, card, place)))
        rows += [{"judge": card.judge, "about": about, "says": says} for about, says in lines]
    more = len(flagged) - MOST
    rest = f"; {more:,} more are flagged" if more > 0 else ""
    return Table("cards", f"Why judges are flagged{rest}", columns, tuple(rows))


def _say_verdict(card: Card, total: int) -> str:
    share = write_value(card.n / total, "share")
    chance = write_value(card.p_honest, "chance")
    return (
        f"{', '.join(card.flags)}; probability of being honest {chance};"
        f" {card.n:,} judgments, {share} of all"
    )


def _say_effect(panel: Panel, before: Ranking, card: Card, place: int) -> str:
    """Say what leaving out one judge changes."""
    full = panel.study.settings.full
    if not full and (place >= RANKED or len(before.systems) > QUICK):
        return (
            "not computed here; it is made by"
            f" {panel.study.write_command('judges', '--cards')}, or by the report with --full"
        )
    after = panel.rank_others([card.judge])
    if isinstance(after, str):
        return f"without the judge there is no ranking: {after}"
    return describe_change(before, after)


def say_without(panel: Panel, before: Ranking | None) -> tuple[str, str]:
    """Say what becomes of the answer without all flagged judges, and of the ranking in detail."""
    flagged = [card.judge for card in panel.screening.flagged]
    whom = "them" if len(flagged) > 1 else "this judge"
    if before is None:
        return f"There is no ranking with {whom} either.", ""
    after = panel.rank_others(flagged)
    if isinstance(after, str):
        return f"Without {whom} there is no ranking: {after}.", ""
    change = describe_change(before, after, whom)
    detail = f"Without {whom} {change}."
    said, was = (say_answer(one, advise=False)[0] for one in (after, before))
    if said == was or list_leaders(after) == list_leaders(before):
        same = change.startswith("nothing changes")
        return f"Without {whom} the answer stays the same.", "" if same else detail
    return f"Without {whom} the answer is another one: {said}", detail
