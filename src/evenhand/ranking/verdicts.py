"""People's ranking, made more precise by verdicts of LLM judges, however biased these are.

    θ = θ_h − λ (θ_l − θ_a)

θ_h are log-worths by people's judgments; θ_l by verdicts on the very pairs of outputs that people
judged, one for each of their judgments; θ_a by all verdicts, one for each pair of outputs of an
item. All three are fits of one model. Items for people being a random part of all items, θ_l and
θ_a estimate the same, whatever the LLM prefers, so that their difference is 0 on average; and it
has in it what those items favour, as θ_h has. That is a control variate, and

    λ = Σ_g ⟨d_g^h − d̄^h, D_g − D̄⟩ / Σ_g |D_g − D̄|²,    D_g = d_g^l − d_g^a

within 0 and 1, where d_g is what leaving item g out changes in a fit.

The three fits are one estimate of the parameters of all, so that errors and rank sets are those of
any ranking (`rank_sets`). An item's cluster holds its judgments and its verdicts. A judge's holds
what they judged and the verdicts on it; verdicts on other items are not theirs, and their part of
the variance is added, by items.

When not to use it: where people judged items that were chosen since they are hard, or easy, for the
LLM. A comparison of verdicts on their items with verdicts on others shows some of it (`check`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Final

import narwhals as nw
import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import refuse_kind
from evenhand.data.groups import Levels, list_levels, tally_groups
from evenhand.data.tally import Factor, Tally, join_codes, keep_levels, merge_levels, take_names
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    suggest_or_list,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Integers
from evenhand.numerics.bootstrap import Influence, jackknife
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking import sandwich
from evenhand.ranking.clustering import (
    ENOUGH_ITEMS,
    MAX_CLUSTERS,
    Clustering,
    Evidence,
    choose_clustering,
    merge_factors,
)
from evenhand.ranking.covariance import (
    ClusteredErrors,
    Spread,
    centred_rows,
    cluster_all_pairs,
    describe_ways,
    estimate_each,
    leave_each_out,
)
from evenhand.ranking.inference import find_intervals, order_systems
from evenhand.ranking.intervals import Estimates, pair_variance
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import Fused, GroupedRankings, Ranking, rank_apart
from evenhand.ranking.settings import Settings
from evenhand.ranking.texts import say
from evenhand.render.findings import Finding

MIN_GAIN: Final = 1.02  # Below it verdicts add nothing that is worth a word
MAX_CHECK_T: Final = 3.0  # |t| from which verdicts on people's items differ from the others
MAX_NAMED: Final = 5  # Pairs without a verdict that a refusal names
UNPAIRED: Final = ("drop", "keep")


@dataclass(frozen=True, eq=False)
class Paired:
    """Judgments of people and verdicts, with codes of systems and items in common."""

    judged: Tally  # people's, with the items that they judged
    people: Tally  # the same with all items
    beside: Tally  # the verdicts on what people judged, one a judgment, by the same factors
    every: Tally  # verdicts, one for each pair of outputs of an item, by item
    n_verdicts: float  # verdicts before they were averaged
    n_cells: int  # pairs of outputs with verdicts
    n_unpaired: float  # judgments of people on pairs without a verdict
    one_order: bool  # whether no pair was shown to the LLM in both orders

    def factor(self, name: str) -> Factor:
        return self.people.factors[name]


def pair_verdicts(people: Tally, verdicts: Tally, unpaired: str | None) -> Paired:
    """Find the verdicts on what people judged.

    people: by judge, where judges are known, and item. verdicts: by item.
    unpaired: what becomes of judgments without a verdict: "drop" or "keep"; None refuses them.

    Raises:
        InvalidJudgments: judgments without a verdict, or none with one.

    """
    for name, tally in (("judgments of people", people), ("verdicts", verdicts)):
        if "item" not in tally.factors:
            raise InvalidJudgments(
                f"{name} do not say of which item they are: verdicts belong to judgments on the"
                " same item and systems; name the column (--column item=NAME)"
            )
    known = {name: at for at, name in enumerate(people.systems)}
    code = np.array([known.get(name, -1) for name in verdicts.systems], dtype=np.int32)
    verdicts = verdicts.take((code[verdicts.left] >= 0) & (code[verdicts.right] >= 0))
    k, of_people, of_verdicts = len(people.systems), people.factor("item"), verdicts.factor("item")
    labels = tuple(dict.fromkeys((*of_people.labels, *of_verdicts.labels)))
    place = {name: at for at, name in enumerate(labels)}
    own = np.array([place[name] for name in of_people.labels], dtype=np.int64)[of_people.codes]
    theirs = np.array([place[name] for name in of_verdicts.labels], dtype=np.int64)
    theirs = theirs[of_verdicts.codes]

    # verdicts of one pair of outputs, averaged over orders, repeats and LLM judges
    left, right = code[verdicts.left], code[verdicts.right]
    turned = left > right
    counts = np.where(turned[:, None], verdicts.counts[:, ::-1], verdicts.counts)
    low, high = np.minimum(left, right), np.maximum(left, right)
    keys, first, cell = np.unique(
        (theirs * k + low) * k + high, return_index=True, return_inverse=True
    )
    if not len(keys):
        raise InvalidJudgments(
            "the verdicts are on none of the systems that people judged: names of systems and items"
            " must be the same in both"
        )
    sums = np.stack([np.bincount(cell, counts[:, at]) for at in range(3)], axis=1)
    shares = sums / sums.sum(axis=1, keepdims=True)
    orders = np.bincount(cell[turned], minlength=len(keys)) * np.bincount(
        cell[~turned], minlength=len(keys)
    )

    low_h, high_h = np.minimum(people.left, people.right), np.maximum(people.left, people.right)
    wanted = (own * k + low_h) * k + high_h
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found = keys[at] == wanted
    n = people.counts.sum(axis=1)
    lacking = float(n[~found].sum())
    if not found.any():
        raise InvalidJudgments(
            "no judgment of people is on a pair of outputs with a verdict: names of systems and"
            " items must be the same in both"
        )
    if lacking and unpaired is None:
        some = np.flatnonzero(~found)[:MAX_NAMED].tolist()
        names = listing(
            [
                f"{people.systems[low_h[row]]} and {people.systems[high_h[row]]} on item"
                f" {labels[own[row]]}"
                for row in some
            ]
        )
        raise InvalidJudgments(
            f"{lacking:,.0f} of {n.sum():,.0f} judgments have no verdict, such as those of"
            f" {names}: get their verdicts, or use --unpaired drop, or --unpaired keep to count"
            " them without"
        )

    def number(codes: Integers) -> Factor:
        loads = np.bincount(own, n, minlength=len(labels)).astype(np.float64)
        return Factor(labels, codes.astype(np.int32), loads, len(labels))

    if lacking and unpaired == "drop":
        judged = replace(people.take(found), n_judgments=float(n[found].sum()), factors={})
        factors = {name: keep_levels(one, found, n[found]) for name, one in people.factors.items()}
        people = replace(judged, factors=factors)
        own, at, n, found = own[found], at[found], n[found], found[found]
    judged = people
    people = replace(judged, factors={**judged.factors, "item": number(own)})
    rows = np.flatnonzero(found)
    each = np.asarray(shares[at[rows]] * n[rows, None], dtype=np.float64)
    beside = _count(people.systems, (keys[at[rows]] // k % k, keys[at[rows]] % k), each)
    beside = replace(
        beside,
        factors={name: replace(one, codes=one.codes[rows]) for name, one in people.factors.items()},
    )
    every = _count(people.systems, (low[first], high[first]), shares)
    every = replace(every, factors={"item": number(theirs[first])})
    return Paired(
        judged,
        people,
        beside,
        every,
        n_verdicts=float(counts.sum()),
        n_cells=len(keys),
        n_unpaired=lacking,
        one_order=not orders.any(),
    )


def _count(systems: tuple[str, ...], sides: tuple[Integers, Integers], counts: Array) -> Tally:
    left, right = (side.astype(np.int32) for side in sides)
    wins, ties, losses = np.ascontiguousarray(counts.T)
    return Tally(systems, left, right, wins, ties, losses, n_judgments=float(counts.sum()))


@dataclass(frozen=True, eq=False)
class Parts:
    """One fit taken apart by clusters that all fits have in common."""

    fit: Fit
    rows: Array  # (K, p) centred log-worths by parameter
    changes: Mapping[str, Array]  # way → (G, p) what leaving each cluster out changes
    carried: Mapping[str, Array]  # way → (G, K, p) how far its leverage carries a change

    def worths(self, way: str) -> Array:
        """Return (G, K) what leaving each cluster out changes in log-worths."""
        return np.asarray(self.changes[way] @ self.rows.T)

    @property
    def log_worth(self) -> Array:
        return np.asarray(self.fit.log_worth - self.fit.log_worth.mean())


def take_apart(fit: Fit, tally: Tally, ways: Mapping[str, ClusteredErrors]) -> Parts:
    """Leave out each cluster in turn; those without answers change nothing."""
    rows, changes, carried = centred_rows(fit), {}, {}
    for name, way in ways.items():
        held = np.flatnonzero(sandwich.gather_clusters(fit, tally, name)[0].held())
        size = tally.factor(name).size
        if way.influence is None:
            raise NotIdentified(
                f"{len(fit.systems):,} systems are too many to rank with the help of verdicts"
            )
        changes[name] = np.zeros((size, rows.shape[1]))
        changes[name][held] = way.influence.changes
        carried[name] = np.repeat(rows[None], size, axis=0)
        carried[name][held] = way.influence.carried
    return Parts(fit, rows, changes, carried)


@dataclass(frozen=True, eq=False)
class Joint:
    """The three fits as one estimate: of people, of verdicts beside theirs, of all verdicts."""

    people: Parts
    beside: Parts
    every: Parts
    ways: Mapping[str, ClusteredErrors]  # "item", and "judge" where judges cluster: of people
    cells: Array  # covariance of people's and the paired verdicts' parameters by judge and item

    def choose_weight(self) -> float:
        """Return λ."""
        own = self.people.worths("item")
        other = self.beside.worths("item") - self.every.worths("item")
        own, other = own - own.mean(axis=0), other - other.mean(axis=0)
        size = float((other**2).sum())
        # verdicts that are all alike leave rounding
        if size <= np.finfo(np.float64).eps * float((own**2).sum()):
            return 0.0
        return min(max(float((own * other).sum()) / size, 0.0), 1.0)

    def find_rows(self, weight: float) -> Array:
        return np.concatenate(
            [self.people.rows, -weight * self.beside.rows, weight * self.every.rows], axis=1
        )

    def cluster(self, weight: float) -> dict[str, ClusteredErrors]:
        """Return errors by each way, of the parameters of all fits together."""
        parts = (self.people, self.beside, self.every)
        scales = (1.0, -weight, weight)
        rows, found = self.find_rows(weight), {}
        of_items = [one.changes["item"] for one in parts]
        carried = [scale * one.carried["item"] for scale, one in zip(scales, parts, strict=True)]
        changes = np.concatenate(of_items, axis=1)
        influence = Influence(changes, np.concatenate(carried, axis=2), rows)
        found["item"] = replace(self.ways["item"], vcov=jackknife(changes), influence=influence)
        if "judge" not in self.ways:
            return found
        # clusters are judges, and beside them the items of all verdicts, which are no judge's
        own = np.concatenate([one.changes["judge"] for one in parts[:2]], axis=1)
        upper, lower, p = len(own), len(of_items[2]), own.shape[1]
        changes = np.zeros((upper + lower, rows.shape[1]))
        changes[:upper, :p], changes[upper:, p:] = own, of_items[2]
        whole = np.repeat(rows[None], upper + lower, axis=0)
        whole[:upper, :, :p] = np.concatenate(
            [
                scale * one.carried["judge"]
                for scale, one in zip(scales[:2], parts[:2], strict=True)
            ],
            axis=2,
        )
        whole[upper:, :, p:] = carried[2]
        vcov = _join(jackknife(own), jackknife(of_items[2]))
        influence = Influence(changes, whole, rows)
        found["judge"] = replace(self.ways["judge"], vcov=vcov, influence=influence)
        return {"judge": found["judge"], "item": found["item"]}

    def spread(self, weight: float) -> Spread:
        found = self.cluster(weight)
        ways = tuple(found.values())
        vcovs = [way.vcov for way in ways]
        if len(ways) > 1:
            vcovs.append(vcovs[0] + vcovs[1] - self.independent)
        described, method, df = describe_ways(ways)
        return Spread(ways, vcovs, df, method, described)

    @property
    def independent(self) -> Array:
        """Covariance as if judgments were independent, verdicts by item."""
        return _join(self.cells, jackknife(self.every.changes["item"]))

    def variances(self, weight: float) -> Array:
        """Return (K, K) variances of differences."""
        rows, spread = self.find_rows(weight), self.spread(weight)
        each = [pair_variance(rows @ vcov @ rows.T) for vcov in spread.vcovs]
        return np.asarray(np.max(each, axis=0))


def _join(one: Array, other: Array) -> Array:
    joined = np.zeros((len(one) + len(other),) * 2)
    joined[: len(one), : len(one)], joined[len(one) :, len(one) :] = one, other
    return joined


def fuse(people: Tally, verdicts: Tally, settings: Settings, unpaired: str | None) -> Ranking:
    """Rank by people's judgments with the help of verdicts.

    people: by judge, where judges are known, and item. verdicts: by item.

    Raises:
        NotIdentified: one of the three fits does not exist; says which.
        InvalidJudgments: judgments without a verdict.
        UnknownOption: settings that verdicts do not go with.

    """
    refuse_settings(settings, unpaired)
    paired = pair_verdicts(people, verdicts, unpaired)
    evidence = Evidence.of(merge_factors(paired.judged))
    levels = Levels({name: one.loads for name, one in paired.judged.factors.items()})
    fit = settings.model.fit(evidence.whole)
    with one_blas_thread():
        found = find_intervals(fit, evidence, levels, settings)
        human = order_systems(fit, evidence, levels, found, settings)
        clustering, joint = join_fits(fit, paired, evidence, settings)
        weight = 0.0 if joint is None else joint.choose_weight()
        fused = _describe(paired, joint, weight, human)
        if joint is None or fused.gain < MIN_GAIN:
            codes = {"few-labelled-items"} & {note.code for note in clustering.notes}
            notes = [note for note in clustering.notes if note.code in codes]
            notes += [] if codes else [say("verdicts-add-nothing", verdicts=paired.n_verdicts)]
            return replace(
                human, fused=replace(fused, weight=0.0, gain=1.0), notes=(*human.notes, *notes)
            )
        rows, spread = joint.find_rows(weight), joint.spread(weight)
        values = joint.people.log_worth - weight * (joint.beside.log_worth - joint.every.log_worth)
        estimates = Estimates(
            fit.systems,
            values,
            rows,
            joint.independent,
            lambda vcov: np.asarray(rows @ vcov @ rows.T),
        )
        intervals = decide_all(estimates, spread, settings.level, settings.seed)
        ranking = order_systems(
            _move(fit, values), evidence, levels, (clustering, intervals), settings
        )
    digest = paired.every.digest_by(("item",))[:12]
    signed = f"verdicts n={paired.n_verdicts:.0f} sha256 {digest}, weight {weight:.4f}"
    return replace(
        ranking,
        fused=fused,
        signature=f"{ranking.signature} | {signed}",
        notes=(*ranking.notes, *_note(paired, fused)),
    )


def split_judges(table: Comparisons, names: Sequence[str]) -> tuple[Comparisons, Comparisons]:
    """Return people's judgments and the verdicts of the LLM judges that are named.

    Raises:
        InvalidJudgments: a name that no judge has, or names of all judges.
        UnknownColumn: no judges are known.

    """
    if not isinstance(table, Comparisons):
        raise refuse_kind(table, "verdicts help to rank comparisons of systems, not")
    table.require("judge")
    judges = [one for one in list_levels(table, "judge") if one is not None]
    wanted = dict.fromkeys(take_names(names))
    for name in wanted:
        if name not in judges:
            raise InvalidJudgments(f"no judge '{name}'.{suggest_or_list(name, judges)}")
    if len(wanted) == len(judges):
        raise InvalidJudgments(
            "all judges are named as LLM judges: there are no judgments of people to rank by"
        )
    of_llm = nw.col("judge").cast(nw.String).is_in([*wanted])
    return table.where(~of_llm, recorded=False), table.where(of_llm, recorded=False)


def rank_with_verdicts(
    table: Comparisons,
    verdicts: Comparisons,
    by: str | None,
    settings: Settings,
    unpaired: str | None,
) -> Ranking | GroupedRankings:
    """Rank all, or the levels of a column apart; verdicts without it serve every level.

    Raises:
        InvalidJudgments: a judge of people's gave verdicts too; or no items.

    """
    refuse_settings(settings, unpaired)
    judges = [
        {one for one in list_levels(data, "judge") if one is not None}
        if data.has("judge")
        else set()
        for data in (table, verdicts)
    ]
    if both := sorted(judges[0] & judges[1]):
        raise InvalidJudgments(
            f"{listing(both, MAX_NAMED)} {'is a judge' if len(both) == 1 else 'are judges'} of the"
            " judgments and of the verdicts: people's judgments must hold none of an LLM judge"
            f" (--without {','.join(both[:MAX_NAMED])})"
        )
    factors = [name for name in ("judge", "item") if table.has(name)]
    of_item = ["item"] * verdicts.has("item")
    if by is None:
        return fuse(table.tally(factors), verdicts.tally(of_item), settings, unpaired)
    of_people = tally_groups(table, by, factors)
    if not verdicts.has(by):
        of_llm = dict.fromkeys(of_people, verdicts.tally(of_item))
    else:
        of_llm = tally_groups(verdicts, by, of_item)

    def rank_group(name: str) -> Ranking:
        if name not in of_llm:
            raise NotIdentified(f"there are no verdicts on {by} {name}")
        return fuse(of_people[name], of_llm[name], settings, unpaired)

    return rank_apart(of_people, by, rank_group)


def refuse_settings(settings: Settings, unpaired: str | None) -> None:
    model = settings.model
    if unpaired is not None:
        require_option("unpaired", unpaired, UNPAIRED)
    if not isinstance(model, BradleyTerry):
        raise UnknownOption(f"verdicts help the model bradley-terry alone, not {settings.name}")
    unfit = {
        "an order effect": model.order_effect,
        "a prior": model.prior,
        "controls": model.controls,
        "covariates": model.covariates or model.system_covariates,
        f"interval '{settings.interval}'": settings.interval != "rank-sets",
        f"cluster '{settings.cluster}'": settings.cluster is not None,
    }
    asked = [name for name, value in unfit.items() if value]
    if asked:
        raise UnknownOption(f"verdicts of LLM judges do not go with {listing(asked)}: leave it out")


def join_fits(
    fit: Fit, paired: Paired, evidence: Evidence, settings: Settings
) -> tuple[Clustering, Joint | None]:
    """Fit the verdicts, and take all three fits apart; None where items are too few for it."""
    clustering = choose_clustering(None, evidence)
    items = len(evidence.factors["item"].labels)
    if items < ENOUGH_ITEMS:
        note = say("few-labelled-items", items=items, enough=ENOUGH_ITEMS)
        return replace(clustering, notes=(*clustering.notes, note)), None
    by_judge = ("judge",) * ("judge" in clustering.clusterings)
    clustering = replace(clustering, clusterings=(*by_judge, "item"))
    limited = {
        name: merge_levels(one, MAX_CLUSTERS, SEED) for name, one in paired.people.factors.items()
    }

    def limit(tally: Tally) -> Tally:
        factors = {}
        for name, one in tally.factors.items():
            cluster = limited[name].clusters
            codes = one.codes if cluster is None else cluster[one.codes]
            factors[name] = replace(limited[name], codes=codes)
        return replace(tally, factors=factors)

    people, beside, every = map(limit, (paired.people, paired.beside, paired.every))
    estimate = partial(cluster_all_pairs, fit, Evidence.of(people), None, settings.progress)
    clustering, ways = estimate_each(estimate, clustering, evidence, requested=None)
    if "item" not in ways:
        return clustering, None
    parts = [take_apart(fit, people, ways)]
    for what, tally, known in (
        ("the verdicts on what people judged", beside, tuple(ways)),
        ("all verdicts", every, ("item",)),
    ):
        try:
            other = settings.model.fit(tally)
            errors = {name: leave_each_out(other, tally, name) for name in known}
        except (NotIdentified, NotConverged) as refusal:
            raise NotIdentified(f"{what} determine no log-worths: {refusal}") from None
        parts.append(take_apart(other, tally, errors))
    own, paired_parts, of_every = parts
    cells = _cross((own, paired_parts), (people, beside), (*ways,))
    return clustering, Joint(own, paired_parts, of_every, ways, cells)


def _cross(parts: Sequence[Parts], tallies: Sequence[Tally], names: Sequence[str]) -> Array:
    """Return the covariance of two fits' parameters by the cells of all ways."""
    sizes = [tallies[0].factor(name).size for name in names]
    codes = [
        join_codes(
            [(tally.factor(name).codes, size) for name, size in zip(names, sizes, strict=True)]
        )
        for tally in tallies
    ]
    present, cells = np.unique(np.concatenate(codes), return_inverse=True)
    moved, start = [], 0
    for part, tally in zip(parts, tallies, strict=True):
        own = cells[start : start + len(tally.left)]
        start += len(own)
        scores = sandwich.cluster_scores(
            part.fit, sandwich.take_apart(part.fit, tally, own, len(present))
        )
        moved.append(scores @ part.fit.raw_vcov)
    joined = np.concatenate(moved, axis=1)
    return np.asarray(joined.T @ joined)


