"""Whether the data support a model: graph rules where worths are free, else a linear programme."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import permutations
from typing import Final, NoReturn

import numpy as np

from evenhand.data.tally import Factor, Tally
from evenhand.errors import InvalidJudgments, LeaveOut, NotIdentified, listing, require_option
from evenhand.models.design import Design
from evenhand.models.likelihood import TieGroups
from evenhand.models.registry import LogLinearSettings
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.graph import (
    Differences,
    Graph,
    Integers,
    find_recession,
    is_strongly_connected,
    solve_differences,
    strong_components,
    weak_components,
)

# The comparisons as a graph: who was compared, and which steps the judgments allow.
#
# A node is a system, or a system in the eyes of one judge group where groups have worths of their
# own; no step leads from one group to another.


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps between nodes, with what each asks of a direction in which no cell falls behind."""

    # in a direction of log-worths x, tie parameter g and order effect e:
    # x[target] − x[source] ≤ slope · e + gain · g

    graph: Graph  # wins lead from the preferred to the other; ties lead both ways
    slope: Integers  # 1 for a step from the system shown first to the second, −1 for the others
    gain: Integers  # −1 for a win, 1 for a tie

    def solve(self, *, e: int, g: int) -> Differences:
        """Find places x of the nodes for given e and g, or a closed walk that forbids them."""
        return solve_differences(self.graph, self.slope * e + self.gain * g)


@dataclass(frozen=True, eq=False)
class PreferenceGraph:
    systems: Sequence[str]  # names of the K systems
    groups: Sequence[str]  # names of the judge groups, empty without groups
    system: Integers  # (N,) system of each node
    group: Integers  # (N,) group of each node
    left: Integers  # (C,) node of one side of each row
    right: Integers  # (C,) node of the other side
    wins: Array  # (C,) how often left was preferred
    ties: Array  # (C,) how often neither was
    losses: Array  # (C,) how often right was preferred

    @property
    def n_nodes(self) -> int:
        return self.system.size

    @property
    def decided(self) -> Array:
        return self.wins + self.losses

    def names(self, nodes: Integers) -> list[str]:
        return [self.systems[system] for system in self.system[nodes].tolist()]

    def steps(self, *, ties: bool) -> Steps:
        won, lost = np.flatnonzero(self.wins), np.flatnonzero(self.losses)
        tied = np.flatnonzero(self.ties) if ties else won[:0]
        sizes = (won.size, lost.size, tied.size, tied.size)
        left, right = self.left, self.right
        source = np.concatenate((left[won], right[lost], left[tied], right[tied]))
        target = np.concatenate((right[won], left[lost], right[tied], left[tied]))
        slope, gain = np.repeat((1, -1, 1, -1), sizes), np.repeat((-1, -1, 1, 1), sizes)
        return Steps(Graph(self.n_nodes, source, target), slope, gain)

    def only(self, group: int) -> PreferenceGraph:
        nodes = np.flatnonzero(self.group == group)
        part = self.take(np.flatnonzero(self.group[self.left] == group))
        return replace(
            part,
            system=self.system[nodes],
            group=self.group[nodes],
            left=np.searchsorted(nodes, part.left),
            right=np.searchsorted(nodes, part.right),
        )

    def take(self, rows: Integers | slice) -> PreferenceGraph:
        columns = ("left", "right", "wins", "ties", "losses")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})


def make_preference_graph(tally: Tally, by: str | None = None) -> PreferenceGraph:
    """Make a graph of a tally's judgments; by a factor each level has nodes of its own."""
    # Refuse what no counting makes, as a tally of one's own may hold it
    counts = {name: getattr(tally, name) for name in ("wins", "ties", "losses")}
    if len({len(column) for column in (tally.left, tally.right, *counts.values())}) > 1:
        raise InvalidJudgments("the columns of a tally must be of one length")
    for name, count in counts.items():
        if len(count) and not (count.min() >= 0 and np.isfinite(count.max())):
            raise InvalidJudgments(f"{name} must be counts: finite and not negative")
    same = np.flatnonzero(tally.left == tally.right)
    if same.size:
        system = tally.systems[int(tally.left[same[0]])]
        raise InvalidJudgments(f'"{system}" is compared with itself: leave such rows out')
    held = np.flatnonzero(tally.wins + tally.ties + tally.losses)
    rows = slice(None) if held.size == len(tally.left) else held
    k = len(tally.systems)
    left, right = tally.left[rows].astype(np.intp), tally.right[rows].astype(np.intp)
    node, groups = np.arange(k), () if by is None else tally.factor(by).labels
    if by is not None:
        offset = tally.factor(by).codes[rows].astype(np.intp) * k
        used = np.zeros(k * len(groups), dtype=np.bool_)
        used[left + offset] = used[right + offset] = True
        place = np.cumsum(used) - 1
        left, right, node = place[left + offset], place[right + offset], np.flatnonzero(used)
    return PreferenceGraph(
        systems=tally.systems,
        groups=groups,
        system=node % k,
        group=node // k,
        left=left,
        right=right,
        wins=tally.wins[rows],
        ties=tally.ties[rows],
        losses=tally.losses[rows],
    )


