"""A chart that shares what it is made of with its copies, while a report draws many of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
from altair.utils import schemapi


class View(alt.Chart):
    """A chart of one layer, whose copies are cheap inside `draw_unchecked`.

    Altair copies each layer several times, with every property of its mark and channels that is
    not set, as it is put among others: that took most of the time of a report's figures. Figures
    change no mark and no channel once it is made, so that copies may share them. Elsewhere, such
    as in a notebook, copies are whole.
    """

    @property
    def __deepcopy__(self) -> Callable[..., View] | None:  # noqa: PLE0302 - may be None
        """What Altair copies a chart with; None for its own way."""
        return None if schemapi.DEBUG_MODE else self._share

    def _share(self, _memo: Any = None) -> View:
        """Return a copy of the chart alone."""
        return self.copy(deep=False)
