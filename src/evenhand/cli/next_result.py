"""The next pairs, of each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, plural, width, wrap
from evenhand.cli.words import block, sign
from evenhand.design.next_pairs import NextPairs
from evenhand.design.policy import TITLES
from evenhand.design.savings import Savings
from evenhand.report.tables.latex import escape, tabular

NAME: Final = 20  # Most columns of a system's name in the table of pairs
WHY: Final = 24  # Columns that are left for the reason where the terminal has them
GAP: Final = "  "


class NextResult(GroupedResult[NextPairs]):
    """What `evenhand next` chose: pairs for each group."""

    lacking = "has no pairs"

    def draw(self, part: NextPairs, columns: int) -> list[str]:
        """Return counts, the pairs with their reasons, and what is said of them."""
        judged = plural(part.state.tally.n_judgments, "judgment")
        policy = part.policy
        share = "" if policy.rule == "random" else f", {policy.random_share:g} of them at random"
        return [
            label("", f"{judged}, {plural(len(part.state.systems), 'system')}", columns),
            label("policy", f"{policy.rule}: {TITLES[policy.rule]}{share}", columns),
            "",
            *_table(part, columns),
            "",
            *block("says", part.says, columns),
            *([] if part.savings is None else ["", *_curves(part.savings)]),
            *(label("note", note, columns, colour="yellow") for note in part.notes),
            sign(part.signature, columns),
            *([] if part.savings is None else [sign(part.savings.signature, columns)]),
        ]

    def describe(self, part: NextPairs) -> dict[str, Any]:
        """Return the JSON of one part."""
        return part.to_dict()

    def rows(self, part: NextPairs) -> list[dict[str, Any]]:
        """Return a row for each pair."""
        return [asdict(one) for one in part.pairs]

    def tabulate(self, name: str, part: NextPairs) -> str:
        """Return the pairs as a table for a paper."""
        rows = [
            (escape(one.left), escape(one.right), one.kind, escape(one.reason))
            for one in part.pairs
        ]
        comments = [*([name] if name else []), part.signature, *part.says, *part.notes]
        return tabular("llll", ("first", "second", "kind", "reason"), [rows], comments)

    def say(self, part: NextPairs) -> Sequence[str]:
        """Return what must stand beside the pairs."""
        return [*part.says, *part.notes]


def _table(part: NextPairs, columns: int) -> list[str]:
    """Return a row for each pair: who is shown first, who second, and why, wrapped."""
    names = {name for one in part.pairs for name in (one.left, one.right)}
    number = len(str(len(part.pairs)))
    most = (columns - 1 - number - 3 * len(GAP) - WHY) // 2
    short = tell_apart(sorted(names), min(NAME, most))
    rows = [("", "first", "second", "why")]
    for number, one in enumerate(part.pairs, start=1):
        reason = one.reason
        for name in sorted(names, key=len, reverse=True):
            reason = reason.replace(name, short[name])
        rows.append((str(number), short[one.left], short[one.right], reason))
    drawn = []
    for *cells, reason in align(rows, left=(1, 2, 3)):
        start = " " + GAP.join([*cells, ""])
        lines = wrap(reason.rstrip(), columns - width(start))
        drawn += [start + lines[0], *(" " * width(start) + line for line in lines[1:])]
    return [click.style(drawn[0], dim=True), *drawn[1:]]


def _curves(found: Savings) -> list[str]:
    """Return the mean agreement of the policy and of random pairs, at a few looks.

    The curves are those that are compared, made to rise; one look is that of the sentence.
    """
    last = len(found.judgments) - 1
    looks = sorted({*(round(part * last / 7) for part in range(1, 8)), found.find_look()})
    chosen, random = found.rise()
    rows = [("judgments", found.policy.rule, "random")]
    rows += [(f"{found.judgments[i]:,}", f"{chosen[i]:.3f}", f"{random[i]:.3f}") for i in looks]
    drawn = [" " + "  ".join(cells) for cells in align(rows, left=())]
    named = f" mean agreement ({found.agreement}), made to rise"
    return [click.style(named, dim=True), click.style(drawn[0], dim=True), *drawn[1:]]
