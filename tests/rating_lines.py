"""Small tables of ratings, written row by row."""

from collections.abc import Sequence

import numpy as np

from evenhand.data.rating_rows import RatingRows


def table_of(rows: Sequence[tuple], names: str = "judge item system score") -> RatingRows:
    """Ratings from tuples; columns may also be criterion, task, kind, direction, expected,
    seconds and moment."""
    columns = dict(zip(names.split(), zip(*rows, strict=True), strict=True))
    labels, codes = {}, {}
    for role in ("task", "judge", "item", "system", "criterion"):
        values = [str(one) for one in columns.get(role, [""] * len(rows))]
        found, inverse = np.unique(values, return_inverse=True)
        labels["criteria" if role == "criterion" else f"{role}s"] = tuple(found.tolist())
        codes[role] = inverse.astype(np.int32)
    types = {"kind": np.int8, "direction": np.int8}
    further = {
        role: np.array(columns[role], dtype=types.get(role, np.float64))
        for role in ("score", "kind", "direction", "expected", "seconds", "moment")
        if role in columns
    }
    return RatingRows(**labels, **codes, **further)
