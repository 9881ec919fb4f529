"""The layouts that are understood, and which of them a table has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from evenhand.data.source import fold
from evenhand.errors import UnknownColumn, UnknownFormat, listing, require_option
from evenhand.formats import roles
from evenhand.formats.file_heads import DOWNLOAD
from evenhand.formats.layouts import annotation_tools, arena, generic, mqm, wide, wmt
from evenhand.formats.table import Layout

# In the order in which they are tried: the most particular first
LAYOUTS: Final[tuple[Layout, ...]] = (
    *(wmt.wmt_pairs, wmt.wmt_rnk, wmt.wmt_da, wmt.wmt_da_scores),
    *(wmt.appraise_pairs, wmt.appraise, wmt.wmt_json),
    *(mqm.mqm, mqm.mqm_averages, mqm.mtme_scores, mqm.mtme_ratings, mqm.mtme_json),
    *(annotation_tools.pearmut, annotation_tools.potato),
    *(annotation_tools.label_studio, annotation_tools.argilla),
    *(generic.SNOW, generic.qags),
    *(arena.mt_bench_pairs, arena.mt_bench, arena.arena_hard),
    *(arena.arena_one_hot, arena.arena_log, arena.ARENA, arena.alpaca_eval, arena.pandalm),
    *(generic.dpo, generic.winners, generic.EVALICA, generic.crowd_kit, generic.crowd_kit_long),
    *(generic.mlqe, generic.subset2evaluate, generic.RANKINGS, generic.COMPARISONS),
    *(generic.probabilities, wide.pair_scores, wide.votes, mqm.marked, generic.RATINGS),
    *(wide.wide_ranks, wide.wide, generic.unnamed_rankings, mqm.spans),
    *(generic.matrix, generic.LABELS),
)

FORMATS: Final = tuple(layout.name for layout in LAYOUTS)  # Names that `format` and `--from` take


# Columns of files that say what is to be judged
_CAMPAIGNS: Final = {
    ("info", "data"): "a Pearmut campaign",
    ("CAMPAIGN_NAME", "TASKS_TO_ANNOTATORS"): "a manifest of Appraise",
    ("instructions", "consent", "thanks", "design"): "a campaign",
}
_LOG: Final = ("body", "hash")  # Columns of the log of a campaign
_BATCH: Final = {"items", "task"}  # All that stands in a batch of Appraise
# Columns of tables of results, of which two are there
_OF_RESULTS: Final = roles.word_set(
    "winrate ranklo rankhi cluster standarderror nwins elo elorating rankings judges systems "
    "judgments items votes tieshare arenascore trueskillmean trueskillmu kappa pairs "
    "comparisons"
)
# Columns of two answers that are compared; {} is the side
_ANSWERS: Final = roles.list_words(
    "response_{} response{} output_{} answer_{} completion_{} translation_{} summary_{} text_{} "
    "human_ref_{}"
)
_ENDS: Final = (("1", "2"), ("A", "B"), ("0", "1"), ("left", "right"))


def choose(header: roles.Header, name: str | None) -> Layout:
    if name is not None:
        folded = name.replace("-", "_").lower()
        require_option("format", folded, FORMATS)
        layout = next(one for one in LAYOUTS if folded == one.name)
        if layout is mqm.mqm and not set(layout.needs) <= set(header.columns):
            layout = mqm.marked  # errors under other names, or without documents
        roles.check_asked(header, layout.roles)
        lacking = [column for column in layout.needs if column not in header.columns]
        if lacking and not layout.roles and layout is not generic.matrix:
            raise UnknownColumn(
                f"{layout.title} need {listing(lacking)}, not found in {header.table}"
            )
        return layout
    roles.check_asked(header, [role for layout in LAYOUTS for role in layout.roles])
    fitting = [layout for layout in LAYOUTS if set(header.requested) <= set(layout.roles)]
    for layout in fitting:
        if layout.recognise(header):
            return layout
    raise _refusal(header, fitting)


def knows(header: roles.Header, name: str | None) -> bool:
    layouts = [layout for layout in LAYOUTS if name in (None, layout.name)]
    campaign = {*header.columns} == _BATCH or any(map(header.holds, (*_CAMPAIGNS, _LOG)))
    return campaign or any(one.recognise(header) for one in layouts)


def reads_names(header: roles.Header, name: str | None) -> bool:
    """Say whether a layout is asked for, or fits, whose columns are called exactly as told."""
    exact = [layout for layout in LAYOUTS if not layout.roles and layout is not generic.matrix]
    if name is not None:
        return name.replace("-", "_").lower() in {layout.name for layout in exact}
    return any(layout.recognise(header) for layout in exact)


def _tell_other(header: roles.Header) -> UnknownColumn | UnknownFormat | None:
    campaigns = [what for columns, what in _CAMPAIGNS.items() if header.holds(columns)]
    if {*header.columns} == _BATCH:
        campaigns.append("batches of Appraise")
    for what in campaigns:
        return UnknownFormat(
            f"{header.table} holds {what}: what is to be judged, and no judgments yet"
        )
    results = [name for name in header.columns if fold(name) in _OF_RESULTS]
    if len(results) > 1:
        return UnknownFormat(
            f"{header.table} looks like results ({listing(results)}), not like judgments: read"
            " the judgments of which they were made"
        )
    unclear = [name for name in header.columns if fold(name) in roles.OF_NO_SIDE]
    if unclear and header.missing(("left", "right", "outcome")) == ["outcome"]:
        return UnknownColumn(roles.say_unclear(unclear[0]))
    named = (
        [header.named(name.format(end)) for end in ends] for name, ends in product(_ANSWERS, _ENDS)
    )
    pairs = ([one for one in pair if one and header.holds_texts(one)] for pair in named)
    answers = next((pair for pair in pairs if len(pair) == 2), [])
    if answers and header.missing(("left", "right")) == ["left", "right"]:
        return UnknownColumn(
            f"{header.table} does not say which systems gave the answers in {listing(answers)}: add"
            " columns with their names, model_a and model_b"
        )
    return None


def _refusal(header: roles.Header, fitting: Sequence[Layout]) -> UnknownColumn | UnknownFormat:
    """Say what is missing for the nearest of our own layouts, or that none is near."""
    other = _tell_other(header)
    if other is not None:
        return other
    if header.holds(_LOG):
        return UnknownFormat(
            f"{header.table} is the log of a campaign, for evenhand check: {DOWNLOAD}"
        )
    weighted = "weight" in header.requested and generic.RATINGS not in fitting
    if weighted and generic.RATINGS.recognise(header):
        return UnknownColumn(
            f"{header.table} holds ratings, which have no weights: leave out the role of weight"
        )
    ours = (generic.COMPARISONS, generic.RANKINGS, generic.RATINGS)
    layouts = [layout for layout in ours if layout in fitting]
    nearest = min(layouts, key=lambda layout: len(header.missing(layout.needs)), default=None)
    if nearest is None or len(header.missing(nearest.needs)) == len(nearest.needs):
        scores = _tell_scores(header)
        if scores is not None:
            return scores
        for ranked in header.list_rankings():
            return UnknownFormat(
                f"{header.table} has the columns {listing(header.columns)}: no known layout"
                f"{_say_parting(ranked)}"
            )
        way = f"Map yours, for instance {roles.write_roles(header, {'left': 'NAME'})}"
        if any(re.fullmatch(r"-?\d[\d_.]*", one) for one in header.columns):
            way = "If the first line holds data, add a line of column names above it"
        return UnknownFormat(
            f"{header.table} has the columns {listing(header.columns)}: no known layout."
            " Comparisons need left, right, outcome (or model_a, model_b, winner); rankings need"
            f" ranking, system, rank; ratings need system, score. {way}"
        )
    missing = header.missing(nearest.needs)
    roles.refuse_circular(header, missing)
    asked, way = roles.say_which(header, missing), ""
    whole = ("ranking", "rank", *(() if header.free else ("outcome",)))
    named = [one for role in whole for one in header.candidates(role)]
    cells = [one for one in named if one not in header.spreads()]
    once = [role for role in ("item", "judge") if not header.missing([role])]
    if missing == ["ranking"] and len(once) == 1:  # only judges are known, or only items
        ids = roles.write_roles(header, {"ranking": header.candidates(once[0])[0]})
        asked = f" Where each {once[0]} has one ranking: {ids}; else add a column ranking with ids"
    elif cells and missing in (["system", "rank"], ["ranking", "system"], ["left", "right"]):
        way = _say_parting(cells[0])
    elif missing == ["system"] and not header.missing(generic.LABELS.needs):
        way = "; labels of items, of no system, are read with --from labels"
    return UnknownColumn(
        f"{header.table} looks like {nearest.title}, but has no column for {listing(missing)} among"
        f" {listing(header.columns)}.{asked}{way}"
    )


def _say_parting(column: str) -> str:
    return (
        f"; if cells of '{column}' hold whole rankings such as A>B>C, give each rank its column"
        f" (1st, 2nd, 3rd), with pandas: evenhand.read(frame.join(frame.pop({column!r})"
        ".str.split('>', expand=True).rename(columns=lambda at: f'{at + 1}th')))"
    )


def _tell_scores(header: roles.Header) -> UnknownFormat | None:
    spreads = header.spreads()
    free = [one for one in header.free if one in spreads]
    said = [role for role in ("judge", "item") if header.candidates(role)]
    free = [one for one in free if not (wide.is_offset(one) or wide.sums_up(one))]
    systems = [one for one in free if not wide.counts(one, said)]
    if said and len(systems) > 1:
        told = [f"{one} ({spreads[one].low:g} to {spreads[one].high:g})" for one in systems]
        return UnknownFormat(
            f"{header.table} has columns of numbers that are not on one scale,"
            f" {listing(told)}: name those that hold the scores of a system each:"
            f" {roles.write_roles(header, {'system': ','.join(systems)})}"
        )
    scores = wide.find_short_scale(spreads, free)
    if not scores:
        return None
    others = wide.list_others(header, scores)
    among = f" (among {listing(others)})" if others else ""
    named = roles.write_roles(header, {"judge": "NAME", "item": "NAME", "system": "NAME"})
    return UnknownFormat(
        f"{header.table} has several columns of scores, {listing(scores)}, and none called"
        f" judge, item or system. Name those that exist{among}: {named}. If each column of scores"
        f" is of one system: {roles.write_roles(header, {'system': ','.join(scores)})}; otherwise"
        " give each score a row of its own (judge, item, system, score)"
    )
