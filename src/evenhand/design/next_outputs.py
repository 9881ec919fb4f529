"""Outputs to rate next: queries that choose them, and the outputs that a query chooses from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded, require_scores
from evenhand.data.engine import COUNT, fetch_columns, one_thread
from evenhand.data.exclusions import Exclusion, number_rows, write_contract, write_document
from evenhand.data.groups import admit_unrated, list_levels
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings, is_unscored
from evenhand.data.results import Shown
from evenhand.design.policy import CHOSEN, RANDOM, START
from evenhand.design.texts import say
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    require_seed,
)
from evenhand.numerics import Array
from evenhand.numerics.gaussian_process import Points, pick_by_error, pick_by_variance
from evenhand.numerics.newton import one_blas_thread
from evenhand.ratings.features import (
    OUTPUT,
    ROLES,
    FeatureTable,
    OutputFeatures,
    learn_scaling,
    parse_number,
)
from evenhand.ratings.process_search import OutputProcess, begin, condition, relearn
from evenhand.render.document import Column, Document, Finding, Table, write_signature

# Which outputs without a label are labelled next?
#
# random        any, all alike
# uncertainty   the greatest predictive variance v
# density       v times (mean similarity to all outputs without a label)^β
# oracle        the label that most lowers the squared error over the whole pool
#
# Similarity is the model's own k. The outputs of a batch are taken one after another, v being what
# is left of it once those before have labels; the mean similarity of density stays that to all
# which waited before the batch.
#
# The oracle looks at the labels of the pool, never at test outputs. It is greedy, one label at a
# time, and for this model: a bound in that loose sense only of what choosing may gain if one knew.
#
# Sources: Beck, Specia & Cohn (2013), ACL, of which the abstract is what is known to us; Settles &
# Craven (2008), EMNLP, eq. 13 (information density; its similarity is a cosine). That the
# similarity is k, how a batch is spread, and the oracle are ours.

Numbers = NDArray[np.int64]

RANDOM_QUERY: Final = "random"
STRATEGIES: Final = (RANDOM_QUERY, "uncertainty", "density", "oracle")


@dataclass(frozen=True, eq=False)
class QueryState:
    process: OutputProcess  # what is believed of outputs
    points: Points  # features of the whole pool
    waiting: Numbers  # (u,) numbers of the outputs without a label, ascending
    truth: Array | None = None  # (n,) labels of the whole pool; only an oracle has them


@dataclass(frozen=True)
class Query:
    """How outputs to label are chosen.

    Attributes:
        strategy: of STRATEGIES.
        power: β of density.
    """

    strategy: str = "uncertainty"
    power: float = 1.0

    def __post_init__(self) -> None:
        require_option("strategy", self.strategy, STRATEGIES)
        if not 0 <= self.power < np.inf:
            raise UnknownOption(f"power {self.power:g}: a number from 0, such as 1")
        if self.power != 1.0 and self.strategy != "density":
            raise UnknownOption(f"power {self.power:g}: only density has one")

    @property
    def name(self) -> str:
        """What it is called in tables."""
        power = f" β={self.power:g}" if self.power != 1.0 else ""
        return f"{self.strategy}{power}"

    def choose(self, scene: QueryState, size: int, rng: np.random.Generator) -> Numbers:
        """Return the numbers of outputs to label, in the order of choice.

        Args:
            scene: what is known.
            size: how many; all that wait where there are fewer.
            rng: of random choices.

        Raises:
            UnknownOption: an oracle without the labels.
        """
        return self.pick(scene, size, rng)[0]

    def pick(
        self, scene: QueryState, size: int, rng: np.random.Generator
    ) -> tuple[Numbers, Array | None]:
        """Return the numbers that `choose` returns, and the variance of each when it was chosen.

        Variances are of the function, on standardised labels; those chosen before count as
        labelled. None where variances did not choose.
        """
        size, process = min(size, len(scene.waiting)), scene.process
        if self.strategy == RANDOM_QUERY:
            return np.asarray(rng.permutation(scene.waiting)[:size]), None
        left = scene.points.take(scene.waiting)
        if self.strategy == "oracle":
            if scene.truth is None:
                raise UnknownOption(
                    "an oracle knows the labels, which nobody has in a campaign: choose"
                    " uncertainty or density; trace_queries shows the oracle beside them on outputs"
                    " that have labels"
                )
            covariance = process.covariance(scene.points, left)
            standardise = process.standard.standardise
            wrong = standardise(scene.truth) - standardise(process.predict_mean(scene.points))
            taken = pick_by_error(covariance, scene.waiting, process.noise, wrong, size)
            return np.asarray(scene.waiting[taken]), None
        weight = np.ones(len(left))  # what each output's variance is multiplied by
        if self.strategy == "density":
            weight = process.correlate(left, left).mean(axis=1) ** self.power
        covariance = process.covariance(left, left)
        taken, variance = pick_by_variance(covariance, process.noise, weight, size)
        return np.asarray(scene.waiting[taken]), variance


# An output's label is the mean of its ratings. Outputs are in the order of their names, so that
# nothing that is drawn later depends on the order of the table.


@dataclass(frozen=True, eq=False)
class FeaturedOutputs:
    """n outputs, in the order of their names."""

    items: tuple[str, ...]  # (n,) names of their items, with the task where there are tasks
    systems: tuple[str, ...]  # (n,) names of their systems
    table: FeatureTable  # features
    label: Array  # (n,) mean rating; 0 where it is not known
    ratings: Numbers  # (n,) how many ratings that is the mean of
    digest: str  # of the ratings and the features
    notes: tuple[str, ...] = ()  # what was excluded in reading

    def __len__(self) -> int:
        return len(self.items)

    @property
    def names(self) -> list[tuple[str, str]]:
        return list(zip(self.items, self.systems, strict=True))

    @property
    def item_codes(self) -> Numbers:
        return np.unique(np.array(self.items), return_inverse=True)[1].reshape(-1).astype(np.int64)

    def take(self, rows: NDArray[Any]) -> FeaturedOutputs:
        at = rows.tolist()
        return replace(
            self,
            items=tuple(self.items[i] for i in at),
            systems=tuple(self.systems[i] for i in at),
            table=self.table.take(rows),
            label=self.label[rows],
            ratings=self.ratings[rows],
        )


def read_outputs(data: Ratings | RatingRows, features: OutputFeatures) -> FeaturedOutputs:
    """Return the outputs that have ratings; controls and repeats are excluded."""
    if OUTPUT in features.labels:
        raise UnknownOption(
            f"'{OUTPUT}' is no feature to choose by: it is unlike that of every other output;"
            " name columns that are known before anybody rates, or texts"
        )
    rows = features.read_rows(data)
    remedies = {"criterion": "an output has one label here; choose one"}
    if "task" not in features.labels:
        remedies["task"] = f"{remedies['criterion']}, or make 'task' a label among the features"
    rows.refuse_several(remedies)
    items, systems = np.array(rows.items), np.array(rows.systems)
    order = np.lexsort((rows.score, systems[rows.system], items[rows.item]))
    rows = rows.take(order)
    first = np.flatnonzero(np.diff(rows.output, prepend=-1))
    sizes = np.diff(first, append=rows.size)
    table = features.read(rows)
    _refuse_unlike(
        table.take(np.repeat(first, sizes)),
        table,
        lambda row: f"{rows.items[rows.item[row]]}, {rows.systems[rows.system[row]]}",
    )
    # labels as numbers that a digest takes
    codes = [np.unique(label.astype(str), return_inverse=True)[1] for label in table.labels.T]
    numbers = [code.reshape(-1).astype(np.float64) for code in codes]
    return FeaturedOutputs(
        tuple(items[rows.item[first]].tolist()),
        tuple(systems[rows.system[first]].tolist()),
        table.take(first),
        np.add.reduceat(rows.score, first) / sizes,
        sizes.astype(np.int64),
        digest_ratings(rows, [*table.numbers.T, *numbers]),
        rows.notes,
    )


def read_either(
    data: Ratings, features: OutputFeatures
) -> tuple[FeaturedOutputs | None, FeaturedOutputs | None]:
    """Return the outputs that have ratings, and those that only stand in rows without a score."""
    # Either is None where there are none. A row without a score of an output that has ratings is
    # excluded, once its features are seen to be the same.
    require_scores(data, "outputs are chosen by ratings, not by")
    data = admit_unrated(data)
    unrated = data.frame.filter(is_unscored(data.frame)).with_columns(score=nw.lit(0.0))
    parts: list[FeaturedOutputs | None] = []
    for part in (keep_rated(data), replace(data, frame=unrated)):
        n_rows = fetch_columns(part.frame.select(nw.len().alias(COUNT)))[COUNT][0]
        parts.append(read_outputs(part, features) if n_rows > 0 else None)
    rated, waiting = parts
    if rated is None or waiting is None:
        return rated, waiting
    known = {name: row for row, name in enumerate(rated.names)}
    at = np.array([known.get(name, -1) for name in waiting.names])
    both = rated.take(at[at >= 0])
    _refuse_unlike(
        both.table,
        waiting.take(np.flatnonzero(at >= 0)).table,
        lambda row: ", ".join(both.names[row]),
    )
    new = np.flatnonzero(at < 0)
    return rated, waiting.take(new) if len(new) else None


def keep_rated(data: Ratings) -> Ratings:
    return replace(data, frame=data.frame.filter(~is_unscored(data.frame)))


def join_outputs(rated: FeaturedOutputs | None, waiting: FeaturedOutputs) -> FeaturedOutputs:
    """Put outputs together: those with ratings first, then those that wait, with none."""
    n = len(waiting)
    none = replace(waiting, label=np.zeros(n), ratings=np.zeros(n, dtype=np.int64))
    if rated is None:
        return none
    return FeaturedOutputs(
        (*rated.items, *none.items),
        (*rated.systems, *none.systems),
        rated.table.join(none.table),
        np.concatenate([rated.label, none.label]),
        np.concatenate([rated.ratings, none.ratings]),
        sha256(f"{rated.digest} {none.digest}".encode()).hexdigest(),
        tuple(dict.fromkeys([*rated.notes, *none.notes])),
    )


def remark_counts(ratings: Numbers) -> tuple[str, ...]:
    """Say where labels rest on different numbers of ratings, which the model does not know."""
    if not len(ratings) or np.ptp(ratings) == 0:
        return ()
    return (say("labels-uneven", least=int(ratings.min()), most=int(ratings.max())),)


def _refuse_unlike(one: FeatureTable, two: FeatureTable, name: Callable[[int], str]) -> None:
    """Refuse a feature that is not the same in all rows of an output, which `name` names."""
    pairs = [*zip(one.numbers.T, two.numbers.T, strict=True)]
    pairs += [*zip(one.labels.T, two.labels.T, strict=True)]
    for feature, (first, column) in zip([*one.names, *one.label_names], pairs, strict=True):
        other = np.flatnonzero(first != column)
        if len(other):
            row = int(other[0])
            raise InvalidJudgments(
                f"feature '{feature}' differs between rows of one output ({name(row)}:"
                f" {first[row]} and {column[row]}): what is known before anybody rates is the same"
                " in all rows"
            )


# Outputs that are chosen, and what is said of them.

# Number of an output, its kind, and the standard deviation that chose it
Chosen = tuple[int, str, float | None]

# Outputs with a label before labels choose: fewer say too little of the features
MIN_LABELLED: Final = 10
# Outputs, with a label or waiting, up to which everything is exact; beyond it is refused
MAX_OUTPUTS: Final = 4000


@dataclass(frozen=True)
class OutputChoice:
    item: str  # its item, with the task where there are tasks
    system: str  # its system
    kind: str  # "start-up", "random" or "chosen"
    predicted: float | None  # the label that is predicted, in points; None before any label
    # standard deviation of that, noise of one label left out; None likewise. Of a chosen output
    # it is what was left when it was chosen, those chosen before it counted as rated.
    deviation: float | None
    reason: str  # why, in words


@dataclass(frozen=True, eq=False, repr=False)
class NextOutputs(Shown):
    """Outputs to label now.

    Attributes:
        outputs: in the order of choice.
        query: what chose them.
        labelled: outputs that have a label.
        waiting: outputs that had none.
        features: what was read, as numbers, kinds or texts.
        left_out: features that are the same everywhere.
        notes: what must stand beside them.
        signature: what makes the choice again.
    """

    outputs: tuple[OutputChoice, ...]
    query: Query
    labelled: int
    waiting: int
    features: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    excluded: tuple[Exclusion, ...] = ()

    @property
    def says(self) -> tuple[Finding, ...]:
        """What kinds of outputs there are, and why the start-up comes first."""
        kinds = Counter(one.kind for one in self.outputs)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        lines = [say("outputs", outputs=len(self.outputs), of=self.waiting, kinds=counts)]
        if kinds[CHOSEN]:
            lines.append(say(f"chosen-{self.query.strategy}"))
        if kinds[START]:
            lines.append(say("start-up-outputs", least=MIN_LABELLED, labelled=self.labelled))
        return tuple(lines)

    def document(self) -> Document:
        """Return what people read: the outputs, and what is predicted of each."""
        several = sum(one.kind == CHOSEN for one in self.outputs) > 1
        columns = (
            Column("item", "item", "name"),
            Column("system", "system", "name"),
            Column("kind", "kind"),
            Column("predicted", "predicted", ".3g"),
            Column("deviation", "sd", ".2g"),
        )
        legend = (say("spread"),) if several else ()
        counts = {"labelled": self.labelled, "waiting": self.waiting, "query": self.query.name}
        caption = "Outputs to rate next"
        table = Table("outputs", caption, columns, tuple(self.records()), legend=legend)
        basis = say("query", **counts, features=", ".join(self.features))
        return write_document(self, number_rows(table), basis=basis)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each output."""
        return [asdict(one) for one in self.outputs]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        values = write_contract(self, "labelled", "waiting", "features", "left_out", "says")
        return {**values, "outputs": self.records(), "query": self.query.name}


