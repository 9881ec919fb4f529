"""What is said of files that were read, and of what they hold: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

FILES: Final = {
    # `renamed`: whether some column has another name than its role, so that readers are told
    "columns": "read {layout}: {columns}",
    "both-bad": "counted as ties: {labels:list}",
    "unfolded": "{are} {columns:list} {hold} scores: {what}",
    "numbers-not-read": "numbers that are not read as scores: {columns:list}; to read all:"
    " {asked}{items}",
    "words-not-read": "{column} is not read: it has the name of a criterion, but words of no known"
    " scale ({words:list}). Write them as numbers, such as '1 - {first}'.",
    "summed-up": "not read as scores, since they sum up others: {columns:list}",
    "lost-errors": "{rows:#skipped row} may be of errors in outputs that are read, whose scores are"
    " too high then: correct such rows, or exclude these outputs.",
    "metric-columns": "Scores of metrics, not of judges: {columns:list}. evenhand metrics compares"
    " them with people.",
    "unfolded-ranks": "columns {columns:list} hold ranks: each row is a ranking of {systems:list}",
    "unfolded-places": "each row is a ranking: columns {columns:list} hold the system of each rank",
    "unnamed-rankings": "each judge and item is one ranking, as there is no column ranking",
    "unfolded-votes": "columns {columns:list} hold outcomes: {what}",
    "like-ranks": "Every row holds ranks from 1, and they are read as scores: if 1 is the best,"
    " --better lower.",
    "rows-as-items": "each row is an item, by its number",
    "score-pair": "'{left}' and '{right}' are compared: the {better} one wins, equal ones tie",
    "ties": "'{column}' says which rows are ties",
    "marks": "each outcome has a column: {marks:list}",
    "graded-scale": "column '{column}' runs from {lowest} to {highest}: numbers {where} {middle}"
    " prefer the left output, {middle} is a tie; strengths are collapsed (if it is the other way"
    " round: --outcome {turned})",
    "graded-without-tie": "column '{column}' runs from {lowest} to {highest} and has no tie: 1 and"
    " 2 prefer the {low} output; strengths are collapsed (if it is the other way round: --outcome"
    " {turned}; if 3 is the tie of a longer scale: --outcome 3=tie)",
    "graded-score": "column '{column}' is the score of the {side} output: 1 where it won, {middle}"
    " for a tie, 0 where it lost (if it is the other way round: --outcome {turned})",
    "probabilities": "{columns:list}: how likely one output is the better; the outcome is the"
    " likelier side.",
    "probabilities-fill": "where the outcome is empty it is the likelier side of {columns:list}",
    "graded-mark": "column '{column}' says whether the {side} output won; {middle} is a tie",
    "graded-words": "column '{column}' says how strongly, and strengths are collapsed: left is"
    " {left:list}; tie is {tie:list}; right is {right:list}",
    "graded-sides": "column '{column}': {meant}",
    "encoding": "{file} was read as {encoding}.",
    "encoding-guessed": "{file} is not UTF-8 and was read as {encoding}: if names look wrong, save"
    " it as UTF-8.",
    "inner-list": "the list '{name}' of {file} was read; not read: {others:list}",
    "inner-list-alone": "the list '{name}' of {file} was read.",
    "dots": "a dot in the name of a column is written _ here: {columns:list}.",
    "score-words": "words{of} are read as numbers: {words:list}.",
    "score-percent": "a number with % is read as that number.",
    "score-parts": "scores out of {of} are read as the number before it.",
    "score-stars": "stars are counted: each is 1.",
    "score-signs": "scores with a long minus or wide digits are read as numbers.",
    "score-numbered": "of scores with words only the number is read.",
    "prefixes": "columns are called without the platform's prefix: {columns:list}.",
    "questions": "not read: the questions and import ids below the header.",
    "decimal-comma": "a comma stands before decimals in {columns:list}.",
    "above-header": "not read: what stands above the header in line {line}, '{words}'.",
    "thousands": "a point stands between thousands in {columns:list}.",
    "doubtful-points": "{value} in '{column}'{rows} is read as a fraction, beside whole numbers. If"
    " it is {thousand}: --decimal , (in Python decimal=','); if it is a fraction: --decimal .",
    "bad-rows": "{rows:#row that cannot be read is/rows that cannot be read are} excluded:"
    " {faults:list}",
    "blank-errors": "{rows:#row/rows} without severity and category: outputs without errors.",
    "no-clean-outputs": "No row says of an output that it has no error. {absent:#output/outputs} of"
    " items of which the judge marked others are not in the file and not counted: for each that has"
    " no error add a row with the severity no-error, else good systems look worse than they are.",
    "no-systems": "labels of items, without systems: for agreement, labels and judges.",
    "graded": "{rows:,} of {of:,} preferences are graded, between 1 and 2: each counts for the"
    " nearer output, 1.5 as a tie, and the number is kept as 'preference'.",
    "baseline-unnamed": "the file does not name the baseline, which is called baseline.",
    "turns": "an item is a {item} and a {turn}: the turns of one {item} were judged apart.",
    "references": "{references:#reference/references} shown in the place of systems (REF): controls"
    " known to be good, and no outputs of a system.",
}
INSPECTION: Final = {
    "holds": "{name}: {counts}.",
    "linked": "All systems are linked: a chain of preferences or ties leads from every"
    " system to every other.",
    "one-way": "Some worths are infinite: no chain of preferences leads from every system to"
    " every other.",
    "not-linked": "There is no common scale: {groups} groups of systems were never compared"
    " with each other.",
    "column-names": "Columns: {columns}.",
    "other-columns": "Other columns: {columns}.",
    "controls": "{controls:#control}, {repeats:#repeat}.",
    "blank-ranks": "{blank:,} of {of:,} ranks are blank.",
    "blank-ranks-of-others": "{blank:,} of {of:,} ranks of the others are blank.",
    "shared-items": "{items:#item} judged by two or more judges.",
    "shared-judgments": "{items:#item} judged by two or more judges ({share:%} of judgments).",
    "on-scale": "All scores are on the scale {scale}.",
    "left-preferred": "Left is preferred in {share:%} of decided comparisons.",
    "left-alike": "Each system was shown on the left in {share:%} of its comparisons.",
    "left-shares": "Shown on the left: {least} in {low:%} of its comparisons, {most} in {high:%}.",
}
say: Final = Templates(FILES | INSPECTION)