MAX_SYSTEMS_NAMED: Final = 4
LIKE: Final = 0.75  # Likeness from which a name may be a slip of another
RARE: Final = 0.1  # Share of the comparisons of the other that a slip has at most
_WORTHS: Final = "worths are not identified"
_TIES: Final = "the tie parameter has no finite estimate"
_KEEP_TIES: Final = "keep the ties (--ties half-win)"
_BOTH_ORDERS: Final = "show each pair in both orders"
_NO_ORDER: Final = "leave out --order-effect"
_OTHER: Final = "fit --model bradley-terry --prior 1"
NEVER: Final = "never compared"  # What systems were that no comparison joins


def require_two(systems: Sequence[str]) -> None:
    if len(systems) < 2:
        raise NotIdentified("nothing to compare: there are fewer than two systems")


def refuse_nothing(tally: Tally) -> NoReturn:
    if not tally.n_comparisons:
        raise NotIdentified(
            f"there is no comparison among {len(tally.systems):,} systems", about=_WORTHS
        )
    raise NotIdentified(
        f"every comparison is a tie ({_count(tally.ties.sum())}), and ties are discarded",
        ["collect comparisons with a preference"],
        about=_WORTHS,
    )


def apart(graph: PreferenceGraph, component: Integers, how: str) -> NotIdentified:
    """Say that the systems of one group fall into two parts or more, by the part of each node."""
    parts = [graph.names(np.flatnonzero(component == part)) for part in range(component.max() + 1)]
    singles = [part[0] for part in parts if len(part) == 1]
    remedy = "collect comparisons to join them" if how == NEVER else _KEEP_TIES
    odd = singles if len(parts) - len(singles) <= 1 else []
    leave = _drop(odd) if odd else "rank them apart"
    return _refuse(graph, say_apart(parts, how), [remedy, leave], odd)


def _refuse(
    graph: PreferenceGraph, fault: str, remedies: Sequence[str], odd: Sequence[str]
) -> NotIdentified:
    """Refuse the worths of one group; its odd systems may be slips of others, and excluded."""
    counts = np.zeros(len(graph.systems))
    for side in (graph.left, graph.right):
        np.add.at(counts, graph.system[side], graph.decided + graph.ties)
    often = dict(zip(graph.systems, counts.tolist(), strict=True))
    slips = []
    for name in odd[:MAX_SYSTEMS_NAMED]:
        usual = [one for one, n in often.items() if n * RARE >= often[name] and one not in odd]
        near = get_close_matches(name, usual, n=1, cutoff=LIKE)
        # names that differ in their digits are versions of a system, and no slips
        digits = re.findall(r"\d", name)
        alike = [one for one in near if re.findall(r"\d", one) == digits]
        slips += [f'correct "{name}" if it is "{one}"' for one in alike]
    where = f' in group "{graph.groups[int(graph.group[0])]}"' if graph.groups else ""
    every = [*slips, *remedies, *_prior(graph)]
    return NotIdentified(fault, every, _spare(graph, odd), f"{_WORTHS}{where}")


def say_apart(parts: Sequence[Sequence[str]], how: str) -> str:
    singles = [part[0] for part in parts if len(part) == 1]
    if len(parts) - len(singles) <= 1:
        return _alone(singles, how)
    shown = [listing(part, MAX_SYSTEMS_NAMED) for part in parts[:MAX_SYSTEMS_NAMED]]
    if len(parts) == 2:
        return f"{shown[0]} were {how} with {shown[1]}"
    if len(parts) > MAX_SYSTEMS_NAMED:
        shown.append(f"{len(parts) - MAX_SYSTEMS_NAMED:,} more")
    return f"{len(parts):,} groups of systems were {how} with each other: {' | '.join(shown)}"


