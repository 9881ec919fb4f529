"""`evenhand next` on ratings: which outputs to have rated next, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import Section, stack
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.cli.next_outputs_result import NextOutputsResult
    from evenhand.cli.patience import Patience
    from evenhand.design.next_outputs import ChosenPart
    from evenhand.design.query import Query
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.ratings import Ratings
    from evenhand.ratings.features import OutputFeatures

QUERIES: Final = ("uncertainty", "density")
OF_PAIRS: Final = {"top_k": "--top-k", "random_share": "--random-share", "start": "--start"}
OF_OUTPUTS: Final = {
    "feature": "--feature",
    "source_text": "--source-text",
    "output_text": "--output-text",
}


class _Features(Section):
    heading = "What is known of outputs (ratings)"


feature_options = stack(
    click.option(
        "--feature",
        cls=_Features,
        multiple=True,
        metavar="COLUMN",
        help="A column that is known before anybody rates: numbers, or names of kinds. Repeatable.",
    ),
    click.option(
        "--source-text",
        cls=_Features,
        metavar="COLUMN",
        help="The source text: its length, variety of words, punctuation and digits are features.",
    ),
    click.option(
        "--output-text",
        cls=_Features,
        metavar="COLUMN",
        help="The output's text, likewise; with the source also their lengths and words compared.",
    ),
)


@dataclass(frozen=True)
class Asked:
    """What was asked for."""

    features: tuple[str, ...]  # columns
    texts: tuple[str | None, str | None]  # columns of the source text and of the output's, or None
    policy: str | None  # how to choose, or None
    batch: int  # outputs
    seed: int  # of everything random
    replays: int  # how often to replay; 0 for not at all
    group_by: str | None  # a column, or None

    def answer(self, data: Ratings, patience: Patience) -> NextOutputsResult:
        """Choose outputs of every group."""
        from evenhand.cli.next_outputs_result import NextOutputsResult
        from evenhand.cli.reading import remarks_on
        from evenhand.design.next_outputs import choose_part, name_features
        from evenhand.judgments.rating_groups import split_ratings

        refuse_given(OF_PAIRS, "is for comparisons; these are ratings")
        query = self._query()
        features: OutputFeatures = name_features(data, self.features, self.texts)
        by = None if self.group_by is None else data.require(self.group_by)
        parts = split_ratings(data, by)

        def work(part: Ratings) -> ChosenPart:
            replays = (self.replays, patience.step)
            return choose_part(part, features, query, (self.batch, self.seed), replays)

        found, refused = work_on_groups(parts, work, alone=[*parts] == [""])
        return NextOutputsResult(found, refused, remarks_on(data, uses=("no-score",)))

    def _query(self) -> Query:
        """Return how outputs are chosen."""
        from evenhand.design.query import Query

        if self.policy not in (None, "random", *QUERIES):
            raise UnknownOption(
                f"--policy {self.policy} is for comparisons; these are ratings: choose"
                f" {' | '.join(QUERIES)} | random"
            )
        if not self.features and self.texts == (None, None):
            raise UnknownOption(
                "these are ratings: name what is known of outputs before anybody rates them, with"
                " --feature COLUMN, --source-text COLUMN or --output-text COLUMN; the next pair"
                " needs comparisons or rankings"
            )
        return Query(self.policy or "uncertainty")


def refuse_for_pairs(policy: str | None, data: Comparisons) -> None:
    """Refuse options that mean nothing for comparisons."""
    refuse_given(OF_OUTPUTS, f"is for ratings; {data.source.name} holds comparisons")
    if policy in QUERIES:
        raise UnknownOption(f"--policy {policy} is for ratings; choose another for pairs")


def refuse_given(options: dict[str, str], why: str) -> None:
    """Refuse options that were given."""
    context = click.get_current_context()
    for name, option in options.items():
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT):
            raise UnknownOption(f"{option} {why}: leave it out")
