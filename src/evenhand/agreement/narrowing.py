"""The scale that was seen of some units alone: what others scored changes nothing of theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.units import Units


def narrow_scale(units: Units, kept: NDArray[np.bool_]) -> Units:
    """Keep some units, and only points that they have; a declared scale stays as it is.

    Args:
        units: who scored what.
        kept: (U,) the units of a task, or under a criterion.

    """
    units = units.take(kept)
    if units.scale.declared or not units.size:
        return units
    seen = np.bincount(units.code, minlength=len(units.points)) > 0
    if seen.all():
        return units
    points = units.points[seen]
    ends = float(points[0]), float(points[-1])
    scale = replace(units.scale, low=ends[0], high=ends[1], points=tuple(points.tolist()))
    code = (np.cumsum(seen) - 1)[units.code].astype(np.int32)
    return replace(units, points=points, scale=scale, code=code)
