"""Which column plays which role: by its name, by a common synonym, or as the caller says.

Where two columns could play one role the exact name of the role decides, else the caller must; what
was recorded beside a judgment (`SOFT`) is then left unread. Nothing is guessed from values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import narwhals as nw

from evenhand.data.labels import Outcome
from evenhand.data.rating_rows import DOCUMENTS, LOWER_METRICS
from evenhand.data.source import ANNOTATIONS, Source, fold
from evenhand.errors import (
    UnknownColumn,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
    write_word,
)


# Long lists of words are written as texts, one blank apart: a word to a line would hide the code.
def list_words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Role → other names under which it is understood without being told
SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "left": list_words(
        "system_a model_a output_a candidate_a option_a system_left model_left left_system "
        "left_model first system_1 model_1"
    ),
    "right": list_words(
        "system_b model_b output_b candidate_b option_b system_right model_right right_system "
        "right_model second system_2 model_2"
    ),
    "outcome": list_words("winner preference preferred vote choice verdict result label"),
    "judge": list_words(
        "judge_id judge_name annotator annotator_id worker worker_id rater rater_id user user_id "
        "evaluator evaluator_id assessor assessor_id participant participant_id respondent "
        "respondent_id annotator_name rater_name coder coder_id account login"
    ),
    "item": list_words(
        "item_id segment segment_id seg_id prompt_id question_id source_id src_index sentence_id "
        "example_id instance_id input_id"
    ),
    "ranking": ("ranking_id",),
    "task": ("language_pair", "lang_pair", "lp", "task_name", "direction"),
    "system": ("system_id", "system_name", "model", "model_id", "model_name", "candidate"),
    "rank": ("system_rank",),
    "position": ("pos", "display_position", "shown_position", "slot"),
    "weight": ("weights", "frequency", "freq"),
    "score": ("rating", "grade", "points"),
    "criterion": ("criteria", "aspect", "dimension"),
    "kind": ("item_type", "item_kind", "type"),
    "seconds": ("duration_s", "time_s", "duration_seconds", "work_time_in_seconds"),
    "expected": ("expected_score", "expected_outcome"),
    "shown_at": ("tstamp", "timestamp", "submit_time", "submitted_at", "started_at", "t0"),
    "id": (),
}

# Roles that no name gives: files number rows, items and judges under `id` alike
ONLY_ASKED: Final = frozenset({"id"})

# Roles whose values name something, and are never texts
NAMES: Final = frozenset({"left", "right", "system", "outcome", "judge"})

# Roles that nothing hangs on: where two columns could play one, none does
SOFT: Final = frozenset(ANNOTATIONS)

# A column of this name says that left and right are not places on the screen
UNKNOWN_POSITIONS: Final = "positions_unknown"

# Words of columns that hold scores of automatic metrics
_METRICS: Final = LOWER_METRICS | word_set(
    "bleu sacrebleu spbleu chrf meteor nist rouge rougel comet xcomet cometkiwi kiwi bleurt "
    "bertscore yisi bartscore moverscore unite gemba"
)


def is_metric(column: str) -> bool:
    """Say whether a column is of an automatic metric, by its name.

    >>> [is_metric(name) for name in ("BLEU", "comet-22", "rouge_l", "winter", "score_anna")]
    [True, True, True, False, False]
    """
    return not _METRICS.isdisjoint(re.findall(r"[^\W\d_]+", column.casefold()))


# Names of columns where none has one of those above, folded, the likeliest first; those of one text
# are as likely. A document is an item where nothing else is, and with parts of it beside it none is
FALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "system": ("sys method approach engine variant llm bot mtsystem mtengine condition",),
    "score": ("sysscore systemscore publishedsysscore",),
    "criterion": ("protocol", "metric"),
    "outcome": ("overallpreference preferencestrength preferencescore preferencerating",),
    "item": (
        *("sentence", "segmentno", "sentenceno", "prompt", "question", "query", "instruction"),
        *("input", "source", "sourcetext", "sourcesentence", "sourcesegment", "src", "stimulus"),
        *("passage", "example", "sample", "sampleid", "sampleno", "textid", "textno", "questionno"),
        *("itemno", "promptno", "exampleno", *DOCUMENTS),
    ),
}
# Role → its own name and the synonyms, folded
FOLDED: Final = {
    role: frozenset(fold(name) for name in (role, *names)) for role, names in SYNONYMS.items()
}


def reads_role(name: str) -> bool:
    return any(fold(name) in names for names in FOLDED.values())


# Names of columns that say of one side whether it won: a_wins, winner_model_b, left_better.

SIDES: Final[Mapping[Outcome, tuple[str, ...]]] = {
    "left": ("a", "1", "left", "first"),
    "right": ("b", "2", "right", "second"),
}
_THINGS: Final = ("", "model", "system", "output", "answer", "response", "candidate", "option")
_WON: Final = ("win", "wins", "won", "winner", "better", "preferred", "chosen", "best", "prefer")
_TIES: Final = ("tie", "ties", "tied", "draw", "equal", "same", "nopreference", "winnertie")
_MARKS: Final[Mapping[str, Outcome]] = {
    **dict.fromkeys((*_TIES, *(f"is{one}" for one in _TIES)), "tie"),
    **{
        f"{one}{other}": side
        for side, words in SIDES.items()
        for thing, word, won in product(_THINGS, words, (*_WON, "prefers", "iswinner", "isbetter"))
        for one, other in ((f"{thing}{word}", won), (won, f"{thing}{word}"))
    },
}


# Names of columns that hold the better output of two, or the worse one: better_model, loser
_WINNERS, _LOSERS = (
    frozenset(f"{word}{thing}" for word in words for thing in (*_THINGS, "one", "side"))
    for words in (("better", "best", "preferred", "winning"), ("worse", "worst", "losing", "loser"))
)


def find_mark(column: str) -> Outcome | None:
    return _MARKS.get(fold(column))


def names_loser(column: str) -> bool:
    return fold(column) in _LOSERS


# Names of columns that hold how likely it is that the output of one side is better: prob_left, p_a.

_LIKELY: Final = ("p", "prob", "probability", "winprob", "winprobability")
_PROBABILITIES: Final[Mapping[str, Outcome]] = {
    name: side
    for side, words in SIDES.items()
    for thing, word, likely in product(_THINGS, words, _LIKELY)
    for name in (f"{likely}{thing}{word}", f"{thing}{word}{likely}")
    if name not in ("p1", "p2", "1p", "2p")  # which may be persons
}
# Those that do not say of which side
OF_NO_SIDE: Final = frozenset((*_LIKELY, "pwin", "winrate", "confidence"))


def find_probability(column: str) -> Outcome | None:
    return _PROBABILITIES.get(fold(column))


def say_unclear(column: str) -> str:
    return (
        f"column '{column}' holds probabilities and does not say whose: call it probability_left"
        " where they are that the left output is better, probability_right where that the right is"
    )


@dataclass(frozen=True)
class Spread:
    low: float
    high: float


@dataclass(frozen=True)
class Header:
    columns: tuple[str, ...]  # names as they stand in the table
    # role → column, as the caller says; wins over every name
    requested: Mapping[str, str] = field(default_factory=dict)
    table: str = "the table"  # what the table is called in messages
    # says of a column whether its values are texts, and so no names
    holds_texts: Callable[[str], bool] = field(default=lambda _: False, compare=False)
    # gives the columns whose values are whole rankings
    list_rankings: Callable[[], list[str]] = field(default=list, compare=False)
    # gives the columns that hold numbers
    spreads: Callable[[], Mapping[str, Spread]] = field(default=dict, compare=False)

    def fits(self, column: str, role: str) -> bool:
        """Say whether a column may be proposed for a role: an output is not its system."""
        return role not in NAMES or not self.holds_texts(column)

    def named(self, name: str) -> str | None:
        if name in self.columns:
            return name
        return next((column for column in self.columns if fold(column) == fold(name)), None)

    def holds(self, names: Iterable[str]) -> bool:
        return all(self.named(name) is not None for name in names)

    def candidates(self, role: str) -> list[str]:
        if role in self.requested:
            return [self.requested[role]]
        if role in ONLY_ASKED:
            return []
        taken = set(self.requested.values())
        free = [column for column in self.columns if column not in taken]
        exact = [column for column in free if column == role]
        exact = exact or [column for column in free if fold(column) == role]
        named = exact[:1] or [column for column in free if fold(column) in FOLDED[role]]
        if not named and role == "outcome":
            named = [column for column in free if find_mark(column) not in (None, "tie")]
        if named:
            return named
        ranks = FALLBACKS.get(role, ())
        others = [one for names in ranks for one in free if fold(one) in names.split()]
        if 0 < sum(fold(one) in DOCUMENTS for one in others) < len(others):
            return []
        if role == "outcome" and self.candidates("left") and self.candidates("right"):
            others += [one for one in free if fold(one) in _WINNERS | _LOSERS]
        return others if role == "outcome" else others[:1]

    @property
    def free(self) -> list[str]:
        taken = {*self.requested.values(), *self.candidates("item")}
        named = frozenset().union(*FOLDED.values())
        others = [name for name in self.columns if name not in taken and fold(name) not in named]
        graded = FALLBACKS["outcome"][0].split()
        return [n for n in others if find_mark(n) is None and fold(n) not in graded]

    def missing(self, roles: Iterable[str]) -> list[str]:
        return [role for role in roles if not self.candidates(role)]


def check_asked(header: Header, roles: Iterable[str]) -> None:
    known = list(dict.fromkeys(roles))
    given: dict[str, str] = {}
    if header.requested and not known:
        raise UnknownOption(
            f"{header.table} has a layout that says itself what each column is: leave out --column"
            f" {next(iter(header.requested))}=NAME, or write our own table first (evenhand convert)"
        )
    for role, column in header.requested.items():
        if role not in known:
            hint = sentence_hint(suggest(role, known))
            raise UnknownOption(f"no role '{role}' for a column: choose {' | '.join(known)}{hint}")
        if column not in header.columns:
            hint = suggest(column, header.columns) or f" It has {listing(header.columns, 20)}"
            raise UnknownColumn(
                f"column '{column}' (asked for as {role}) not found in {header.table}.{hint}",
                column,
            )
        if column in given:
            raise UnknownOption(
                f"column '{column}' of {header.table} is given two roles, {given[column]} and"
                f" {role}: one column plays one role"
            )
        given[column] = role


def assign(
    header: Header,
    roles: Sequence[str],
    needed: Sequence[str],
    fixed: Mapping[str, str] | None = None,
) -> dict[str, str]:
    given = set(header.requested.values())
    fixed_columns = {role: header.named(name) for role, name in (fixed or {}).items()}
    available = {role: name for role, name in fixed_columns.items() if name not in given}
    assigned: dict[str, str] = {}
    for role in roles:
        column = header.requested.get(role) or available.get(role)
        if column is None:
            column = _only(header, role, {*assigned.values(), *available.values()})
        if column is not None:
            assigned[role] = column
    missing = [role for role in needed if role not in assigned]
    if missing:
        refuse_circular(header, missing)
        raise UnknownColumn(
            f"no column for {listing(missing)} among {listing(header.columns)} of {header.table}."
            f"{say_which(header, missing)}"
        )
    return assigned


def _only(header: Header, role: str, taken: set[str | None]) -> str | None:
    candidates = [column for column in header.candidates(role) if column not in taken]
    if len(candidates) > 1 and role in SOFT:
        return None
    if len(candidates) > 1:
        fitting = [column for column in candidates if header.fits(column, role)]
        if len(fitting) == 1:
            return fitting[0]
        name = fitting[0] if fitting else "NAME"
        raise UnknownOption(
            f"{listing(candidates)} of {header.table} could each be the {role}: say which one"
            f" ({write_roles(header, {role: name})})"
        )
    return candidates[0] if candidates else None


def say_which(header: Header, roles: Sequence[str]) -> str:
    """Say how to name the columns of missing roles, and which columns may have a misspelt name."""
    near: dict[str, str] = {}
    texts: list[str] = []
    for role in roles:
        names = [role, *SYNONYMS[role]]
        free = [column for column in header.free if column not in near.values()]
        alike = [column for column in free if suggest(column, names)]
        if role == "score" and not alike and len(only := header.spreads().keys() & {*free}) == 1:
            alike = [*only]
        fitting = [column for column in alike if header.fits(column, role)]
        if fitting:
            near[role] = fitting[0]
        elif alike:
            texts.append(f" '{alike[0]}' holds texts, and no names of a {role}.")
    shown = " and ".join(f"'{column}'" for column in near.values())
    hint = f" {'Is it' if len(near) == 1 else 'Are they'} {shown}?" if near else ""
    which = "which it is" if len(roles) == 1 else "which they are"
    options = write_roles(header, {role: near.get(role, "NAME") for role in roles})
    return f"{hint}{''.join(texts)} Say {which}: {options}"


def write_roles(header: Header, columns: Mapping[str, str]) -> str:
    """Say how columns are given to roles: of a data frame in Python, of a file in both ways."""
    python = f"columns={dict(columns)}"
    option = " ".join(f"--column {write_word(f'{role}={c}')}" for role, c in columns.items())
    if header.table == Source.name:
        return f"evenhand.read(..., {python}), on the command line {option}"
    return f"{option}, in Python {python}"


def refuse_circular(header: Header, missing: Sequence[str]) -> None:
    """Refuse a column given to one role that is needed for the role it is named after."""
    for requested_role, column in header.requested.items():
        for role in missing:
            if requested_role != role and fold(column) in FOLDED[role]:
                raise UnknownOption(
                    f"column '{column}' of {header.table} plays two roles, {role} and"
                    f" {requested_role}: leave out"
                    f" --column {write_word(f'{requested_role}={column}')}, or say which column is"
                    f" the {role} (--column {role}=NAME)"
                )


def describe(assigned: Mapping[str, str]) -> str:
    return ", ".join(
        role if role == column else f"{role}={column}" for role, column in assigned.items()
    )


def name_covariates(
    columns: Sequence[str], roles: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Keep the other columns under their own names, unless a role has that name already."""
    used = {role.casefold() for role in roles}
    names: dict[str, str] = {}
    notes = []
    for column in columns:
        name = column
        while name.casefold() in used:
            name = f"original_{name}"
        if name != column:
            notes.append(f"column '{column}' is kept as '{name}'")
        used.add(name.casefold())
        names[column] = name
    return names, notes