def one_way(
    graph: PreferenceGraph, links: Graph, component: Integers, *, ties_help: bool
) -> NotIdentified:
    """Say that preferences lead only one way between the strong components of one group."""
    ends = component[links.source], component[links.target]
    across = ends[0] != ends[1]
    every, size = np.arange(component.max() + 1), np.bincount(component)
    unbeaten = np.setdiff1d(every, ends[1][across])
    hopeless = np.setdiff1d(every, ends[0][across])
    # single systems that only ever won, or only ever lost
    winners = np.flatnonzero(np.isin(component, unbeaten[size[unbeaten] == 1]))
    losers = np.flatnonzero(np.isin(component, hopeless[size[hopeless] == 1]))
    if len(every) == 2 and winners.size:
        losers = losers[:0]  # of two parts one description is enough
    faults = []
    for nodes, won in ((winners, True), (losers, False)):
        names, rows = graph.names(nodes), np.isin(graph.left, nodes) | np.isin(graph.right, nodes)
        of = f"(0 of {_count(graph.decided[rows].sum())})"
        if names and won:
            faults.append(f"nobody preferred anything to {_names(names)} {of}")
        elif names:
            faults.append(f"{_names(names)} {_was(names)} never preferred to anything {of}")
    odd = graph.names(winners) + graph.names(losers)
    if not faults:
        # the smallest part that nothing outside was ever preferred to, or the other way round
        terminal = np.concatenate((unbeaten, hopeless))
        smallest = terminal[np.argmin(size[terminal])]
        inside = component == smallest
        part = listing(graph.names(np.flatnonzero(inside)), MAX_SYSTEMS_NAMED)
        rest = listing(graph.names(np.flatnonzero(~inside)), MAX_SYSTEMS_NAMED)
        between = graph.decided[inside[graph.left] != inside[graph.right]].sum()
        start, end = (rest, part) if smallest in unbeaten else (part, rest)
        faults = [
            f"no chain of preferences leads from {start} to {end}"
            f" (0 of {_count(between)} comparisons between them)"
        ]
    leave = [_drop(odd)] if odd and _spare(graph, odd) else []
    collect = "collect comparisons that may contradict this"
    remedies = [collect, *[_KEEP_TIES] * ties_help, *leave]
    return _refuse(graph, " and ".join(faults), remedies, odd)


def ties_run_away(graph: PreferenceGraph, place: Integers) -> NotIdentified:
    """Say that tie parameter and worths grow together, systems in the order of `place`."""
    if not graph.decided.any():
        cause = f"every comparison is a tie ({_count(graph.ties.sum())})"
        half = "use --ties half-win, under which all systems are equal"
        return NotIdentified(cause, ["collect comparisons with a preference", half], about=_TIES)
    chain = "inside every group" if graph.groups else f"down {_chain(graph, -place, ' > ')}"
    return NotIdentified(
        f"every preference goes one way {chain} and ties only join neighbours, no comparison"
        " contradicts it",
        ["collect more comparisons", "use --ties half-win or none", *_prior(graph)],
        about=f"{_TIES}, nor have the worths",
    )


def _alone(names: Sequence[str], how: str) -> str:
    others = "any other system" if how == NEVER else "other systems"
    return f"{_names(names)} {_was(names)} {how} with {others}"


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _chain(graph: PreferenceGraph, place: Integers, link: str) -> str:
    places = np.unique(place)
    shown = [
        listing(graph.names(np.flatnonzero(place == one)), MAX_SYSTEMS_NAMED)
        for one in places[:MAX_SYSTEMS_NAMED]
    ]
    if places.size > MAX_SYSTEMS_NAMED:
        shown.append(f"{places.size - MAX_SYSTEMS_NAMED:,} more")
    return link.join(shown)


def _names(names: Sequence[str]) -> str:
    return f'"{names[0]}"' if len(names) == 1 else listing(names, MAX_SYSTEMS_NAMED)


def _drop(names: Sequence[str]) -> str:
    return LeaveOut(f"leave {'it' if len(names) == 1 else 'them'} out")


def _spare(graph: PreferenceGraph, names: Sequence[str]) -> Sequence[str]:
    """Return systems that can be excluded so that others are still compared; else none."""
    return names if len(graph.systems) > len(names) + 1 else ()


def _prior(graph: PreferenceGraph) -> list[str]:
    return [*["merge groups"] * bool(graph.groups), "pass --prior 1"]