@carries_excluded("controls", "repeats", uses=("no-score",))
def choose_outputs(
    data: Ratings | Openable,
    features: OutputFeatures,
    query: Query | None = None,
    *,
    n: int = 10,
    seed: int = SEED,
) -> NextOutputs:
    """Choose the outputs to have rated next.

    Args:
        data: a row for each rating, and one without a score for each output that has none yet.
        features: what is known of all of them.
        query: how to choose; uncertainty unless told otherwise.
        n: outputs that are asked for at the same time.
        seed: of random choices.

    Raises:
        NotIdentified: no output is without a rating.
        InvalidJudgments: features that are missing or the same everywhere, kinds that no output
            that waits shares with a rated one, several criteria.
        UnknownOption: fewer than one output, an oracle, or more outputs than can be exact.
    """
    query = Query() if query is None else query
    if n < 1:
        raise UnknownOption(f"{n} outputs cannot be chosen: ask for 1 or more")
    require_seed(seed)
    if query.strategy == "oracle":
        raise UnknownOption("an oracle knows the labels, which nobody has: choose uncertainty")
    rated, waiting = read_either(data, features)
    if waiting is None:
        raise NotIdentified(
            "every output has a rating: there is nothing to choose from",
            ["add a row without a score for each output that may be rated, with its features"],
        )
    every, labelled = join_outputs(rated, waiting), 0 if rated is None else len(rated)
    if len(every) > MAX_OUTPUTS:
        raise UnknownOption(
            f"{len(every):,} outputs: choosing is exact and the most is {MAX_OUTPUTS:,}; take a"
            " part"
        )
    kinds = zip(every.table.label_names, every.table.labels.T, strict=True)
    for name, column in kinds if labelled >= MIN_LABELLED and query.strategy != RANDOM else ():
        seen, new = set(column[:labelled].tolist()), set(column[labelled:].tolist())
        if not seen & new:
            raise InvalidJudgments(
                f"feature '{name}' is of kinds, and no output that waits is of the same kind as a"
                f" rated one ({listing([repr(one) for one in sorted(new)], 3)} beside"
                f" {listing([repr(one) for one in sorted(seen)], 3)}): it tells nothing of them;"
                " leave it out, or write kinds in the same way"
            )
    scaling = learn_scaling(every.table)
    points, label = scaling.apply(every.table), every.label[:labelled]
    rng = np.random.Generator(np.random.PCG64(seed))
    process, outputs = None, []
    with one_blas_thread():
        if labelled:  # nothing is believed before any label
            known = points.take(np.arange(labelled))
            vector = relearn(known, label, begin(points), labelled, rng)
            process = condition(known, label, vector)
        chosen = _choose(query, (process, points, np.arange(labelled, len(every))), n, rng)
        for at, kind, left in chosen:
            mean, deviation, reason = None, left, _REASONS.get(kind, "")
            if process is not None:
                prediction = process.predict(points.take(np.array([at])))
                mean, whole = (float(values[0]) for values in prediction)
                deviation = whole if left is None else left
                reason = reason if left is None else f"predicted {mean:.3g} ± {left:.2g}"
            where = (every.items[at], every.systems[at])
            outputs.append(OutputChoice(*where, kind, mean, deviation, reason))
    texts = [name for name in (features.source_text, features.output_text) if name is not None]
    parts = ("next outputs", query.name, f"features {features}", f"outputs={n} seed={seed}")
    return NextOutputs(
        outputs=tuple(outputs),
        query=query,
        labelled=labelled,
        waiting=len(every) - labelled,
        features=(
            *(f"{name} (number)" for name in features.numbers),
            *(f"{name} (kinds)" for name in every.table.label_names),
            *(f"{name} (text)" for name in texts),
        ),
        left_out=scaling.constant,
        notes=(*every.notes, *remark_counts(every.ratings[:labelled])),
        signature=write_signature(parts, int(every.ratings[:labelled].sum()), every.digest),
    )