def find_side(likely: nw.Expr) -> nw.Expr:
    tie = nw.when(likely == 0.5).then(nw.lit("tie"))
    right = nw.when(likely < 0.5).then(nw.lit("right")).otherwise(tie)
    return nw.when(likely > 0.5).then(nw.lit("left")).otherwise(right)


# Words in the names of columns and sheets: criteria, judges, and what counts something.

CRITERIA: Final = word_set(
    "accuracy adequacy appropriateness clarity coherence cohesion completeness complexity "
    "comprehensibility conciseness consistency content correctness creativity depth diversity "
    "empathy engagement engagingness expressiveness factuality faithfulness fidelity fluency "
    "formality grammar grammaticality harmlessness helpfulness honesty humanness "
    "informativeness intelligibility interestingness likability meaning meaningpreservation "
    "mos naturalness organization originality overall overallquality persuasiveness "
    "plausibility politeness quality readability relevance relevancy safety satisfaction "
    "simplicity specificity structure style terminology tone truthfulness understandability "
    "usefulness verbosity wellformedness da dasqm esa mqm sqm"
)
# Words beside the name of what is scored: score_fluency, anna's rating
AFFIXES: Final = frozenset(("score", "scores", "rating", "rated", "grade", "points", "likert"))
JUDGES: Final = word_set(
    "annotator annot ann judge rater coder worker evaluator human assessor participant "
    "reviewer expert respondent subject person"
)
# Words of columns that count or number something, and score nothing
COUNTS: Final = word_set(
    "id index idx row nr no number count order trial page batch session round turn age year "
    "date dates datum when month week weekday day hour length len words tokens chars characters "
    "time duration seconds minutes ms cost "
    "confidence certainty difficulty familiarity expertise experience price seed version item "
    "items question segment seg sentence"
)
# Words, beside those, of sheets that are no person's: rounds, tasks and parts of a study
_PARTS: Final = word_set(
    "wave phase part task set block group sheet tabelle pilot test training "
    "dev main study system model domain genre language topic first second third before after "
    "news law legal medical science speech social literary technical finance sports politics "
    "english german french italian spanish portuguese dutch polish czech russian ukrainian "
    "finnish swedish danish norwegian turkish arabic hebrew hindi chinese japanese korean "
    "deutsch englisch französisch italienisch spanisch russisch chinesisch japanisch"
)
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def split_words(name: str) -> list[str]:
    return _WORD.findall(name.casefold())


def is_criterion(name: str) -> bool:
    """Say whether a column is called after a criterion, perhaps with its scale: Fluency (1-5)."""
    words = split_words(name.partition("(")[0])
    return "".join(word for word in words if word not in AFFIXES) in CRITERIA


def are_judges(columns: Sequence[str]) -> bool:
    """Say whether names are of judges: annotator_1, or a name beside a word for scores."""
    if any(map(is_criterion, columns)):
        return False
    words = [split_words(name) for name in columns]
    return all(JUDGES & {*one} for one in words) or all(AFFIXES & {*one} for one in words)


def may_be_person(name: str) -> bool:
    words = split_words(name)
    if JUDGES & {*words}:
        return True
    named = bool(words) and not any(one.isdigit() for one in words)
    return named and not is_criterion(name) and not names_part(name)


def names_part(name: str) -> bool:
    return bool((COUNTS | _PARTS) & {*split_words(name)})
