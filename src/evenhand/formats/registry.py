"""The layouts that are understood, and which of them a table has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.errors import UnknownColumn, UnknownFormat, listing, require_option
from evenhand.formats.file_heads import DOWNLOAD
from evenhand.formats.layouts import (
    annotation_tools,
    appraise,
    arena,
    generic,
    labels,
    language_models,
    mqm,
    wide,
    wmt,
)
from evenhand.formats.roles import Header, check_asked, refuse_circular, say_which, write_roles
from evenhand.formats.table import Layout

# In the order in which they are tried: the most particular first
LAYOUTS: Final[tuple[Layout, ...]] = (
    wmt.WMT_PAIRS,
    wmt.WMT_RNK,
    wmt.WMT_DA,
    wmt.WMT_DA_SCORES,
    appraise.APPRAISE_PAIRS,
    appraise.APPRAISE,
    wmt.WMT_JSON,
    mqm.MQM,
    mqm.MQM_AVERAGES,
    mqm.MTME_SCORES,
    mqm.MTME_RATINGS,
    mqm.MTME_JSON,
    annotation_tools.PEARMUT,
    annotation_tools.POTATO,
    annotation_tools.LABEL_STUDIO,
    annotation_tools.ARGILLA,
    labels.SNOW,
    labels.QAGS,
    *language_models.LAYOUTS,
    arena.ARENA_ONE_HOT,
    arena.ARENA_LOG,
    arena.ARENA,
    arena.ALPACA_EVAL,
    arena.PANDALM,
    generic.DPO,
    generic.WINNERS,
    generic.EVALICA,
    generic.CROWD_KIT,
    generic.CROWD_KIT_LONG,
    generic.MLQE,
    generic.SUBSET2EVALUATE,
    generic.RANKINGS,
    generic.COMPARISONS,
    wide.PAIR_SCORES,
    wide.VOTES,
    generic.RATINGS,
    wide.WIDE,
    generic.MATRIX,
    labels.LABELS,
)

FORMATS: Final = tuple(layout.name for layout in LAYOUTS)  # Names that `format` and `--from` take


# Columns of files that say what is to be judged
_CAMPAIGNS: Final = {
    ("info", "data"): "a Pearmut campaign",
    ("items", "task"): "batches of Appraise",
    ("CAMPAIGN_NAME", "TASKS_TO_ANNOTATORS"): "a manifest of Appraise",
    ("instructions", "consent", "thanks", "design"): "a campaign",
}
_LOG: Final = ("body", "hash")  # Columns of the log of a campaign


def choose(header: Header, name: str | None) -> Layout:
    """Return the layout that was asked for, or the first that recognises the header."""
    if name is not None:
        folded = name.replace("-", "_").lower()
        require_option("format", folded, FORMATS)
        layout = next(one for one in LAYOUTS if folded == one.name)
        check_asked(header, layout.roles)
        lacking = [column for column in layout.needs if column not in header.columns]
        if lacking and not layout.roles and layout is not generic.MATRIX:
            raise UnknownColumn(
                f"{layout.title} need {listing(lacking)}, not found in {header.table}"
            )
        return layout
    check_asked(header, [role for layout in LAYOUTS for role in layout.roles])
    fitting = [layout for layout in LAYOUTS if set(header.requested) <= set(layout.roles)]
    for layout in fitting:
        if layout.recognise(header):
            return layout
    raise _refusal(header, fitting)


def knows(header: Header, name: str | None) -> bool:
    """Say whether a header is that of a layout, or of something else that is known."""
    layouts = [layout for layout in LAYOUTS if name in (None, layout.name)]
    return any(map(header.holds, _CAMPAIGNS)) or any(one.recognise(header) for one in layouts)


def reads_names(header: Header, name: str | None) -> bool:
    """Say whether a layout is asked for, or fits, whose columns are called exactly as told."""
    exact = [layout for layout in LAYOUTS if not layout.roles and layout is not generic.MATRIX]
    if name is not None:
        return name.replace("-", "_").lower() in {layout.name for layout in exact}
    return any(layout.recognise(header) for layout in exact)


def _refusal(header: Header, fitting: Sequence[Layout]) -> UnknownColumn | UnknownFormat:
    """Say what is missing for the nearest of our own layouts, or that none is near."""
    for columns, what in _CAMPAIGNS.items():
        if header.holds(columns):
            return UnknownFormat(
                f"{header.table} holds {what}: what is to be judged, and no judgments yet"
            )
    if header.holds(_LOG):
        return UnknownFormat(
            f"{header.table} is the log of a campaign, for evenhand check: {DOWNLOAD}"
        )
    if (
        "weight" in header.requested
        and generic.RATINGS not in fitting
        and generic.RATINGS.recognise(header)
    ):
        return UnknownColumn(
            f"{header.table} holds ratings, which have no weights: leave out the role of weight"
        )
    layouts = [
        layout
        for layout in (generic.COMPARISONS, generic.RANKINGS, generic.RATINGS)
        if layout in fitting
    ]
    nearest = min(layouts, key=lambda layout: len(header.missing(layout.needs)), default=None)
    if nearest is None or len(header.missing(nearest.needs)) == len(nearest.needs):
        return UnknownFormat(
            f"{header.table} has the columns {listing(header.columns)}: no known layout."
            " Comparisons need left, right, outcome (or model_a, model_b, winner); rankings need"
            " ranking, system, rank; ratings need system, score. Map yours, for instance"
            f" {write_roles(header, {'left': 'NAME'})}"
        )
    missing = header.missing(nearest.needs)
    refuse_circular(header, missing)
    labelled = missing == ["system"] and not header.missing(labels.LABELS.needs)
    way = "; labels of items, of no system, are read with --from labels" if labelled else ""
    return UnknownColumn(
        f"{header.table} looks like {nearest.title}, but has no column for {listing(missing)} among"
        f" {listing(header.columns)}.{say_which(header, missing)}{way}"
    )
