"""What is said of judges: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

_VARIANCE: Final = {
    "no-variance": "No source of variance was found.",
    "precision": "As judged, the difference of two {means} has a standard error of"
    " {stderr:figures}{unit}, and a reliability of {reliability:two}.",
    "precision-alone": "As judged, the difference of two {means} has a standard error of"
    " {stderr:figures}{unit}.",
    "plan": "With {design}, the difference would have a standard error of {stderr:figures}{unit},"
    " and a reliability of {reliability:two}.",
    "plan-alone": "With {design}, the difference would have a standard error of"
    " {stderr:figures}{unit}.",
    "error-sources": "Share of this error by source: {sources}.",
    "no-severity": "Judges do not differ in severity.",
    "severity": "Severity of judges has a standard deviation of {sd}.",
    "severity-cancels": "Severity of judges has a standard deviation of {sd}, which cancels: they"
    " scored the systems in about the same proportions.",
    "severity-adds": "Severity of judges has a standard deviation of {sd}. It would cancel if each"
    " judge scored all systems equally often; as judged, it adds {adds:figures} to the standard"
    " error of a difference.",
    "severity-or-taste": "Severity or taste of judges has a standard deviation of {sd}: each judge"
    " scored one system, so that it does not cancel.",
    "design-reaches": "{goal} takes {design}.",
    "design-unreachable": "{goal} cannot be reached by {judges:,} judges, however many items they"
    " judge.",
    "fewer-judges": "With fewer than {judges:#judge} no number of items is enough.",
    "fewer-judges-each": "With fewer than {judges:#judge} of {each:,.0f} comparisons each no number"
    " of items is enough.",
    "items-unknown": "No item x system was found, so the plan has at least as many items as were"
    " judged.",
    "unknown-component": "Nothing is known about {name}: its estimate is 0 and its interval has no"
    " upper bound. Standard errors and designs assume that there is none.",
    "likelihood-of-judges": "judge x system comes from the likelihood of RandomJudges, which treats"
    " items as independent noise; item x system comes from moments.",
    "moments-for-rankings": "judge x system comes from moments: comparisons of one ranking are"
    " correlated, so the likelihood gives an upper bound only.",
    "likelihood-alone": "Tastes are so strong that moments cannot estimate item x system, nor how"
    " tastes enter pooled log-worths: judge x system and systems come from the likelihood alone.",
    "rankings-independent": "The part of chance treats comparisons of one ranking as independent;"
    " estimates of tastes do not.",
    "tasks-pooled": "{n:#task} are pooled.",
}

_REPLACEMENT: Final = {
    "replaces": "{llm} may replace a human judge{where}: the difference is at most {upper:two}"
    " (ε = {epsilon:two}).",
    "replaces-some": "{n:,} of {of:,} {what} may replace a human judge (ε = {epsilon:two}){names}.",
    "replaces-none": "These judgments are no evidence that any of {of:,} {what} may replace"
    " a human judge (ε = {epsilon:two}).",
    "many-by-chance": "{n:,} of {of:,} {what} cannot be tested{names}: judges may agree by"
    " chance alone, and then there is nothing to replace.",
    "no-replacement": "These judgments are no evidence that {llm} may replace a human judge{where}:"
    " the difference may be ε = {epsilon:two} or more (adjusted p = {p:p}).",
    "no-better-than-constant": "These judgments are no evidence that {llm} may replace a human"
    " judge{where}: always answering {constant} may come as close.",
    "other-scale": "Scores of {llm} go from {first:g} to {last:g}, and people's from {low:g}"
    " to {high:g}: if the scales differ, write them on people's.",
    "published-passes": "published test of {llm}{where}: passes; it may replace {rejected:,} of"
    " {tested:#judge} (ω = {rate:two}, at least 0.50; ρ = {advantage:two})",
    "published-fails": "published test of {llm}{where}: fails; it may replace {rejected:,} of"
    " {tested:#judge} (ω = {rate:two}, below 0.50; ρ = {advantage:two})",
    "later-answers": "{n:#answer} of a judge to a question that the judge had answered before: not"
    " used, since the first counts.",
    "another-first": "By its verdicts alone {other} would be first, and by people {first}: see what"
    " moves {llm} ({command}).",
    "replacement-untested": "{which} cannot be tested: {why}.",
    "judges-by-chance": "{llm} cannot be tested{where}: judges may agree by chance alone, and then"
    " there is nothing to replace.",
}

_AGREEMENT: Final = {
    "nothing-shared": "No output was judged by two judges.",
    "llm-other-outputs": "People judged nothing that {llm} judged: they are not compared. Give"
    " systems and items the same names.",
    "inflated": "Outputs that several systems share are counted for each of them, so one answer"
    " counts several times: agreement is inflated. Keep the names as they are.",
    "complete-block": "On the {n:,} outputs that {judges} judges all scored ({share:%} of the"
    " scores){without}.",
    "outputs-of-items": "F-based intervals treat outputs as independent, but {n:#output belongs"
    "/outputs belong} to {items:#item}: they may be too short.",
    "interval-by-item": "No interval with judges as clusters, only with items.",
    "concordance-test": "χ² {chi2:.1f} on {df:,} degrees of freedom, p {p:p}.",
    "any-judges": "Each output may have had any {judges} judges.",
    "missing-cells": "{missing:%} of the cells of {n:#output} and {judges:#judge} are missing:"
    " coefficients are estimated from variance components of all scores (restricted likelihood); k"
    " is {k:.3g}, the harmonic mean number of judges per output.",
    "no-f": "Judges differ in severity only: F has no value and there is no interval.",
    "pairs-without": "{n:,} of {of:#pair} of judges have none.",
    "no-interval": "No interval: {clusters}, and at least {needed} are needed.",
    "no-interval-lost": "No interval: it does not exist in {lost:,} of {of:,} replicates.",
    "landis-koch": "{word} (Landis & Koch 1977)",
    "prevalence": "κ is low although judges agree in {agree:%} of pairs: {same:%} of answers are"
    " the same, so that chance alone explains most agreement (Feinstein & Cicchetti 1990). Read κ"
    " together with the agreement itself.",
    "pairs-unasked": "With more than {most:,} pairs of judges of one output, coefficients between"
    " judges are computed only on request: {families}.",
    "repeats": "{n:#repeat} excluded.",
    "controls": "{n:#control} excluded.",
    "again": "{n:#second answer} of judges to the same output excluded: they show how judges agree"
    " with themselves",
    "pasted": "{n:#row} excluded as pasted twice: equal to another row in every column, the time"
    " among them.",
    "perhaps-pasted": "{n:#row equals/rows equal} another in every column: if pasted twice, they"
    " say nothing of judges{where}. Times would tell (--column shown_at=NAME).",
    "again-in-kappa": "Pairwise κ includes the second answers of judges.",
    "single-judge": "{n:,} of {of:,} {what} were judged once and say nothing about agreement.",
    "scales-differ": "Criteria reach different highest scores: the values over all criteria mix"
    " scales.",
    "weighted-rows": "rows with a weight stand for several judgments, and it is not known whether"
    " these are repeats of one judge",
    "pair-counts": "P(A) {observed:three}: {agree:,} of {comparable:,} pairs of votes agree; P(E)"
    " {chance:three}: {ties:,} ties in {total:,} comparisons.",
    "own-pairs": "{n:,} of {of:,} pairs of votes ({share:%}) are of one judge, asked again.",
    "own-pairs-only": "no two judges saw the same two outputs in the same order: all {n:,} pairs of"
    " votes that WMT counts are of one judge, asked again",
    "all-ties": "all comparisons are ties: chance explains all agreement",
    "no-shared-pairs": "no two judges compared the same two outputs{shown}",
    "no-second-answers": "no judge compared the same two outputs twice{shown}",
    "no-ties": "No tie occurs: chance agreement of AC1 is that of two answers.",
    "rankings-resampled": "Pairs of one ranking are one answer of a judge: intervals resample"
    " items.",
    "missing": "{why} ({names}).",
    "beside": "{note} ({names})",
    "far-items": "Judges disagree most on {items}.",
}

_SCREENING: Final = {
    "few-judges": "{n:#judge is/judges are} too few to define usual behaviour; {needed} are needed",
    "slope-near-zero": "judges do not follow each other: their mean slope may be 0 (95 % interval"
    " {lower:.2f} to {upper:.2f}), so it cannot be determined who is right",
    "honest-not-largest": "judges who follow the others are not the largest group: it cannot be"
    " determined who is right",
    "few-honest": "only {share:share} of the judges look honest, and with less than {needed:share}"
    " it cannot be determined who is right",
    "not-separable": "honest and careless judges cannot be distinguished: they must be {least:.0f}"
    " standard deviations apart for the median judge and for {needed} judges, and are"
    " {distance:.1f} for the median and {least:.0f} or more for {apart:#judge}; more judgments per"
    " judge, or outputs that several judges share, would help",
    "no-shared-outputs": "{alone:share} of the judgments are of outputs that fewer than {others}"
    " other judges saw, and the systems are nearly equal: nothing shows what an honest judge would"
    " answer; let several judges see the same outputs",
    "not-right-short": "it cannot be determined who is right",
    "not-separable-short": "honest and careless judges cannot be distinguished",
    "no-shared-outputs-short": "too few judges saw the same outputs, and the systems are nearly"
    " equal",
    "none-flagged": "None of {judges:#judge} is flagged.",
    "flagged": "{n:,} of {judges:#judge} {verb} flagged: {names}. Of all flags, at most"
    " about {level:g} % fall on honest judges, if most judges are honest and independent of each"
    " other.",
    "without-flagged": "Without the flagged: {option}.",
    "llm-judges-apart": "For LLM judges: evenhand bias shows what moves their verdicts, and"
    " evenhand replace whether they may replace people.",
    "not-decided": "Nobody is called careless or reversed: {why}.",
    "suspects": "{names} {verb} careless or reversed rather than honest, but this cannot be"
    " decided.",
    "severities": "Severity: {low_judge} scores {low:+.2f} {unit} relative to the others,"
    " {high_judge} {high:+.2f}; all others lie between. Severity is no reason for a flag.",
    "many-flagged": "{n:,} of {judges:#judge} are flagged as careless or reversed. With so many,"
    " the others may be those with another taste, or those who saw easier outputs.",
    "flagged-agree": "The flagged judges agree with each other ({pairs:,} pairs of answers to the"
    " same outputs, correlation {correlation:.2f}): this suggests a group with another taste, or a"
    " common misunderstanding, rather than carelessness.",
    "no-decisive-vote": "No decisive vote, so nothing is known about their slope: {names:list}.",
    "correlated-comparisons": "Comparisons of one answer are correlated: each counts as"
    " 1/{inflation:.2f}.",
    "no-items": "No column names the items, so it is not known who saw the same outputs: slopes"
    " rest on what others answered about the systems.",
    "large-tasks": "{n:#system stands/systems stand} in tasks too large to exclude one judge after"
    " the other: there, slopes rest on others' votes for the same outputs alone.",
    "positions-unknown": "It is not known which output stood first: position bias is not tested.",
    "tasks-in-cards": "{n:#task}: a judge has one card over all of them.",
    "no-items-in-ratings": "No column names the items: scores of the same output cannot be"
    " compared.",
    "evidence-unused": "{names:list}: fewer than {needed} judges have them; shown, but not used.",
    "few-outputs": "{n:#judge} scored fewer than {needed} outputs and can never be flagged.",
    "habits-untested": "Fewer than {needed} judges have ten scores: habits are not tested.",
    "one-end": "Nearly all scores at one end of the scale, not called careless: {names:list}.",
    "many-points": "More than {most} different scores: nobody is flagged for coarse use of the"
    " scale.",
    "scores-and-outputs": "Cards count scores ({scores:,}); slopes and power count outputs of a"
    " judge ({outputs:,}).",
}

_DIAGNOSIS: Final = {
    "agreement-unknown": "Agreement{under}: {why}.",
    "same-score": "Two judges of an output{under} give the same score in {share:share}{near}{kappa}"
    " ({outputs:#output}).",
    "none-outside": "By {method}{under}, none of {judges:#judge} is outside.",
    "outside": "By {method}{under}, {n:,} of {judges:#judge} {verb} outside ({who}).",
    "outside-by-chance": "If all judges were honest and their values normal, {k:g} sd would put"
    " outside: {counts}.",
    "outside-everywhere": "Outside under all criteria: {counts}.",
    "removal": "Removing {judges:#judge} excludes {share:share} of the scores{under}. The scores of"
    " {systems:#system} then correlate {pearson:.3f} with those by all judges (ranks"
    " {spearman:.3f}).",
    "removal-unknown": "Removing {judges:#judge} excludes {share:share} of the scores{under}:"
    " {why}.",
    "ceiling": "Human references{under}: {ceiling}; of the systems, {highest} scores highest with"
    " {high:.2f}, {lowest} lowest with {low:.2f}.",
    "merged": "On the merged scale: {sentence}",
    "versions": "{n:#score} excluded: the judge scored the same output more than once, and the"
    " {version} counts.",
    "controls-used": "{n:#score} of controls: used for easy items only.",
    "controls-unknown": "{n:#score} of controls: it is not known what they should get (good, bad or"
    " a score), so they are not used.",
    "controls-partly-known": "{n:#score} of controls: it is not known what {unknown:,} of them"
    " should get (good, bad or a score), so only the others are used.",
    "no-items-in-diagnosis": "No column names the items: judges cannot be compared.",
    "few-scores-outside": "Outside by {method}{under} with fewer than {needed} scores, so that a"
    " single score may decide: {names:list}.",
}

say: Final = Templates({**_VARIANCE, **_REPLACEMENT, **_AGREEMENT, **_SCREENING, **_DIAGNOSIS})
