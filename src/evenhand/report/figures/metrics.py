"""The figures of metrics against people.

systems     means of systems: by people across, by the best metric upwards
pairs       p of each pair of metrics, adjusted; a dot is decided
distance    by how many points of a metric systems are apart, how often they are in people's order
"""

from __future__ import annotations

from evenhand.errors import NotIdentified
from evenhand.metrics.result import MetaEvaluation
from evenhand.metrics.statistics import order_by_distance
from evenhand.report.figures import style
from evenhand.report.figures.drawing import place_names
from evenhand.report.figures.systems import draw_map


def draw_systems(found: MetaEvaluation) -> style.Chart:
    metric, values = found.metrics[0], found.metric_means[0]
    rows = [
        {"system": name, "people": x, "metric": y, "kind": metric}
        for name, x, y in zip(
            found.systems, found.people_means.tolist(), values.tolist(), strict=True
        )
    ]
    x = style.Axis.around(found.people_means.tolist(), f"people: {found.gold}", room=0.08)
    y = style.Axis.around(values.tolist(), metric, room=0.08)
    points = [(500 * x.place(one["people"]), 300 * y.place(one["metric"])) for one in rows]
    placed = {one.at: one.side for one in place_names(points, found.systems, 500)}
    sides = [
        [row for at, row in enumerate(rows) if placed.get(at) == side] for side in ("right", "left")
    ]
    keys = ("people", "metric")
    marks = [
        *style.series(rows, keys, style.look_up([metric])),
        *style.name_points(sides, keys, "system"),
    ]
    below = "a point is a system: its mean by people, and by the metric that agrees best"
    return style.Chart((rows,), x, y, marks).name("Systems by people and by a metric", below)


def draw_pairs(found: MetaEvaluation) -> style.Chart:
    if not found.pairs:
        raise NotIdentified("metrics were not compared: there are no pairs to draw")
    place = {name: at for at, name in enumerate(found.metrics)}
    rows = [
        {
            "row": f"{place[one.first] + 1} {one.first}",
            "against": place[one.second] + 1,
            "p": one.p_adjusted,
            "far": 1.0 - min(one.p_adjusted / 0.1, 1.0),
            "shown": f"{one.p_adjusted:.2f}".lstrip("0"),
            "decided": one.decided,
        }
        for one in found.pairs
    ]
    shades = ({0.0: "≥ .1", 1.0: "0"}, "adjusted p")
    below = "the row's metric agrees better than the column's; a dot: decided"
    text = ("Pairs of metrics", below)
    tested = found.metrics[: max(place[one.second] for one in found.pairs) + 1]  # others are last
    return draw_map(tested, rows, "far", shades, text=text, across="against metric number")


def draw_distance(found: MetaEvaluation) -> style.Chart:
    apart, share, n = order_by_distance(found.people_means, found.metric_means[0])
    shown = n >= min(5, int(n[-1]))  # of fewer pairs a share says little
    rows = [
        {"points": x, "share": y, "kind": found.metrics[0]}
        for x, y in zip(apart[shown].tolist(), share[shown].tolist(), strict=True)
    ]
    keys = ("points", "share")
    marks = [
        style.rule(0.95, style.QUIET, across=True),
        *style.series(rows, keys, style.look_up([found.metrics[0]]), size=4.0, joined=1.4),
    ]
    x = style.Axis.around([row["points"] for row in rows], f"difference in {found.metrics[0]}")
    low = min(0.5, float(share[shown].min()))
    y = style.Axis(low - 0.02, 1.02, "pairs of systems in people's order", style.write_share)
    below = "of pairs of systems at least so far apart; dotted: 95 %"
    return style.Chart((rows,), x, y, marks).name("Pairs in people's order, by difference", below)