def _choose(
    query: Query,
    scene: tuple[OutputProcess | None, Points, Numbers],
    n: int,
    rng: np.random.Generator,
) -> list[Chosen]:
    """Return numbers of outputs and why they are there: those of the start-up first."""
    process, points, waiting = scene
    labelled = len(points) - len(waiting)
    by_chance = Query(RANDOM) == query
    start = 0 if by_chance else min(max(MIN_LABELLED - labelled, 0), n, len(waiting))
    first = rng.permutation(waiting)[:start]
    rest = np.setdiff1d(waiting, first)
    deviations: list[float | None] | None = None
    if process is None:  # then the start-up alone, or chance, is all that there is
        chosen = rng.permutation(rest)[: n - start] if by_chance else rest[:0]
    else:
        chosen, variance = query.pick(QueryState(process, points, rest), n - start, rng)
        if variance is not None:
            deviations = (process.standard.deviation * np.sqrt(variance)).tolist()
    kind = RANDOM if deviations is None else CHOSEN
    rest_chosen = zip_longest(chosen.tolist(), deviations or ())
    started = [(at, START, None) for at in first.tolist()]
    return [*started, *((at, kind, left) for at, left in rest_chosen)]


_REASONS: Final = {START: "at random, to begin with", RANDOM: "at random"}