def _count(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"


# Does a maximum-likelihood estimate exist? Checked before every fit, by exact rules on graphs.
#
# The estimate of a log-linear Bradley-Terry model exists, finite and unique, if and only if no
# direction of log-worths x, tie parameter g and order effect e, other than 0, gives every observed
# outcome the largest score of its comparison. With d = x_left − x_right + e the scores are d, g,
# −d: a preference asks for |d| ≥ g in its favour, a tie for |d| ≤ g. Rao and Kupper's model has the
# same directions. They are differences bounded by g and e, so a graph tells whether there are any:
#
# (i)   g = e = 0: preferences as steps, ties as steps both ways, connect everything both ways
# (without the ties where they are discarded); within each group that has worths of its own;
# (ii)  g = 1, e = 0: some closed walk within one group has more preferences than ties;
# (iii) some comparison is a tie: else g runs to −∞ and the model is fitted without ties;
# (iv)  g = 0, e = ±1: some closed walk has more preferences for the first shown than for the
# second, and some other fewer; (v)   g = 1, any e: closed walks leave no e for which none has a
# negative sum (an exact search in rational numbers).
#
# Source: Ford (1957), American Mathematical Monthly 64:28-33, for (i) without ties; (ii)-(v) follow
# from Albert & Anderson (1984), Biometrika 71:1-10. Experiment E14 compares all of them with the
# linear programme of `evenhand.numerics.graph`, which serves designs that have no such graph.

# Treatments of ties; "none" is γ = 0 with the tie cells kept
TIES: Final = ("davidson", "rao-kupper", "none", "half-win", "discard")

THRESHOLDS: Final = ("rao-kupper", "glenn-david")
FREE: Final = ("davidson", *THRESHOLDS)
SAMPLED_ROWS_PER_NODE: Final = 16  # Rows that the rules are asked of first


@dataclass(frozen=True)
class Verdict:
    # whether the model has a tie parameter that these data determine. False for treatments
    # without one, and where not a single tie was seen (then a note says so).
    ties_estimated: bool
    notes: tuple[str, ...] = ()  # what a report should say beside the estimates


def check_existence(
    tally: Tally, *, ties: str = "davidson", order_effect: bool = False, by: str | None = None
) -> Verdict:
    require_option("ties", ties, TIES)
    graph = make_preference_graph(tally, by)
    if not graph.left.size or (ties == "discard" and not graph.decided.any()):
        refuse_nothing(tally)
    free = ties in FREE and bool(graph.ties.any())
    with_ties = ties != "discard"
    # what holds of some judgments holds of all of them, so a sample usually settles it
    every = graph.left.size // max(1, SAMPLED_ROWS_PER_NODE * graph.n_nodes)
    parts = (graph,) if every < 2 else (graph.take(slice(None, None, every)), graph)
    # rule (i): every system leads to every other, within each group
    if not any(
        np.bincount(part.system, minlength=len(part.systems)).all()
        and is_strongly_connected(
            part.steps(ties=with_ties).graph,
            np.unique(part.group, return_index=True)[1],  # a node of each group
        )
        for part in parts
    ):
        raise _say_what_is_apart(graph, ties=with_ties)
    if free and (places := _places_of_growing_ties(parts)) is not None:
        raise ties_run_away(graph, places)
    # rule (iv): closed walks contradict an endless order effect of either sign
    if order_effect and not any(
        all(part.steps(ties=with_ties).solve(e=e, g=0).cycle is not None for e in (1, -1))
        for part in parts
    ):
        raise _say_how_order_runs_away(graph, ties=with_ties)
    if free and order_effect and not any(_both_are_bounded(part) for part in parts):
        raise NotIdentified(
            "the tie parameter and the order effect have no finite estimates together: with some"
            " order effect every preference goes one way and ties only join neighbours",
            [_BOTH_ORDERS, _NO_ORDER, "use --ties half-win or none"],
        )
    return Verdict(free, _note_no_ties(ties, tied=free))


def check_tally(tally: Tally, ties: str) -> Verdict:
    """Check a model that has no options of those that a refusal names: another one has a prior."""
    try:
        return check_existence(tally.pool(), ties=ties)
    except NotIdentified as refusal:
        data = refusal.without_options().remedies
        remedies = (*data, *[_OTHER] * bool(data))  # without comparisons there is none
        raise NotIdentified(refusal.fault, remedies, refusal.leave) from None


def _note_no_ties(ties: str, *, tied: bool) -> tuple[str, ...]:
    if tied or ties not in FREE:
        return ()
    return (say("no-ties-threshold" if ties in THRESHOLDS else "no-ties"),)


def _places_of_growing_ties(parts: Sequence[PreferenceGraph]) -> Integers | None:
    """Rule (ii): None if some closed walk has more preferences than ties."""
    # else a place for each node: one or more apart for a preference, at most one for a tie
    places = None
    for part in parts:
        steps = part.steps(ties=True)
        places = None if _some_pair_disagrees(part) else steps.solve(e=0, g=1).solution
        if places is None:
            break
    return places


def _both_are_bounded(graph: PreferenceGraph) -> bool:
    """Rule (v): (ii) whatever the order effect e. Newton's method: each walk found moves e on."""
    from fractions import Fraction

    if _some_pair_disagrees(graph):  # in one order, so that e cancels
        return True
    steps = graph.steps(ties=True)
    e, side = Fraction(0), 0
    while (cycle := steps.solve(e=e.numerator, g=e.denominator).cycle) is not None:
        slope, gain = int(steps.slope[cycle].sum()), int(steps.gain[cycle].sum())
        if slope == 0 or slope * side < 0:  # forbids every e, or all that others have left
            return True
        e, side = Fraction(-gain, slope), slope  # the nearest e that this walk allows
    return False


def _some_pair_disagrees(graph: PreferenceGraph) -> bool:
    """Whether some row has preferences both ways: the shortest closed walk without a tie."""
    return bool(np.any((graph.wins > 0) & (graph.losses > 0)))


def _say_what_is_apart(graph: PreferenceGraph, *, ties: bool) -> NotIdentified:
    unseen = np.setdiff1d(np.arange(len(graph.systems)), graph.system)
    if unseen.size:
        names = [graph.systems[system] for system in unseen.tolist()]
        remedies = ["collect comparisons", _drop(names)]
        return NotIdentified(_alone(names, NEVER), remedies, _spare(graph, names), _WORTHS)
    parts = (graph.only(group) for group in np.unique(graph.group).tolist())
    part = next(one for one in parts if not is_strongly_connected(one.steps(ties=ties).graph))
    compared = weak_components(Graph(part.n_nodes, part.left, part.right))
    if compared.max() > 0:
        return apart(part, compared, NEVER)
    links = part.steps(ties=ties).graph
    untied = weak_components(links)
    if untied.max() > 0:
        return apart(part, untied, "only ever tied")
    ties_help = not ties and is_strongly_connected(part.steps(ties=True).graph)
    return one_way(part, links, strong_components(links), ties_help=ties_help)


def _say_how_order_runs_away(graph: PreferenceGraph, *, ties: bool) -> NotIdentified:
    rows = np.flatnonzero(graph.decided + graph.ties * ties)
    left, right = graph.left[rows], graph.right[rows]
    ends = np.concatenate((left, right)), np.concatenate((right, left))
    # places such that right always stands exactly one after left
    exact = np.repeat((1, -1), rows.size)
    place = solve_differences(Graph(graph.n_nodes, *ends), exact).solution
    if place is not None:
        fault = "every group saw its systems in one fixed order"
        if not graph.groups:
            fault = f"systems are always shown in the order {_chain(graph, place, ', then ')}"
        remedies = ["show pairs in both orders", _NO_ORDER]
        about = "the order effect cannot be told from the worths"
        return NotIdentified(fault, remedies, about=about)
    endless = graph.steps(ties=ties).solve(e=1, g=0).cycle is None
    return NotIdentified(
        f"an endless advantage of being shown {'first' if endless else 'second'}, with a ranking of"
        " the systems, explains every preference",
        [_BOTH_ORDERS, "collect more comparisons", _NO_ORDER],
        about="the order effect has no finite estimate",
    )


MOVED = 1e-6  # Share of a null direction below which a parameter does not take part in it


def check_support(
    model: LogLinearSettings, design: Design, ties: TieGroups | None, counts: Array, tally: Tally
) -> Verdict:
    """Return if the estimate exists, by (C, 3) counts as the model takes them; else refuse."""
    if model.prior > 0:
        # under a prior on worths only γ and δ can run away
        if ties is not None:
            return _check_programme(model, design, ties, counts)
        won, tied, lost = counts.sum(axis=0)
        if model.ties in FREE and not won + lost:
            raise NotIdentified(
                "every judgment is a tie: γ = +∞ and the worths are arbitrary; there is nothing to"
                " rank"
            )
        fixed = model.ties == "none" and tied  # γ = 0: a tie speaks against an endless advantage
        if model.order_effect and not (won and lost) and not fixed:
            shown = "first" if won else "second"
            raise NotIdentified(
                f"the order effect is not identified: whoever stood {shown} was always preferred",
                [_NO_ORDER],
            )
        notes = _note_no_ties(model.ties, tied=bool(tied))
        return Verdict(bool(model.ties in FREE and tied), notes)
    if ties is not None:
        # If in every group with ties some comparison is preferred both ways, no direction moves a
        # γ: a tie asks that it does not fall, preferences both ways that it does not rise. What is
        # left are the rules for γ fixed.
        both = ((counts[:, 0] > 0) & (counts[:, 2] > 0)).astype(np.float64)
        if not ((ties.sums(both) > 0) | (ties.offset < 0)).all():
            return _check_programme(model, design, ties, counts)
    by, matrix = None, design.matrix
    free = design.size - len(design.groups)
    if matrix is not None and matrix.shape[1] == free and not design.aliased:
        left, right = design.system[design.left], design.system[design.right]
        groups = {"group": Factor.of(design.groups, design.group[design.left])}
        won, tied, lost = counts.T
        tally = Tally(design.systems, left, right, won, tied, lost, groups)
        by = "group" if len(design.groups) > 1 else None
    elif design.matrix is not None:
        return _check_programme(model, design, ties, counts)
    rule = "none" if ties is not None else model.ties
    rule = "rao-kupper" if rule in THRESHOLDS else rule
    verdict = check_existence(tally, ties=rule, order_effect=model.order_effect, by=by)
    return verdict if ties is None else Verdict(ties_estimated=True, notes=_note(ties))


def _note(ties: TieGroups) -> tuple[str, ...]:
    if not ties.endless:
        return ()
    levels = listing([label.removeprefix("tie:") for label in ties.endless])
    if ties.home is None or not ties.offset[ties.home]:
        return (say("no-ties-of", levels=levels),)
    first = int(np.argmax((ties.matrix[:, 0] == 1) & ~ties.matrix[:, 1:].any(axis=1)))
    return (say("no-ties-of-home", levels=levels, group=ties.groups[first]),)


def _check_programme(
    model: LogLinearSettings, design: Design, ties: TieGroups | None, counts: Array
) -> Verdict:
    tied = bool(counts[:, 1].any())
    free = tied and model.ties in FREE
    labels = ["tie"] * free if ties is None else ties.labels
    names = [*design.labels, *labels, *["order"] * model.order_effect]
    # (C, 3, p): what each parameter adds to the score of left, tie and right
    matrix, p, q = design.matrix, len(design.names), len(labels)
    if matrix is None:
        matrix = np.delete(np.eye(design.size), design.reference, axis=1)
    scores = np.zeros((len(design.left), 3, p + q + model.order_effect))
    worths = matrix[design.left] - matrix[design.right]
    scores[:, 0, :p], scores[:, 2, :p] = worths, -worths
    if q:
        scores[:, 1, p : p + q] = 1.0 if ties is None else ties.matrix[ties.code]
    if model.order_effect:
        scores[:, 0, -1], scores[:, 2, -1] = 1.0, -1.0
    if model.prior > 0:
        names, scores = names[len(design.labels) :], scores[:, :, len(design.labels) :]
    # one row per observed outcome and rival outcome: its score minus the rival's
    every = np.full(len(counts), fill_value=True)
    tie_cells = np.full(len(counts), tied and model.ties in (*FREE, "none"))
    if ties is not None:
        tie_cells &= ~ties.tieless
    outcomes, rows = (every, tie_cells, every), []
    for seen, other in permutations(range(3), 2):
        held = (counts[:, seen] > 0) & outcomes[seen] & outcomes[other]
        rows.append(scores[held, seen] - scores[held, other])
    recession = find_recession(np.unique(np.concatenate(rows), axis=0))
    if recession.aliased is not None:
        moved = [names[i] for i in np.flatnonzero(np.abs(recession.aliased) > MOVED)]
        raise NotIdentified(
            f"{listing(moved)} cannot be distinguished from these data: they always go together;"
            " leave one out"
        )
    if not recession.exists:
        infinite = listing([names[i] for i in recession.infinite])
        raise NotIdentified(
            f"the estimates of {infinite} are infinite: every judgment that bears on them goes one"
            " way",
            [
                "collect judgments that may contradict it",
                "drop the covariate or merge its levels",
                "pass --prior 1",
            ],
        )
    if ties is not None:
        return Verdict(ties_estimated=True, notes=_note(ties))
    return Verdict(free, _note_no_ties(model.ties, tied=tied))
