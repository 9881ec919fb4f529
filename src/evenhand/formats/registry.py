"""The layouts that are understood, and which of them a table has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from evenhand.errors import UnknownColumn, UnknownFormat, listing, require_option
from evenhand.formats.files.head import DOWNLOAD
from evenhand.formats.layouts import (
    appraise,
    appraise_pairs,
    arena,
    arena_log,
    arena_one_hot,
    argilla,
    comparisons,
    crowd_kit,
    crowd_kit_long,
    dpo,
    evalica,
    label_studio,
    matrix,
    mlqe,
    mqm,
    mqm_averages,
    mtme_json,
    mtme_ratings,
    mtme_scores,
    pearmut,
    potato,
    rankings,
    ratings,
    subset2evaluate,
    wmt_da,
    wmt_da_scores,
    wmt_json,
    wmt_rnk,
)
from evenhand.formats.roles import Header, check_asked, map_role, refuse_circular, say_which
from evenhand.formats.table import Handle, Table, Wishes


class Layout(Protocol):
    """What every file in `layouts/` offers."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        ...

    @property
    def TITLE(self) -> str:  # noqa: N802
        ...

    @property
    def NEEDS(self) -> Sequence[str]:  # noqa: N802
        ...

    @property
    def ROLES(self) -> Sequence[str]:  # noqa: N802
        ...

    def recognise(self, header: Header) -> bool:
        """Say whether a table with this header has the layout."""
        ...

    def understand(self, table: Table, wishes: Wishes) -> Handle:
        """Turn the table into a handle, and say what was understood."""
        ...


# In the order in which they are tried: the most particular first
LAYOUTS: Final[tuple[Layout, ...]] = (
    wmt_rnk,
    wmt_da,
    wmt_da_scores,
    appraise_pairs,
    appraise,
    wmt_json,
    mqm,
    mqm_averages,
    mtme_scores,
    mtme_ratings,
    mtme_json,
    pearmut,
    potato,
    label_studio,
    argilla,
    arena_one_hot,
    arena_log,
    arena,
    dpo,
    evalica,
    crowd_kit,
    crowd_kit_long,
    mlqe,
    subset2evaluate,
    rankings,
    comparisons,
    ratings,
    matrix,
)

FORMATS: Final = tuple(layout.NAME for layout in LAYOUTS)  # Names that `format` and `--from` take


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
        layout = next(one for one in LAYOUTS if folded == one.NAME)
        check_asked(header, layout.ROLES)
        return layout
    check_asked(header, [role for layout in LAYOUTS for role in layout.ROLES])
    fitting = [layout for layout in LAYOUTS if set(header.asked) <= set(layout.ROLES)]
    for layout in fitting:
        if layout.recognise(header):
            return layout
    raise _refusal(header, fitting)


def _refusal(header: Header, fitting: Sequence[Layout]) -> UnknownColumn | UnknownFormat:
    """Say what is missing for the nearest of our own layouts, or that none is near."""
    for columns, what in _CAMPAIGNS.items():
        if header.holds(columns):
            return UnknownFormat(
                f"{header.table} holds {what}: what is to be judged, and no judgments yet"
            )
    if header.holds(_LOG):
        return UnknownFormat(
            f"{header.table} is the log of a campaign, for evenhand verify: {DOWNLOAD}"
        )
    if "weight" in header.asked and ratings not in fitting and ratings.recognise(header):
        return UnknownColumn(
            f"{header.table} holds ratings, which have no weights: leave out the role of weight"
        )
    own = [layout for layout in (comparisons, rankings, ratings) if layout in fitting]
    nearest = min(own, key=lambda layout: len(header.missing(layout.NEEDS)), default=None)
    if nearest is None or len(header.missing(nearest.NEEDS)) == len(nearest.NEEDS):
        return UnknownFormat(
            f"{header.table} has the columns {listing(header.columns)}: no known layout."
            " Comparisons need left, right, outcome (or model_a, model_b, winner); rankings need"
            " ranking, system, rank; ratings need system, score. Map yours, for instance"
            f" {map_role(header, 'left', 'NAME')}"
        )
    missing = header.missing(nearest.NEEDS)
    refuse_circular(header, missing)
    return UnknownColumn(
        f"{header.table} looks like {nearest.TITLE}, but has no column for {listing(missing)} among"
        f" {listing(header.columns)}.{say_which(header, missing[0])}"
    )