def name_features(
    data: Ratings, columns: Sequence[str], texts: tuple[str | None, str | None]
) -> OutputFeatures:
    """Return features of columns: where all values are numbers they are numbers, else kinds."""
    if "score" in columns:
        raise UnknownOption(
            "the score is no feature: it is not known before anybody rates; a first rating of every"
            " output would be one, in a column of its own"
        )
    kinds = {name: name not in ROLES and _holds_numbers(data, name) for name in columns}
    numbers = tuple(name for name in columns if kinds[name])
    return OutputFeatures(numbers, tuple(name for name in columns if not kinds[name]), *texts)


def _holds_numbers(data: Ratings, name: str) -> bool:
    column, bad = data.require(name), []
    for level in list_levels(data, column):
        try:
            parse_number(name, level or "")
        except InvalidJudgments:
            bad.append(level)
    if not bad:
        return True
    frame = data.frame.select("item", "system", feature=nw.col(column).cast(nw.String))
    with one_thread(data.source.connection):
        table = fetch_columns(frame)
    values = table["feature"].tolist()
    rows = [row for row, value in enumerate(values) if value in bad]
    if 2 * len(rows) >= len(values):
        return False
    row = rows[0]
    held = "nothing" if values[row] is None else f"'{values[row]}'"
    raise InvalidJudgments(
        f"feature '{name}' is numbers in {len(values) - len(rows):,} of {len(values):,} rows, but"
        f" holds {held} in row {row + 1:,} ({table['item'][row]}, {table['system'][row]}): give"
        " every row a number, or leave such rows out; where it holds kinds, put a letter before"
        " those that are written in digits"
    )
