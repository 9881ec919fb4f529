"""Arena battles: two models, and which of them won.

    question_id,model_a,model_b,winner,judge,...
    58210e39,vicuna-13b,koala-13b,model_a,arena_user_973,...

`winner` is `model_a`, `model_b`, `tie` or `tie (bothbad)`; both kinds of tie are ties. The minimal
file has only the first three columns. `question_id` is the item.
"""

from __future__ import annotations

from typing import Final

from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons

NAME: Final = "arena"
TITLE: Final = "arena battles"
NEEDS: Final = ("model_a", "model_b", "winner")
ROLES: Final = COMPARISON_ROLES


def recognise(header: Header) -> bool:
    """Say whether model_a, model_b and winner are there."""
    return header.holds(NEEDS)


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Give the columns their roles; errors as in `make_comparisons`."""
    fixed = {"left": "model_a", "right": "model_b", "outcome": "winner"}
    return make_comparisons(table, wishes, Named(NAME, TITLE), fixed)
