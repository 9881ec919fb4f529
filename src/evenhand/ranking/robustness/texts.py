"""What is said of robustness: how few carry a conclusion, other choices, cycles. Code → text."""

from __future__ import annotations

from typing import Final

from evenhand.ranking.texts import RANKINGS
from evenhand.render.findings import Templates

_TEST: Final = "(X² {statistic:.1f} on {df} df, {noise:.1f} from noise alone, p {p:p}; {by})"

say: Final = Templates(
    {
        # How few carry a conclusion. `{parts}` are made of the four below it
        "carried": "{claim}: {parts}.",
        "falls-without": "without {few}, {effect}",
        "holds-without-one": "it holds even without the one {unit} that supports it",
        "holds-without-all": "it holds even without all {tried:,} {units} that support it",
        "holds-without-any": "no {unit} supports it alone",
        "another-ahead": "another system is ahead",
        "ahead": "{ahead} is ahead",
        "ahead-of": "{ahead} is ahead of {behind}",
        "undecided": "it is no longer decided",
        "nothing-left": "nothing is left of {gone}",
        "no-ranking-left": "no ranking is left",
        "weights-no-votes": "Importance weights count no votes: none are removed one by one.",
        "too-many-to-undecide": "What would leave a pair undecided is not asked above {limit:,}"
        " comparisons.",
        "narrowly-decided": "{claim}: decided so narrowly that other random signs undo it.",
        "nobody-first": "Level at the head, so that nobody is first: {names:list}.",
        "pair-barred": "{claim}: {why} and stays undecided, however far apart.",
        "pairs-barred": "{claim}: {why} and stay undecided, however far apart.",
        # Other reasonable choices
        "lead-robust": "{first} leads in all {n} rankings.",
        "lead-robust-level": ("{first} lead, level, in all {n} rankings."),
        "lead-only": "{first} leads in the only ranking there is.",
        "lead-only-level": "{first} lead, level, in the only ranking there is.",
        "lead-by-prior": "No choice says who leads: that is set by the prior alone.",
        "unlinked": "Nothing compares {one} with {other}: the prior alone says who is ahead.",
        "lead-changes": "The lead is not robust to choices: {first} leads, but not under"
        " {under:list} ({others:list}).",
        "lead-changes-level": "The lead is not robust to choices: {first} lead, level, but not"
        " under {under:list} ({others:list}).",
        "pairs-robust": "All decided pairs ({pairs:,}) hold in all {n} rankings.",
        "pairs-only": "{pairs:#pair} decided in the only ranking there is.",
        "pairs-not-robust": "{lost:,} of {pairs:,} decided pairs do not hold in all {n} rankings.",
        "no-pairs-default": "The default decides no pair, so there is none to lose.",
        "no-pairs-asked": "The ranking that was asked for decides no pair: none can be lost.",
        "pair-reversed": "{pair} is reversed under {under:list}.",
        "pair-undecided": "{pair} is undecided under {under:list}.",
        "more-pairs": "{n:#more pair/more pairs} do not hold.",
        "choice-refused": "No ranking under {choice}: {why}.",
        "decisions-not-asked": "Which pairs each choice decides was not asked, nor what clusters"
        " change: they change no order.",
        "sides-unknown": "Which output was shown first is not known: no advantage of the first is"
        " tried.",
        "judges-unknown": "Judges are not known: none can be capped or excluded.",
        "judges-not-screened": "No judge is excluded: {why}.",
        "no-judge-flagged": "No judge is flagged.",
        "no-judge-flagged-why": "No judge is flagged: {why}.",
        # Cycles
        "no-cycles-seen": "Cycles cannot be seen: the pairs compared leave none possible.",
        "no-cycles": f"No significant cycles: worths describe the preferences {_TEST}.",
        "cycles": (
            "Preferences deviate from any worths beyond noise: {share:%} of the variance of"
            f" log-odds is cyclic {_TEST}."
        ),
        "no-cycle-stands-out": "No single cycle of three stands out.",
        "majority-cycle": "Cycle: {wins:list} (p {p:p} over all cycles of three).",
        "cycle-without-majority": "No majority cycle, but a stronger deviation from transitivity"
        " than the model allows: {wins:list} (p {p:p} over all cycles of three).",
        "cycles-limited": "What is said of cycles is {limit}.",
        "cycles-beside-sides": ("Cycles are sought beside an advantage of the output shown first."),
        "cycles-or-sides": "Cycles are sought without an advantage of the output shown first:"
        " what is cyclic may be position bias.",
        "too-many-triples": "Cycles of three are too many to be tested: rank fewer systems.",
        "no-clustering": RANKINGS["no-clustering"],
        "cycles-not-tested": "Cycles are not tested: {why}.",
    }
)
