"""Pairs of outputs that people should judge, where LLM judges' verdicts on all are known.

Each is drawn with a known probability π, which stands beside it: by default the same for all, or

    π = min(1, n [(1 − τ) u / Σu + τ / N]),    u = √(F (1 − F)),    τ = ½,

higher where verdicts are divided, F being the share of them for one side. π is scaled so that its
sum is n, each pair is drawn independently of the others, and judgments weigh 1/π (Zrnic & Candès
2024). `rank_with_verdicts` takes the weights from the column of these probabilities.

Where people judged J pairs of N before, which were a random part of all, both waves are one sample:
drawn at random, each of its pairs had the probability (J + n) / N. Otherwise π of the new ones is
multiplied by (J + n) / N ÷ n / (N − J), so that each wave weighs as many judgments as it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    keep_all_judges,
    refuse_kinds,
    require_one_source,
    take_llm,
    take_pairs,
)
from evenhand.data.exclusions import (
    Exclusion,
    count_exclusions,
    exclude_verdicts,
    note_excluded,
    number_rows,
    write_contract,
    write_document,
)
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.data.tally import Tally, take_names
from evenhand.design.next_pairs import count_judged
from evenhand.design.texts import say
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    require_option,
    require_seed,
)
from evenhand.numerics import Array
from evenhand.ranking.inference import SAMPLED
from evenhand.ranking.verdicts import (
    average_verdicts,
    count_sampled,
    open_verdicts,
    refuse_items,
    refuse_unlike,
    split_probabilities,
)
from evenhand.render.document import Column, Document, Finding, Table, whole, write_signature

POLICIES: Final = ("random", "uncertainty")
UNIFORM_SHARE: Final = 0.5  # τ, the share of π that is the same for all


@dataclass(frozen=True)
class SampledPair:
    """Two outputs for an item, with the probability with which they were drawn."""

    item: str
    left: str  # the system to show first, at random
    right: str  # the other
    sampling_probability: float  # of being in the sample, with what people judged before


@dataclass(frozen=True, eq=False, repr=False)
class SampledPairs(Shown):
    """Pairs of outputs for people to judge.

    Attributes:
        pairs: what was drawn, in random order.
        policy: "random" or "uncertainty".
        n: how many were asked for; so many are drawn on average.
        n_left: pairs of outputs with verdicts that people had not judged.
        n_judged: those that they had.
        n_verdicts: verdicts before they were averaged.
        earlier: the probability of the pairs that people had judged; None without such.
        signature: what makes the draw again.
        excluded: what was excluded from judgments and verdicts.
    """

    pairs: tuple[SampledPair, ...]
    policy: str
    n: int
    n_left: int
    n_judged: int
    n_verdicts: float
    earlier: float | None
    signature: str
    excluded: tuple[Exclusion, ...] = ()

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What the probabilities are for, and what choosing by uncertainty is worth."""
        before = []
        if self.earlier is not None:
            values = {"column": SAMPLED, "judged": self.n_judged, "chance": self.earlier}
            before = [say("sampled-before", **values)]
        if self.policy == "random":
            return tuple(before)
        return (say("sampling-recorded", column=SAMPLED), *before, say("uncertainty-gains-little"))

    @property
    def says(self) -> Finding:
        """How many pairs were drawn, of how many."""
        return say("sampled", pairs=len(self.pairs), of=self.n_left)

    def document(self) -> Document:
        """Return what people read: the pairs with their probabilities."""
        columns = (
            Column("item", "item", "name"),
            Column("left", "first", "name"),
            Column("right", "second", "name"),
            Column(SAMPLED, "probability", ".3g"),
        )
        caption = "Pairs of outputs to judge next"
        counts = {"left": self.n_left, "judged": self.n_judged, "verdicts": self.n_verdicts}
        return write_document(
            self,
            number_rows(Table("pairs", caption, columns, tuple(self.records()))),
            basis=say(f"sampled-{self.policy}", n=self.n, **counts),
            answer=(self.says,),
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each pair."""
        return [asdict(one) for one in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            **write_contract(self, "policy", "n", "n_left", "n_judged", "earlier"),
            "says": [self.says],
            "pairs": self.records(),
            "n_verdicts": whole(self.n_verdicts),
        }


@carries_excluded(*OF_SYSTEMS)
def sample_for_llm(
    data: Comparisons | Openable | None,
    llm: Comparisons | Openable | None = None,
    *,
    llm_judges: str | Sequence[str] = (),
    n: int = 10,
    policy: str = "random",
    seed: int = SEED,
) -> SampledPairs:
    """Draw the pairs of outputs that people should judge beside LLM judges' verdicts.

    Args:
        data: people's judgments so far, or None. Pairs of outputs that they judged are left out,
            and are taken as a random part of all.
        llm: verdicts of LLM judges on all pairs of outputs that may be judged.
        llm_judges: the same where they are among the judgments: names of the LLM judges.
        n: pairs of outputs to draw.
        policy: "random", n pairs with the same probability; or "uncertainty", about n, with higher
            probabilities where verdicts are divided.
        seed: of the draw; the same verdicts, judgments and seed draw the same pairs.

    Raises:
        UnknownOption: fewer than one pair, more than there are, no such policy, or no verdicts.
        InvalidJudgments: no items, no comparisons, other outputs than people judged, or a judge of
            people's gave verdicts too.
        NotIdentified: nothing is left to be judged; several tasks; judgments that were drawn with
            different probabilities; or verdicts that are nowhere divided, with the
            policy "uncertainty".

    >>> verdicts = {
    ...     "item": [1, 1, 2, 2],
    ...     "left": ["a"] * 4,
    ...     "right": ["b"] * 4,
    ...     "winner": ["left", "right", "left", "left"],
    ... }
    >>> drawn = sample_for_llm(None, verdicts, n=1)
    >>> len(drawn.pairs), drawn.pairs[0].sampling_probability
    (1, 0.5)
    """
    require_option("policy", policy, POLICIES)
    require_seed(seed)
    verdicts, judged, excluded = _open(data, llm, take_names(llm_judges))
    if "item" not in verdicts.factors:
        raise refuse_items("verdicts")
    k, of_item = len(verdicts.systems), verdicts.factor("item")
    keys, shares, n_verdicts = average_verdicts(verdicts, np.arange(k), k, of_item.codes)
    code = {name: at for at, name in enumerate(verdicts.systems)}
    items = {name: at for at, name in enumerate(of_item.labels)}
    wanted = [
        (items[item] * k + min(code[one], code[other])) * k + max(code[one], code[other])
        for item, one, other in judged
        if item in items and one in code and other in code
    ]
    is_judged = np.isin(keys, np.array(wanted, dtype=np.int64))
    rest = np.flatnonzero(~is_judged)
    if judged and not is_judged.any():
        named = {
            "system": sorted({name for _, *two in judged for name in two}),
            "item": sorted({item for item, *_ in judged}),
        }
        raise refuse_unlike("judgment", named, {"system": [*code], "item": [*items]})
    if not len(rest):
        raise NotIdentified(
            f"people judged all {len(keys):,} pairs of outputs that have verdicts",
            ["rank them (evenhand rank --llm)", "get verdicts on more outputs"],
        )
    if not 1 <= n <= len(rest):
        raise UnknownOption(
            f"{n:,} pairs of outputs cannot be drawn: verdicts are on {len(rest):,} that people"
            f" have not judged; ask for at least 1 and at most {len(rest):,} (--batch)"
        )
    rng = np.random.Generator(np.random.PCG64(seed))
    if policy == "random":
        chances = np.full(len(rest), n / len(rest))
        drawn = rng.permutation(len(rest))[:n]
    else:
        share = shares[rest, 0] + shares[rest, 1] / 2
        chances = find_probabilities(np.sqrt(share * (1 - share)), n)
        drawn = rng.permutation(np.flatnonzero(rng.random(len(rest)) < chances))
    n_judged = len(keys) - len(rest)
    sampled = (n_judged + n) / len(keys)
    chances = chances * sampled * len(rest) / n
    beyond = max(float(chances.max()), 1.0)  # only ratios of probabilities matter
    swapped = rng.random(len(drawn)) < 0.5
    pairs = []
    for at, swap in zip(drawn.tolist(), swapped.tolist(), strict=True):
        item, pair = divmod(int(keys[rest[at]]), k * k)
        sides = [verdicts.systems[one] for one in divmod(pair, k)]
        left, right = sides[::-1] if swap else sides
        chance = write_chance(chances[at] / beyond)
        pairs.append(SampledPair(of_item.labels[item], left, right, chance))
    parts = ("next for llm", policy, f"judged={n_judged} pairs={n} seed={seed}")
    sampled_pairs = SampledPairs(
        tuple(pairs),
        policy,
        n,
        len(rest),
        n_judged,
        n_verdicts,
        write_chance(sampled / beyond) if n_judged else None,
        write_signature(parts, n_verdicts, verdicts.digest_by(("item",))),
    )
    return note_excluded(sampled_pairs, excluded)


def write_chance(chance: float) -> float:
    """Return a probability in as many digits as the note prints, so that those alike are equal."""
    return float(f"{chance:.6g}")


def find_probabilities(uncertainty: Array, n: int) -> Array:
    """Return (N,) probabilities of being drawn, whose sum is n and which are at most 1.

    Raises:
        NotIdentified: nothing is uncertain.
    """
    total = uncertainty.sum()
    if not total > 0:
        raise NotIdentified(
            "verdicts are nowhere divided, so that no pair of outputs is less certain than others",
            ["draw with equal probabilities (--policy random)", "ask the LLM in both orders"],
        )
    size = len(uncertainty)
    relative = (1 - UNIFORM_SHARE) * uncertainty / total + UNIFORM_SHARE / size
    certain = np.zeros(size, dtype=np.bool_)
    while True:  # what is beyond 1 is spread over the others
        rest = relative[~certain].sum()
        chances = np.where(certain, 1.0, (n - certain.sum()) * relative / rest if rest else 1.0)
        if (chances <= 1).all():
            return chances
        certain |= chances > 1


def _open(
    data: Any, llm: Any, llm_judges: Sequence[str]
) -> tuple[Tally, Sequence[tuple[str, str, str]], tuple[Exclusion, ...]]:
    """Return verdicts by item, pairs of items that people judged, what is excluded of verdicts."""
    require_one_source(llm, llm_judges)
    if llm is None and not (llm_judges and data is not None):
        raise UnknownOption("give verdicts in a table (llm) or name the LLM judges (llm_judges)")
    people = keep_all_judges(data) if llm_judges else data
    people = None if people is None else take_pairs(people)
    verdicts = None if llm is None else take_pairs(take_llm(llm))
    for one in (people, verdicts):
        if isinstance(one, Ratings):
            raise InvalidJudgments(
                f"{one.source.name} holds ratings, and pairs of outputs are drawn beside"
                " comparisons: draw outputs to be rated at random"
            )
    if people is None:
        if not isinstance(verdicts, Comparisons):
            raise refuse_kinds("comparisons", verdicts)
        excluded = exclude_verdicts(verdicts.excluded)
        return _tally(split_probabilities(verdicts)), (), excluded
    people, verdicts, _ = open_verdicts(people, verdicts, llm_judges)
    chances: Mapping[str | None, float] = count_sampled(people)
    if len(chances) > 1:
        raise NotIdentified(
            f"the judgments were drawn with {len(chances)} different probabilities (column"
            f" '{SAMPLED}'), so that what is left is no random part of all",
            ["draw from all verdicts again: leave the judgments out"],
        )
    count_judged(people)  # refuses several tasks
    tally = people.tally(["item"])
    if "item" not in tally.factors:
        raise refuse_items("judgments of people")
    factor = tally.factor("item")
    sides = zip(factor.codes.tolist(), tally.left.tolist(), tally.right.tolist(), strict=True)
    names = tally.systems
    judged = [(factor.labels[i], names[a], names[b]) for i, a, b in sides]
    return _tally(verdicts), judged, count_exclusions(verdicts.source.exclusions)


def _tally(verdicts: Comparisons) -> Tally:
    count_judged(verdicts)
    return verdicts.tally(["item"] * verdicts.has("item"))