def _move(fit: Fit, values: Array) -> Fit:
    """Return a fit with other log-worths, all else as it is."""
    reference = fit.design.reference
    worths = np.delete((values - values[reference]) / 2, reference)
    beta, estimate = fit.beta.copy(), fit.estimate.copy()
    beta[: len(worths)] = estimate[: len(worths)] = worths
    return replace(fit, beta=beta, estimate=estimate)


def _describe(paired: Paired, joint: Joint | None, weight: float, human: Ranking) -> Fused:
    fused = Fused(
        n_verdicts=paired.n_verdicts,
        n_pairs=paired.n_cells,
        n_unpaired=paired.n_unpaired,
        human=human,
    )
    if joint is None:
        return fused
    rows, pairs = joint.people.rows, np.triu_indices(len(joint.people.rows), 1)
    alone, helped = (joint.variances(one)[pairs] for one in (0.0, weight))
    tastes = None
    if "judge" in joint.ways:
        p = rows.shape[1]
        taste = jackknife(joint.people.changes["judge"]) - joint.cells[:p, :p]
        tastes = float(pair_variance(rows @ taste @ rows.T)[pairs].mean() / alone.mean())
    worths = zip(joint.every.fit.systems, joint.every.log_worth.tolist(), strict=True)
    return replace(
        fused,
        weight=weight,
        gain=float(alone.mean() / helped.mean()),
        tastes=tastes,
        check=check_items(paired, joint.every.fit),
        llm=dict(worths),
    )


