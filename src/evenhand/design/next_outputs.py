"""Outputs to rate next, and what the query that chooses them is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import carries_excluded
from evenhand.data.engine import fetch_columns, one_thread
from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.groups import list_levels
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown, write_signature
from evenhand.data.taking import Openable
from evenhand.design.policy import CHOSEN, RANDOM, START
from evenhand.design.query import (
    RANDOM_QUERY,
    FeaturedOutputs,
    Query,
    QueryState,
    join_outputs,
    keep_rated,
    read_either,
    remark_counts,
)
from evenhand.design.query_replay import QueryCurves, QueryReplay, trace_queries
from evenhand.design.texts import say
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing, require_seed
from evenhand.numerics.gaussian_process import Points
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ratings.features import ROLES, OutputFeatures, learn_scaling, parse_number
from evenhand.ratings.process_search import OutputProcess, begin, condition, relearn
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding, describe_findings

Numbers = NDArray[np.int64]
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
        spread = self.query.spread and sum(one.kind == CHOSEN for one in self.outputs) > 1
        rows = tuple({"n": n, **one} for n, one in enumerate(self.records(), start=1))
        columns = (
            Column("n", "", "integer", only=("text", "html")),
            Column("item", "item", "name"),
            Column("system", "system", "name"),
            Column("kind", "kind"),
            Column("predicted", "predicted", ".3g"),
            Column("deviation", "sd", ".2g"),
        )
        legend = (say("spread"),) if spread else ()
        counts = {"labelled": self.labelled, "waiting": self.waiting, "query": self.query.name}
        caption = "Outputs to rate next"
        table = Table("outputs", caption, columns, rows, legend=legend, without=("n",))
        return Document(
            answer=self.says,
            basis=say("query", **counts, features=", ".join(self.features)),
            parts=(table,),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each output."""
        return [asdict(one) for one in self.outputs]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "outputs": self.records(),
            "query": self.query.name,
            "labelled": self.labelled,
            "waiting": self.waiting,
            "features": list(self.features),
            "left_out": list(self.left_out),
            "says": list(self.says),
            "findings": describe_findings(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }


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
    _refuse_strange(every, labelled, query)
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


def _refuse_strange(every: FeaturedOutputs, labelled: int, query: Query) -> None:
    if labelled < MIN_LABELLED or query.strategy == RANDOM:
        return
    for name, column in zip(every.table.label_names, every.table.labels.T, strict=True):
        rated, waiting = set(column[:labelled].tolist()), set(column[labelled:].tolist())
        if not rated & waiting:
            raise InvalidJudgments(
                f"feature '{name}' is of kinds, and no output that waits is of the same kind as a"
                f" rated one ({listing([repr(one) for one in sorted(waiting)], 3)} beside"
                f" {listing([repr(one) for one in sorted(rated)], 3)}): it tells nothing of them;"
                " leave it out, or write kinds in the same way"
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


@dataclass(frozen=True, eq=False)
class ChosenPart:
    next: NextOutputs  # the outputs
    curves: QueryCurves | None  # what queries would have saved, where that was asked

    def to_dict(self) -> dict[str, Any]:
        curves = None if self.curves is None else self.curves.to_dict()
        return {**self.next.to_dict(), "savings": curves}

    def document(self) -> Document:
        chosen = self.next.document()
        if self.curves is None:
            return chosen
        curves = self.curves.document()
        return replace(
            chosen,
            answer=(*chosen.answer, *curves.answer),
            parts=(*chosen.parts, *curves.parts),
            findings=(*chosen.findings, *curves.findings),
        )


def choose_part(
    part: Ratings,
    features: OutputFeatures,
    query: Query,
    request: tuple[int, int],
    replays: tuple[int, Callable[[int, int], None] | None],
) -> ChosenPart:
    (n, seed), (times, tell) = request, replays
    outputs = choose_outputs(part, features, query, n=n, seed=seed)
    if not times:
        return ChosenPart(outputs, None)
    if query.strategy == RANDOM_QUERY:
        raise UnknownOption("--savings compares a policy with random ones: choose another policy")
    how = QueryReplay(repeats=times, batch=n, seed=seed)
    queries = (Query(RANDOM_QUERY), query, Query("oracle"))
    return ChosenPart(outputs, trace_queries(keep_rated(part), features, queries, how, tell=tell))


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
