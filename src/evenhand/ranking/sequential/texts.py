"""What is said of votes that still come in: what is decided, who leads, what limits it."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        "decided": (
            "{n:,} of {pairs:,} pairs are decided for this panel of judges and these items, if"
            " votes are independent."
        ),
        "held-one": "1 more is decided by votes and held back, since {why}: {names:list}.",
        "held-several": "{n:,} more are decided by votes and held back, since {why}: {names}.",
        "decided-by-judges": "{n:,} of {pairs:,} pairs are decided by judges, one vote each.",
        "no-votes": "Nobody leads: there are no votes.",
        "not-joined": "Nobody leads now: {why}.",
        "level": "Nobody leads now: {names} are level.",
        "best": "{first} is decided to be the best.",
        "leads": "{first} leads now; not decided against {names}.",
        # What must stand beside a board
        "systems-not-named": (
            "Direct votes and judges count once {needed:,} votes have named the systems, or from"
            " the start where all are named there (--systems)."
        ),
        "came-later": (
            "{names} came later: direct votes and judges decide only pairs of systems that were"
            " named before; --systems names all at the start."
        ),
        "judges-needed": (
            "{closed:,} judges have given {size} votes; to decide a pair takes at least {needed} of"
            " one mind."
        ),
        "few-judges": (
            "These judges are too few to stand for others: what is decided is about them alone, and"
            " other judges may decide otherwise."
        ),
        "not-confirmed": "Nothing is confirmed: {why}.",
        "groups-apart": (
            "These groups were never compared with each other, and each is ranked by itself:"
            " {groups}."
        ),
        "groups-one-way": (
            "Votes go both ways only inside these groups, each of which is ranked by itself:"
            " {groups}."
        ),
        "no-order-of-rows": (
            "This table keeps no order of its rows: rankings are taken sorted by all their columns;"
            " open the file itself for the order in which they stand."
        ),
        "no-times": (
            "No column tells when judgments were given: they are taken in the order of their rows."
        ),
        "one-pair-of-each": (
            "A ranking is one answer: one of its pairs, drawn at random (seed {seed}), is its vote;"
            " {n:,} others are excluded."
        ),
    }
)
