"""Whether an engine counts what agreement of comparisons needs, or rows must be fetched; and why.

Coefficients on output pairs are made of how often each answer was given, as those of ratings are;
κ of preferences of pairs of votes, of judges with themselves too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import narwhals as nw

from evenhand.agreement.count_table import Counted, Key
from evenhand.agreement.engine_codes import Coded, code_targets
from evenhand.agreement.engine_kappa import fetch_votes, split_kappas
from evenhand.agreement.engine_rows import NeedsRows
from evenhand.agreement.engine_votes import find_votes
from evenhand.agreement.preference_counts import CountedVotes
from evenhand.agreement.preference_kappa import BETWEEN
from evenhand.agreement.preferences import PreferenceAgreement
from evenhand.agreement.pushing import Rows, check_request, count_scores, find_few, list_parts
from evenhand.agreement.tabulation import Request
from evenhand.agreement.units import Points
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, fetch_columns, one_thread


def count_preferences(
    data: Comparisons, request: Request, kappas: Sequence[str]
) -> CountedVotes | Rows:
    """Let the engine count what was asked for.

    Args:
        data: comparisons, or rankings that were expanded into them.
        request: what was asked for beside κ.
        kappas: which κ.

    Raises:
        InvalidJudgments: a label that cannot be.

    """
    lazy = hasattr(data.frame, "collect") and data.weights == "frequency"
    if not (lazy and data.has("item") and data.has("judge")):
        return Rows()
    with one_thread(data.source.connection):
        rows = data.frame if data.rankings is None else data.rankings.frame
        number = int(fetch_columns(rows.select(nw.len().alias(COUNT)))[COUNT][0])
    if number <= find_few(data):
        return Rows()
    try:
        check_request(request)
        with one_thread(data.source.connection):
            return _count(data, request, kappas)
    except NeedsRows as why:
        return Rows(str(why))


def _count(data: Comparisons, request: Request, kappas: Sequence[str]) -> CountedVotes:
    if data.rankings is not None:
        data.rankings.check()
    found = find_votes(data)
    with code_targets(found.every) as every:
        scale = found.answers.scales[""]
        seen = Points(found.every.points, found.every.points.astype("int32"), scale)
        counted = count_scores(replace(every, targets=found.targets), request, seen)
        both = replace(every, targets=found.votes), replace(every, targets=found.targets)
        pairs = _count_pairs(both, counted, request, kappas)
    return CountedVotes(counted, pairs, found.answers)


def _count_pairs(
    votes: tuple[Coded, Coded], counted: Counted, request: Request, kappas: Sequence[str]
) -> dict[Key, dict[str, PreferenceAgreement]]:
    """Count pairs of votes of every part that has κ.

    Args:
        votes: all but controls, and those of them that are not marked as repeats.
        counted: how often output pairs were answered how.
        request: what was asked for.
        kappas: which κ.

    """
    counts = counted.counts
    again, repeats = bool(counts.again.any()), counted.left[""][0] > 0
    levels = {"task", "criterion"} & {*votes[0].targets.labels}
    listed = list_parts(counts, request.by, apart=votes[0].targets.apart)
    parts = [by for by in listed if {*by} <= levels]
    first = [name for name in kappas if repeats and name == BETWEEN]
    rest = [name for name in kappas if name not in first]
    found: dict[Key, dict[str, PreferenceAgreement]] = {}
    for held, names, twice in ((votes[0], rest, again or repeats), (votes[1], first, again)):
        if names:
            sums = fetch_votes(held, names, request.seed, again=twice)
            for by in parts:
                for key, own in split_kappas(sums, by).items():
                    found.setdefault(key, {}).update(own)
    return found