def check_items(paired: Paired, fit: Fit) -> float | None:
    """Return t of how clear verdicts are on people's items beside the others; None where unknown.

    How clear: the share of verdicts for the system that is better by all verdicts, less what the
    fit to all of them expects of these two systems, on average over the pairs of an item.
    """
    every = paired.every
    pairs = [
        (every.systems[a], every.systems[b])
        for a, b in zip(every.left.tolist(), every.right.tolist(), strict=True)
    ]
    chances = fit.predict(pairs)
    sign = np.sign(fit.log_worth[every.left] - fit.log_worth[every.right])
    clear = sign * (every.wins - every.losses - chances[:, 0] + chances[:, 2])
    item = every.factor("item")
    n = np.bincount(item.codes, minlength=item.size)
    means = np.bincount(item.codes, clear, minlength=item.size)[n > 0] / n[n > 0]
    judged = item.loads[n > 0] > 0
    groups = means[judged], means[~judged]
    if min(len(one) for one in groups) < ENOUGH_ITEMS:
        return None
    errors = [float(one.var(ddof=1)) / len(one) for one in groups]
    if not sum(errors) > 0:
        return None
    return float((groups[0].mean() - groups[1].mean()) / sqrt(sum(errors)))


def _note(paired: Paired, fused: Fused) -> list[Finding]:
    notes = []
    if fused.tastes is not None:
        notes.append(say("verdicts-leave-tastes", part=fused.tastes))
    if fused.check is not None and abs(fused.check) > MAX_CHECK_T:
        code = "labelled-clearer" if fused.check > 0 else "labelled-less-clear"
        notes.append(say(code, "warning", t=abs(fused.check)))
    if paired.one_order:
        notes.append(say("verdicts-one-order", "info"))
    return notes
