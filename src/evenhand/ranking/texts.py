"""What rankings, tests, robustness and boards say beside their numbers: code → text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.render.document import Templates

# Why `compare` and `bias` have no order effect
INSEPARABLE: Final = (
    "every pair of systems was always shown in one order, so that the order effect cannot be"
    " separated from the worths"
)
RANKINGS: Final = {
    # Which answers are correlated, and so what intervals are about
    "no-judges": "No column of judges was found: intervals do not account for them. To name one:"
    " --column judge=NAME.",
    "no-judges-nor-items": "No column of judges or items was found: intervals account for neither."
    " Name those that exist: --column judge=NAME --column item=NAME.",
    "independent": "Intervals assume independent {answers}.",
    "name-items": "If items repeat, name them (--column item=NAME, in Python columns={{'item':"
    " 'NAME'}}).",
    "one-item": "There is one item only: intervals do not account for items.",
    "own-level": "Every judgment has its own {factor}: no clustering by {factor}.",
    "few-items": "There are fewer than {least} items: no clustering by item.",
    "few-items-of-these-judges": "{items} items are too few to cluster by; at least {enough} are"
    " needed.",
    "few-judges": "{effective:.1f} effective judges: intervals are wide; {enough} or more would"
    " narrow them.",
    "few-judges-with-items": "{effective:.1f} effective judges: intervals are wide; {enough} or"
    " more would narrow them. With --cluster item they are for {these} only.",
    "no-items-of-scores": "No column of items was found: scores are adjusted for judges alone. To"
    " name one: --column item=NAME.",
    "references-not-fitted": "Human references are not shown beside the systems: {why}.",
    "documents": "Items are clustered by their {documents:#document}.",
    "documents-unused": "Items come from {documents:#document}, and what the items of one have in"
    " common is in no interval: {why}.",
    "few-documents": "Items come from {documents:#document} ({effective:.1f} effective), too few to"
    " cluster by: what documents have in common is in no interval.",
    "few-clusters": "Only {effective:.1f} effective {factor}s: intervals are unreliable.",
    "no-clustering": "No clustering by {factor}: {why}.",
    # Covariances
    "copies-independent": "{model} takes the scores of an output of several systems as"
    " independent: intervals of systems that share outputs are too wide, and others may be too"
    " narrow. --model adjusted takes each answer once.",
    "no-cells": "So many judgments that cells of judge and item are not counted: intervals are a"
    " little wide.",
    "all-ties": "Every comparison is a tie, and answers that are all alike show no spread:"
    " intervals are those of the model there.",
    "linked-by-ties": "Some systems are linked by ties alone, and answers that are all alike show"
    " no spread: intervals are those of the model there.",
    "narrow": "Intervals are less than half as wide as independent answers would give: clusters"
    " answer suspiciously alike, or a few gave most answers. Compare rank --interval model.",
    "lost-resamples": "{lost:,} of {replicates:,} resamples determine no worths and are excluded.",
    "too-many-systems": "{systems:,} systems are too many for intervals of all. Differences of"
    " neighbours at the top {top} are given, with errors that assume independent judgments;"
    " fit.contrasts gives others.",
    # Pairs and systems of which nothing can be said
    "never-compared": "{one} and {other} were never compared with each other: this follows from"
    " their comparisons with other systems.",
    "decided-in-steps": "{better} is better by the p-value, which is adjusted in steps. The"
    " interval, which holds for all pairs at once, has no steps: a difference of 0 lies in it.",
    "one-cluster": "{pairs:#pair} undecided, with {clusters} alone to link the systems: nothing"
    " shows how another {factor} would differ.",
    "one-cluster-each": "{pairs:#pair} undecided, each with one {factor} alone to link the two"
    " ({clusters}): nothing shows how another {factor} would differ.",
    "thin-pairs": "{pairs:#pair} undecided: fewer than {least:.0f} effective {factors} link the"
    " two (fewest: {fewest:.1f}, {one} and {other}).",
    "different-items": "{pairs:#pair} undecided: the two systems were rated on different items, and"
    " nothing here tells differences between items from differences between systems. Have all"
    " systems rated on the same items.",
    "no-intervals": "No intervals: too few {factors} link any two systems.",
    "no-interval": "No interval for {systems:list}, which too few {factors} link to the other"
    " {inside:,} systems. Log-worths and intervals are relative to the mean of these {inside:,}.",
    "no-spread": "No interval for {systems:list}: clusters by {factors} answered so alike there"
    " that nothing shows how much others might differ.",
    "no-interval-of-scores": "No interval for {systems:list}, which too few {factors} link to the"
    " other {inside:,} systems. Intervals are of distances to the mean of these {inside:,}.",
    "no-intervals-at-level": "No intervals at level {level:g}: clusters are so few that in too"
    " many replicates they agree by chance, and nothing shows how far apart they may be.",
    # Verdicts of LLM judges
    "verdicts-add-nothing": "The {verdicts:,.0f} verdicts of LLM judges add nothing here: the"
    " ranking is by people alone.",
    "verdicts-constant": "All verdicts are '{outcome}', whatever the outputs, and tell nothing"
    " about systems: the ranking is by people alone.",
    "constant-llm-judges": "All verdicts of {judges:list} are the same, whatever the outputs: they"
    " tell nothing about systems and are excluded.",
    "judges-ranked": "LLM judges who are ranked themselves: {judges:list}. Their verdicts alone may"
    " prefer their own outputs (evenhand bias --own says whether they do); people's ranking with"
    " their help stays unbiased.",
    "verdict-probabilities": "Verdicts are the probabilities ({columns:list}), not the outcomes"
    " beside them: {contrary:,} of {verdicts:,} outcomes are the contrary.",
    "variants-tied": "{owner}: {variants:list} came out so alike that the correction goes to its"
    " bound, and the width of the interval says nothing of precision: {low:two} to {high:two} holds"
    " whichever of the variants is best.",
    "owner-not-ranked": "'{system}' in the table of owners is not ranked.{hint}",
    "owner-missing": "Without an owner, and each by itself: {systems:list}.",
    "verdicts-weigh-nothing": "λ = 0: the ranking is by people alone.",
    "verdicts-not-clustered": "{method}, as published, assumes that all answers are independent:"
    " intervals are too short where judges or items differ. Rank without --llm-method.",
    "verdicts-unjudged": "{verdicts:#verdict} on {systems:list} excluded: no person judged these"
    " systems.",
    "judgments-weighted": "People's judgments are weighted, by column weight or by 1 /"
    " sampling_probability: without verdicts they are as precise as {effective:,.0f} of equal"
    " weight.",
    "sampling-unused": "Judgments were drawn with different probabilities (column {column}), and"
    " all weigh alike here: evenhand rank --llm VERDICTS weights them (--lambda 0: people alone).",
    "verdicts-leave-tastes": "{part:%} of the variance by people alone comes from tastes of judges,"
    " which no verdict can reduce.",
    "few-labelled-items": "People judged {items:#item}, too few to weight verdicts of LLM judges:"
    " at least {enough} are needed. The ranking is by people alone.",
    "verdicts-not-alike": "Verdicts {differ} (t = {t:.1f}): if what people judged is not a random"
    " sample of what has verdicts, the ranking is biased; rank without verdicts.",
    "verdicts-shifted": "Verdicts on {systems:list} differ between the items that people judged and"
    " the others (p {p:p}): if what people judged is not a random sample of what has verdicts, the"
    " ranking is biased; rank without verdicts.",
    "verdicts-assume": "Assumed: what people judged is a random sample of the items and pairs that"
    " have verdicts, or was drawn with recorded probabilities (sampling_probability).",
    # Other models
    "prior-alone": "The prior alone limits some differences: {why}.",
    "prior-alone-resampled": "The prior alone limits some differences, since no resample"
    " contradicts that {why}. Intervals of them are too short and rest on no spread of answers.",
    "of-rankings": "Comparisons of one ranking are not independent, as the model takes them to be:"
    " intervals are too short.",
    "resamples-alike": "No clustering by {factors}: all resamples by {factors} say the same of"
    " {one} and {other}, and nothing shows how much others might differ.",
    "baseline-of-opponents": "{model} is a baseline to compare models with: a system's own counts"
    " praise it for weak opponents.",
    "baseline-of-pairs": "{model} is a baseline to compare models with: it learns nothing of a"
    " pair from other pairs, so that systems are praised for whom they met.",
    # Who stood first
    "one-sided": "Sides were not randomised: {who}. A preference for what stands first then counts"
    " as worth, and more votes do not mend it.",
    "one-order": "Sides were not randomised: {who}. Every pair of systems was always shown in one"
    " order, so that the order effect cannot be separated from the worths.",
    "inseparable": f"{INSEPARABLE[0].upper()}{INSEPARABLE[1:]}.",
    # Rules of scoring, and several methods side by side
    "limited": "Intervals are {limit}.",
    "thin-resamples": "{lost:,} of {runs:,} resamples, too thin for the rule, are excluded.",
    "method-refused": "{method} gives no scores: {why}.",
    "same-judgments": "Methods share the same judgments: that they agree is no evidence that they"
    " are right.",
    "pairs-ignored": "{missing:,} of {pairs:#pair} never decided: they do not count.",
    "pairs-zero": "{missing:,} of {pairs:#pair} never decided: they count 0 for both.",
    "pairs-by-coin": "{missing:,} of {pairs:#pair} never decided: a coin decides them.",
    "all-ties-zero": "All comparisons of {systems:list} are ties: the score is 0 by this rule.",
    "single-comparison": "No standard errors: {systems:list} had a single comparison.",
    "never-won": "{systems:#system} won none of {tournaments:,} tournaments and share the last"
    " place.",
    "simulation-luck": "Within two standard errors of the simulation, so that another seed may"
    " reverse them: {pairs:list}.",
    "sorted-pairs": "The sort asked {asked:,} of {pairs:#pair}.",
    "no-majority": "{pairs:#pair} asked had no majority: the vilar score decided.",
    "against-majority": "The order contradicts the majority of {pairs:#pair}.",
    "probability": "The order is right in all pairs with probability {probability}.",
    "not-proven-probable": "The order is not proven to be the best: another may be up to"
    " 10^{gap:.2f} times as likely.",
    "equally-probable": "{orders:,} orders are equally probable: places of {systems:list} differ"
    " between them.",
    "contradicted": "The order contradicts {cost}.",
    "not-proven": "The order is not proven to be the best: systems are too many or too even, and a"
    " better order could contradict {gap:,.4g} less at most.",
    "loose-bound": "Of more than {systems} systems that are joined only pieces are bounded: most"
    " of that is what the bound misses.",
    "several-orders": "{orders:,} orders are equally good: places of {systems:list} differ between"
    " them.",
    "no-decided": "No comparison of {systems:list} is decided: any place is as good.",
    "few-matches": "{matches:,} matches a run instead of {wanted:,}: rank ranges are wider than"
    " with all.",
    "absent": "Without a comparison in some of {runs:,} resamples, counted as average there:"
    " {systems:list}.",
}

_FIRST: Final = (
    "between equals the output shown first wins {share:.1f} % of decided comparisons"
    " ({low:.1f} to {high:.1f} %; p {p:p})."
)
_OWN: Final = (
    "{own:list}, {estimate:+.2f} log-odds compared with {others:#system} of others ({lower:.2f} to"
    " {upper:.2f}; p {p:p}, across systems)."
)
ONE_RANKING: Final = "the likelihood ratio takes comparisons of one ranking as independent"
TESTS: Final = {
    # Classical tests. `{of:#pair}` are those that were compared.
    "pairs-differ": "{n:,} of {of:#pair} differ (p ≤ .05 after Holm's adjustment).",
    "pairs-differ-if-independent": "{n:,} of {of:#pair} differ (p ≤ .05 after Holm's adjustment)"
    " if all judgments are independent.",
    "pairs-differ-clustered": "{n:,} of {pairs} differ (p ≤ .05 after Holm's adjustment), with"
    " judgments correlated by {ways}; {independent:,} if all judgments were independent.",
    "no-pair-differs-clustered": "{none} significantly (p > .05 after Holm's adjustment),"
    " with judgments correlated by {ways}; {independent:#pair/pairs} would if all were"
    " independent.",
    "no-pair-testable": "No pair can be tested with judgments correlated by {ways};"
    " {independent:#pair/pairs} would differ if all were independent.",
    "no-pair-differs": "No pair differs significantly (p > .05 after Holm's adjustment).",
    "preferred": "{first} is preferred to {second} (p {p:p}, {how}).",
    "preferred-if-independent": "{first} is preferred to {second} (p {p:p}, {how}) if all"
    " judgments are independent.",
    "preferred-clustered": "{first} is preferred to {second} (p {p:p}, with judgments correlated"
    " by {ways}; {independent:p} if all were independent).",
    "not-preferred": "{first} is not shown to be preferred to {second} (p {p:p}, {how}).",
    "not-preferred-clustered": "{first} is not shown to be preferred to {second} (p {p:p}, with"
    " judgments correlated by {ways}; {independent:p} if all were independent).",
    "share-preferred": "{first} wins {share:.1f} % of decided comparisons (exact 95 % interval"
    " {low:.1f} to {high:.1f} %).",
    "order-agreed": ("{blocks} agree on an order (Friedman's test, p {p:p}; Kendall's W {w:.2f})."),
    "order-not-agreed": "{blocks} do not agree significantly on any order (Friedman's test, p"
    " {p:p}; Kendall's W {w:.2f}).",
    "correlated-unclustered": "Judgments are not independent: {repeats:list}. All p-values take"
    " them as independent and are too small; none that accounts for it can be given here ({why}).",
    "correlated-few": "Judgments are not independent: {repeats:list}. There are too few of them"
    " for clustered p-values: what is said is {limit}.",
    "clustered-limited": "Clustered p-values are {limit}.",
    "pairs-never-compared": "{n:#pair} never compared: not tested.",
    "pairs-never-compared-with": "{n:#pair} with {new} never compared: not tested.",
    "pairs-without-spread": "{n:#pair} without a clustered p, as all decided comparisons agree or"
    " one {way} made them: {names:list}.",
    "few-clusters-beside-rank": "With {effective:.0f} effective {factor}s evenhand rank, which uses"
    " the comparisons of all pairs, may decide other pairs: believe it, unless evenhand robustness"
    " finds that preferences are cyclic.",
    "no-model-beside": "No model beside the tests: {why}; evenhand fit says what to do.",
    "no-blocks": "No Friedman test: nothing tells one {by} from another here.",
    "no-friedman": "Not run: {why}.",
    "blocks-incomplete": "{n:,} of {of:,} {by}s did not see all systems and are excluded from"
    " Friedman's test ({names:list}).",
    # Classical tests of ratings; `{others}` are the counts, or p-values, of the other tests
    "scores-differ-clustered": "{n:,} of {of:#pair} differ{limit} (p ≤ .05, adjusted for all"
    " pairs), with scores correlated by {ways}. If items were independent and judges did not"
    " matter{others}.",
    "no-scores-differ-clustered": "No pair differs significantly{limit} (p > .05, adjusted for all"
    " pairs), with scores correlated by {ways}. If items were independent and judges did not"
    " matter{others}.",
    "scores-differ": "{n:,} of {of:#pair} differ by {test} (p ≤ .05 after Holm's adjustment) if"
    " items are independent and judges do not matter{others}.",
    "no-scores-differ": "No pair differs significantly by {test} (p > .05 after Holm's"
    " adjustment){others}.",
    "scores-better-clustered": "{first} scores better than {second}{limit} (p {p:p}, with scores"
    " correlated by {ways}). If items were independent and judges did not matter{others}.",
    "scores-not-better-clustered": "{first} is not shown to score better than {second}{limit} (p"
    " {p:p}, with scores correlated by {ways}). If items were independent and judges did not matter"
    "{others}.",
    "scores-better": "{first} scores better than {second} by {test} (p {p:p}) if items are"
    " independent and judges do not matter{others}.",
    "scores-not-better": "{first} is not shown to score better than {second} by {test}"
    " (p {p:p}){others}.",
    "scores-unbeaten": "No other system is shown to be better than {names}.",
    "systems-differ": "Systems differ {where} ({how}, p {p:p}) if {assumed}.",
    "systems-not-differ": "Systems do not differ significantly {where} ({how}, p {p:p}).",
    "not-clustered": "No clustered p-values: {why}.",
    "no-scores-testable": "No pair can be decided: systems were rated {how}. If items"
    " were independent and judges did not matter: {others}.",
    "pairs-not-clustered": "{n:,} of {of:#pair} without a clustered p-value: they rest on too few"
    " judges or items, or their scores do not vary.",
    "few-judges-tested": "{effective:.1f} effective judges: clustered p-values are large; {enough}"
    " or more would lower them.",
    "scores-unpaired": "{n:,} of {of:#pair} with one common item or none: of the classical tests"
    " only the rank sum tests them.",
    "scores-without-items": "There is no item column, so that nothing is paired: of the classical"
    " tests only the rank sum is made, and every score counts as an output. If items repeat, name"
    " them (--column item=NAME, in Python columns={{'item': 'NAME'}}).",
    "blocks-lack-systems": "{n:,} of {of:,} {by}s lack some system: Skillings and Mack's test uses"
    " them; Friedman's would exclude them.",
    # Clustered tests of covariates
    "one-each": "every group is one {by}: no test by {by}",
    "no-test-by": "no test by {by}: {why}",
    "never-tied": "{names:list} never tied: no clustered test",
    "numbers-as-groups": "{name} has {n} values for {of} {by}s, taken as groups",
    "one-ranking": ONE_RANKING,
    # Borders
    "border-holds": "Borders hold after {places:list}.",
    "border-holds-marginally": "Borders hold marginally only after {places:list}.",
    "borders-limited": "This is {limit}.",
    "border-not-shown": "No border is shown after {places:list}.",
    # Position bias and sides
    "position-bias": f"Position bias: {_FIRST}",
    "no-position-bias": f"No significant position bias: {_FIRST}",
    "llm-position": "{llm} has a position bias: " + _FIRST,
    "no-llm-position": "{llm} has no significant position bias: " + _FIRST,
    "llm-control": "{llm} prefers outputs with {more} {name}: {estimate:+.2f} log-odds per sd"
    " ({lower:.2f} to {upper:.2f}; p {p:p}).",
    "no-llm-control": "{llm}: no significant effect of {name}, {estimate:+.2f} log-odds per sd"
    " ({lower:.2f} to {upper:.2f}; p {p:p}).",
    "llm-excess": "The effect of {name} on {llm} differs from that on people by {excess:+.2f}"
    " log-odds ({excess_lower:.2f} to {excess_upper:.2f}; p {excess_p:p}).",
    "llm-prefers-own": "{llm} prefers {whom} more than people do: " + _OWN,
    "llm-disfavours-own": "{llm} prefers {whom} less than people do: " + _OWN,
    "no-own-preference": "{llm} has no significant preference for {whom}: " + _OWN,
    "own-by-slope": "The scale may explain this: log-worths by {llm} rise by {slope:two} for"
    " each 1 by people. Adjusted for that, the preference is {adjusted:+.2f} (p {adjusted_p:p}).",
    "own-these-systems": "{llm} and its own systems ({own:list}): {estimate:+.2f} log-odds, for"
    " these systems only ({these_lower:.2f} to {these_upper:.2f}; p {these_p:p}); {others:#system}"
    " of others are too few to say that it prefers its own.",
    "both-orders": "{llm} gives the same answer in both orders for {consistent:share} of"
    " {pairs:#output pair}{kappa_text}; it prefers the output shown first both times for"
    " {first_twice:,}, the one shown second for {second_twice:,} (exact p {p:p}).",
    "asked-again": "{llm} gives the same answer when asked again in the same order for"
    " {consistent:share} of {pairs:#output pair}{kappa_text}.",
    "copies": "{llm} gives the same answer again for {consistent:share} of {pairs:#output pair}:"
    " repeats are copies and measure nothing. Ask with changed order or wording.",
    "ceiling-of-llm": "The correlation of {llm} with people is {correlation:two}; noise limits it"
    " to {ceiling:two}. Corrected for noise it is {disattenuated:two}{limits}.",
    "above-ceiling": "The correlation of {llm} with people is {correlation:three}, and so above the"
    " {ceiling:three} to which noise would limit it: reliabilities (people {of_people:two}, LLM"
    " {of_llm:two}) are too uncertain to correct it.",
    "no-ceiling": "The correlation of {llm} with people is {correlation:two}, not corrected for"
    " noise: reliabilities (people {of_people:two}, LLM {of_llm:two}) are not both above"
    " {least:g}.",
    "llm-one-side": "{llm} preferred the output shown {side} in all {n:,} verdicts, so that its"
    " position bias has no bounds and its other biases cannot be estimated.",
    "llm-not-fitted": "{llm}: biases cannot be estimated, since {why}.",
    "people-not-fitted": "People's biases cannot be estimated, so no excess is shown: {why}.",
    "own-none": "{llm} is of family {family}, and none of the systems is: nothing shows whether it"
    " prefers its own.",
    "own-all": "{llm} is of family {family}, and so are all systems: nothing shows whether it"
    " prefers its own.",
    "own-unshared": "Own systems of {llm} are compared without {systems:list}, which {llm} and"
    " people did not both judge.",
    "no-llm-order": "{llm} saw each pair of systems in one order, or the order is not known: no"
    " position bias can be estimated.",
    "people-only": "What is said of people is {whom}.",
    "judges-differ": ("Judges differ: the sd of their biases is {sd:.2f} in log-odds (p {p:p})."),
    "judges-alike": "Judges do not differ significantly (p {p:p}).",
    "judges-equal": "Judges do not differ detectably (p {p:p}): the common estimate stands for"
    " each.",
    "judges-took-sides": "Judges nearly always took one side each (p {p:p}): the sd of their"
    " biases has no finite estimate below {limit:.0f} in log-odds, and judges are not compared.",
    "judges-stand-out": "Different from the others: {names:list}.",
    "judges-not-fitted": "Nothing is said of single judges: {why}",
    "judges-shrunk": "Estimates of judges are drawn to the common one as by a sd of {sd:.0f} in"
    " log-odds.",
    "judges-weighted": "Importance weights are no counts: judges are not tested one by one.",
    "correlated-in-rankings": "In results on judges, each comparison from one answer counts as"
    " 1/{inflation:.2f}.",
    # Bias of ratings
    "severity": "Judges differ in severity: the sd of their offsets is {sd:.2f} points (p {p:p}).",
    "no-severity": "Judges do not differ significantly in severity (sd {sd:.2f} points, p {p:p}).",
    "taste": "Judges differ in which systems they like: sd {sd:.2f} points of judge x system (p"
    " {p:p}).",
    "no-taste": "Judges do not differ significantly in which systems they like (p {p:p}).",
    "score-effect": "{name}: {estimate:+.2f} points per {unit} ({lower:z.2f} to {upper:z.2f}; p"
    " {p:p}).",
    "no-score-effect": "{name}: no significant effect, {estimate:+.2f} points per {unit}"
    " ({lower:z.2f} to {upper:z.2f}; p {p:p}).",
    "no-times": "No column says when scores were given: nothing is said of drift (--column"
    " shown_at=NAME).",
    "no-slope": "Nothing is said of {name}: {why}.",
    "no-spread-of-judges": "Nothing is said of how far judges differ: {why}.",
    "sides-uneven": "Sides were not randomised: {named}. {both:%} of the comparisons are of pairs"
    " shown in both orders, and the bias is taken to be the same in the others.",
}

# On held-out judgments: by cross-validation
HELD_OUT: Final = {
    "best": "{model} predicts held-out judgments best: perplexity {value:.3f} ({lower:.3f} to"
    " {upper:.3f}).",
    "lowest-perplexity": "{model} has the lowest perplexity on held-out judgments: {value:.3f}"
    " ({lower:.3f} to {upper:.3f}).",
    "alone": "{model} has perplexity {value:.3f} ({lower:.3f} to {upper:.3f}) on held-out"
    " judgments; no other model was compared.",
    "nothing": "No model predicted every judgment.",
    "clear-best": "Every other model is significantly worse at {level:%}.",
    "undecided": "Undecided at {level:%}: {models}.",
    "worse": "{model} is not among the best: worse than {other} by {value:.4f} bits"
    " ({lower:.4f} to {upper:.4f}).",
    "worse-too": "Also worse: {models}.",
    "model-refused": "{model} is not compared: {why}.",
    "training": "Each model was trained {times} times, on {many} of {of:,} {what}.",
    "empty-blocks": "{empty} of {blocks} blocks hold no {what} and are no fold.",
    "shared-training": "Trainings share judgments: intervals are for other held-out judgments, not"
    " for other training judgments.",
    "one-division": "Judgments were divided into folds once; another division may change which"
    " models are among the best (--repeats, in Python repeats=).",
    "blocks-judgment": "Judges and items are on both sides, which makes every model look better.",
    "no-such-column": "No {name} column: nothing is said of other {name}s.",
    "few-judges-held-out": "{judges:.1f} effective judges: intervals are wide; {enough} or more"
    " would narrow them.",
}
# Learning curves
CURVES: Final = {
    "lowest": "With {size:,} training comparisons {model} predicts best: perplexity {value:.3f}"
    " ({lower:.3f} to {upper:.3f}).",
    "no-model": "No model has a perplexity with {size:,} training comparisons: some trainings were"
    " refused.",
    "fewer": "Fewer train {tasks}.",
    "near": "Undecided, each compared alone: {models}.",
    "worse-curve": "{model} is worse by {value:.3f} ({lower:.3f} to {upper:.3f}).",
    "worse-curves": "{model} is worse by {value:.3f} ({lower:.3f} to {upper:.3f});"
    " {more:#more is/more are} worse still.",
    "one-size": "{model}: one training size, {size:,}, shows no gain.",
    "still-falling": "{model}: no smaller size comes within {margin:g} of the perplexity with"
    " {size:,} comparisons. The curve is still falling.",
    "enough": "{model}: {size:,} comparisons come within {margin:g} of the perplexity with"
    " {largest:,}.",
    "enough-surely": "{model}: {size:,} comparisons come within {margin:g} of the perplexity with"
    " {largest:,}; surely from {sure:,} on.",
    "gain-unknown": "Nothing is said of more comparisons.",
    "no-half": "No size is half of {size:,}: what a doubling gains was not measured, and nothing is"
    " said of more comparisons.",
    "gained": "The last doubling, to {size:,}, gained {gain:z.3f} ({lower:z.3f} to {upper:z.3f}).",
    "no-gain": "That is no gain: what more comparisons would bring is not known.",
    "perhaps-no-gain": "That may be no gain: what more comparisons would bring is not known.",
    "left": "All further comparisons could gain about {fast:.3f} to {slow:.3f} ({lower:.3f} to"
    " {upper:.3f} over the interval of that gain), if gains keep falling as errors do; the curve"
    " itself ends at {size:,}.",
    "some-tasks": "That rests on {filled:,} of {tasks:,} tasks: fewer than {size:,} comparisons"
    " train {smaller}.",
    "task-excluded": "Task {task} is excluded: {why}.",
    "small-sets": "Training sets smaller than {size:,} are used whole: {sets}.",
    "on-held-out-items": "{shared:,} training comparisons are on held-out items, by other judges:"
    " models of outputs may have seen these (--overlap drop, in Python overlap='drop', excludes"
    " them).",
    "one-subset": "One random subset of each size: intervals do not account for how much subsets"
    " differ (--trials, in Python trials=, draws several).",
    "trainings-refused": "{model}: {trainings:#training} refused, up to {size:,} comparisons; it"
    " has no perplexity at these sizes: {why}.",
}
# Nested models, each against an earlier one
NESTED: Final = {
    "criteria-independent": "Deviance, AIC, BIC and LR take judgments as independent.",
    "independent-except": "Deviance, AIC, BIC and LR take judgments as independent; where there is"
    " a clustered test, it decides.",
    "finer-tables": "Deviances {models} are of finer tables of counts and cannot be compared with"
    " the others: compare by LR or AIC.",
    "marginal": "Random judges are fitted to a marginal likelihood, which has no deviance.",
    "no-fit": "{model}: no fit: {why}.",
    "aic": "Smallest AIC: {models}.",
    "aic-equal": "Smallest AIC: {models} (equal to two decimals).",
    "aic-bic": "Smallest AIC: {models}; smallest BIC: {bic}.",
    "aic-equal-bic": "Smallest AIC: {models} (equal to two decimals); smallest BIC: {bic}.",
}
# Effects of judge groups
GROUPS: Final = {
    "effect": "{of} differ by {covariate} (p {p:p}).",
    "no-effect": "Not significant at .05 that {of} differ by {covariate} (p {p:p}).",
    "no-tests": "No test: a covariate has one value only, or covariates say the same.",
    "no-ratio": "no likelihood ratio: a prior or importance weights leave none to test by",
    "no-clustered-test": "no test accounts for correlated judgments",
    "larger-p": "believe the larger p",
    "others-alike": "No other difference is significant at .05: the largest |z| is {z:.1f}"
    " ({label}).",
    "all-alike": "No difference is significant at .05: the largest |z| is {z:.1f} ({label}).",
    "by-holm": "p by Holm for {differences:#difference} from the reference group; judgments taken"
    " as independent.",
}
# What is new in held-out judgments
BLOCKS: Final = {
    "judge": "no judge is on both sides",
    "item": "no item is on both sides",
    "both": "neither a judge nor an item is on both sides",
    "ranking": "no ranking is on both sides",
    "judgment": "judges and items may be on both sides",
}

say: Final = Templates(RANKINGS | TESTS | HELD_OUT | CURVES | NESTED | GROUPS)


def say_clusterings(clusterings: Sequence[str]) -> str:
    """Say what intervals account for.

    >>> say_clusterings(("judge", "item")), say_clusterings(())
    ('Intervals account for judges and items.', 'Intervals take judgments as independent.')
    """
    known = [f"{one}s" for one in clusterings if one != "judgment"]
    if not known:
        return "Intervals take judgments as independent."
    return f"Intervals account for {' and '.join(known)}."


# Robustness: how few carry a conclusion, other choices, cycles
_TEST: Final = "(X² {statistic:.1f} on {df} df, {noise:.1f} from noise alone, p {p:p}; {by})"

say_of_robustness: Final = Templates(
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
        "lead-changes": "The lead is not robust to choices: {first} leads, but not in"
        " these rankings: {under:list} ({others:list}).",
        "lead-changes-level": "The lead is not robust to choices: {first} lead, level, but not"
        " in these rankings: {under:list} ({others:list}).",
        "pairs-robust": "All decided pairs ({pairs:,}) hold in all {n} rankings.",
        "pairs-only": "{pairs:#pair} decided in the only ranking there is.",
        "pairs-not-robust": "{lost:,} of {pairs:,} decided pairs do not hold in all {n} rankings.",
        "no-pairs-default": "The default decides no pair, so there is none to lose.",
        "no-pairs-asked": "The ranking that was asked for decides no pair: none can be lost.",
        "pair-reversed": "{pair} is reversed in these rankings: {under:list}.",
        "pair-undecided": "{pair} is undecided in these rankings: {under:list}.",
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


# Boards that are watched while votes arrive
say_of_boards: Final = Templates(
    {
        "decided": (
            "{n:,} of {pairs:,} pairs are decided for this panel of judges and these items, if"
            " votes are independent."
        ),
        "held-one": "1 more pair is decided by votes but held back, because {why}: {names:list}.",
        "held-several": "{n:,} more pairs are decided by votes but held back, because {why}:"
        " {names}.",
        "decided-by-judges": "{n:,} of {pairs:,} pairs are decided by judges, one vote each.",
        "no-votes": "Nobody leads: there are no votes.",
        "not-joined": "Nobody leads now: {why}.",
        "level": "Nobody leads now: {names} are level.",
        "best": "{first} is decided to be the best.",
        "best-left": "{first} is decided to be the best of the systems that remain.",
        "leads": "{first} leads now; not decided against {names}.",
        # What must stand beside a board
        "planned": "The plan is the file with SHA-256 {digest}.",
        "unplanned-rows": "Not in the plan: {what:list}. What is decided may depend on it.",
        "unplanned-systems": "Not in the plan: {names:list}. Only votes by the model decide pairs"
        " with systems that came later.",
        "withdrawn": "Withdrawn: {names:list}. Votes on withdrawn systems still count towards"
        " decisions about the others.",
        "no-votes-yet": "In the plan, but without votes so far: {names:list}.",
        "variants": "Variants of {owner}: {names:list}. All pairs share one level, so decisions"
        " about the best variant need no correction; its log-worth is not corrected.",
        "systems-not-named": (
            "Direct votes and judges count once {needed:,} votes have named the systems, or from"
            " the start where all are named there (--systems)."
        ),
        "came-later": (
            "{names} came later: direct votes and judges decide only pairs of systems that were"
            " named before; --systems names all at the start."
        ),
        "judges-needed": (
            "{closed:,} judges have given {size} votes; to decide a pair takes at least {needed}"
            " who agree."
        ),
        "few-judges": (
            "These judges are too few to stand for others: what is decided is about them alone, and"
            " other judges may decide otherwise."
        ),
        "not-confirmed": "Nothing is confirmed: {why}.",
        "groups-apart": (
            "These groups were never compared with each other, and each is ranked by itself:"
            " {groups}."
        ),
        "groups-one-way": (
            "Votes go both ways only inside these groups, each of which is ranked by itself:"
            " {groups}."
        ),
        "no-order-of-rows": (
            "This table keeps no order of its rows: rankings are taken sorted by all their columns;"
            " open the file itself for the order in which they stand."
        ),
        "no-times": (
            "No column tells when judgments were given: they are taken in the order of their rows."
        ),
        "one-pair-of-each": (
            "The vote of an answer with several pairs (a ranking, a merged output) is one pair,"
            " drawn at random (seed {seed}); {n:,} others are excluded."
        ),
    }
)


# Whether a new system may replace an old one
say_of_gates: Final = Templates(
    {
        "passed": "{new} may replace {old}{where}: {shown}, at least {lower}, where more than"
        " {limit} is needed{headline}.",
        "better": "{new} may replace {old}{where} and is better: {shown}, at least {lower}"
        "{headline}.",
        "equivalent": "{new} may replace {old}{where}, and the difference is within the margin"
        " either way: {shown}, {lower} to {upper}, where more than {limit} is needed{headline}.",
        "worse": "{new} is worse than {old}{where} by more than the margin: {shown}, at most"
        " {upper}, where more than {limit} is needed{headline}.",
        "undecided": "It is not decided whether {new} may replace {old}{where}: {shown},"
        " {lower} to {upper}, where more than {limit} is needed{headline}.{more}",
        "votes": "It is not decided whether {new} may replace {old}{where}: {shown}, {lower} to"
        " {upper}, where more than {limit} is needed. Direct votes are not yet enough"
        " evidence for an anytime decision (log e {evidence:two}){headline}.{more}",
        "adjusted-pass": "It is not decided whether {new} may replace {old}{where}: {shown},"
        " {lower} to {upper}, where more than {limit} is needed. By itself it would pass, but not"
        " by the p-value that is adjusted for all comparisons{headline}.",
        "adjusted-worse": "It is not decided whether {new} may replace {old}{where}: {shown},"
        " {lower} to {upper}, where more than {limit} is needed. By itself it would be worse by"
        " more than the margin, but not by the p-value that is adjusted for all"
        " comparisons{headline}.",
        "needed-pass": "About {n:#more judgment} of these systems{cost} would show that it passes,"
        " if further judges and items are like these.",
        "needed-worse": "About {n:#more judgment} of these systems{cost} would show that it is"
        " worse by more than the margin, if further judges and items are like these.",
        "too-close": "Even a hundred times as many judgments like these would not decide it: it is"
        " too close to what is needed.",
        "few-judges": "{judges:#judge}{uneven} cannot stand for others. Add {more} or more, better"
        " {better}, or decide for {these} only ({how})",
        "few-items": "{items:#item} cannot stand for others. Add {more} or more, or decide for"
        " {these} only ({how})",
        "alike-judges": "nothing shows how other judges might differ. Add judges, or decide for"
        " {these} only ({how})",
        "all-alike": "{votes:#direct vote}, all for {better}, so that the bound is that of"
        " {units:#vote}{whose}{enough}.",
        "all-ties": "{votes:#direct vote}, all ties, so that the bound is that of"
        " {units:#vote}{whose}{enough}.",
        "barred": "It cannot be decided whether {new} may replace {old}{where}: {why}.",
        "unknown": "It is not known whether {new} may replace {old}{where}: {why}.",
        "several-passed": "{which} may replace {old}{where}{headline}.",
        "several-worse": "{which} {verb} worse than {old} by more than the margin; {passed} of {of}"
        " pass.",
        "several-undecided": "It is not decided whether {which} may replace {old}; {passed} of {of}"
        " pass.",
        "planned": "As planned in the file with SHA-256 {digest}.",
        "planned-else": "Otherwise as planned in the file with SHA-256 {digest}.",
        "unplanned": "Not in the plan: {what}.",
        "exploratory": "Exploratory, so that nothing is decided by the plan.",
        "log": "Head of the campaign's log: {head}. Whether the log was cut or changed since, shows"
        " {check}",
        "moved": "{moved:#answer} deleted, or changed after all had been given",
        "early": "It is not decided yet: the plan decides once, at the end, and {remaining:#answer}"
        " {remains} to come.",
        "early-vacant": "It is not decided yet: the plan decides once, at the end, and"
        " {remaining:#answer} {remains} to come, {vacant:,} of them at free seats: invite judges to"
        " these.",
    }
)
