"""What this room says of judgments, beside their numbers."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

say: Final = Templates(
    {
        # Columns beside the judgments, such as times
        "beside": "beside the judgments: {columns:list}",
        "stripped": "blanks around labels were stripped: {columns:list}.",
        "tasks-pooled": "{tasks:,} tasks are pooled.",
        "broken-rankings": (
            "{answers:#answer} without a whole ranking: each comparison counts as a ranking of two."
        ),
        # What is excluded: parts of sentences, with counts behind them (`Exclusion.text`)
        "zero-weight": "rows of weight 0 are excluded: {rows:,}",
        "controls": "{controls:#control} excluded",
        "short-scales": "Scores{of} of {judges:list} are {own:g} at most, and others reach"
        " {highest:g}: if they used another scale, bring all scores to one.",
        "second-answers": "excluded: {again:,} of {every:,} judgments, second answers of a judge to"
        " the same pair of outputs",
        "judge-types": "judge_type says {types:list} of {judges:list}, counted as people: write llm"
        " or human there.",
        "judge-types-alone": "judge_type says {types:list}, counted as people: write llm or human"
        " there.",
        "named-like-llms": (
            "Named like LLMs, and counted as people: {judges:list}. If they are LLMs, say so"
            " (column judge_type; --llm-judges in rank, report, gate, agreement, judges, bias,"
            " replace and next), or exclude them (--without)."
        ),
        "named-like-llms-inside": "Named like LLMs, and counted as people: {judges:list}. If they"
        " are LLMs, mark them (column judge_type) or name them ({command}).",
        "llm-judges-inside": "{clause}: rankings, tests, agreement and reports leave them out",
        "llm-judges-help": "Verdicts of LLM judges can make the ranking by people more precise"
        " ({command}).",
        "llm-judges-alone": "judged by LLM judges, no people: nothing shows what people prefer",
        "no-score": "rows without a score are excluded: {rows:,} of {of:,}",
        "blank-rankings": "{rankings:,} of {of:,} rankings are blank and excluded",
        "blank-ranks": "{ranks:,} of {of:,} ranks are blank and not compared",
        "blank-ranks-besides": "{ranks:,} of {of:,} ranks of the others are blank and not compared",
        "single-output": "{rankings:#ranking} of one output only: nothing to compare",
        "mix": "{comparisons:,} comparisons of {levels:list} have share 0 and are excluded",
        # Slips; `where` is " (line 8)", or nothing where rows have no order
        "identical-rows": "{rows:#row equals/rows equal} another row in every column{where}: second"
        " answers, or rows that were pasted twice.",
        "summary-rows": "taken for {role}s by name: {names:list}. Rows that sum up others are no"
        " judgments: if these do, exclude them ({remedy}).",
        "missing-names": "counted as names of a {role}: {names:list}. If they mean that nobody is"
        " named, exclude them ({remedy}).",
        "far-score": "{n:#score} of {score:g}{where}, all others from {low:g} to {high:g}: if it is"
        " a slip, correct it.",
        "no-answer-score": "{n:,} of {of:#score}{under} are {score:g}, the others {low:g} to"
        " {high:g}: counted as scores. If {score:g} means no answer, {remedy}.",
        "missing-code": "no answer: {n:#cell} of {code}.",
        "unused-missing-code": "no cell of {columns:list} in {table} is {code}: check --missing"
        " {code}.",
        "repeated-scores": "{n:#score repeats/scores repeat} one of the same judge for the same"
        " output: their mean counts once, which leaves {left:,} of {of:#score}.",
        "references-counted": "Human references by name count as systems here: {systems:list}."
        " Rankings, tests and plans exclude them (here: --without {words}).",
        # Names
        "merged-name": (
            "1 of {systems:,} systems is named like several of the others, '{example}'. If such an"
            " output was shown once for all of them, read with --system-separator {sign} (in Python"
            " system_separator='{sign}') to count it for each."
        ),
        "merged-names": (
            "{merged:,} of {systems:,} systems are named like several of the others, such as"
            " '{example}'. If such an output was shown once for all of them, read with"
            " --system-separator {sign} (in Python system_separator='{sign}') to count it for each."
        ),
        "similar-names": (
            "'{one}' and '{other}' are taken for two {kind}s: they differ only in capitals, blanks"
            " or punctuation. If they are one, give them one name."
        ),
        "similar-numbers": (
            "'{one}' and '{other}' are taken for two {kind}s: they differ only in how a number is"
            " written. If they are one, give them one name."
        ),
        "many-similar-names": (
            "{count:,} names that differ only in capitals, blanks or punctuation are taken for as"
            " many {kind}s: {names:list}. If some are one, give them one name."
        ),
        "many-similar-numbers": (
            "{count:,} names that differ only in capitals, blanks, punctuation or how a number is"
            " written are taken for as many {kind}s: {names:list}. If some are one, give them one"
            " name."
        ),
    }
)
