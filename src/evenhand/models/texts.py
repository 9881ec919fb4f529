"""What fits say: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

# Log-linear models
LOG_LINEAR: Final = {
    "odds": "{better} is preferred to {other} at odds of {odds:.2f} to 1.",
    "largest": "{system} has the largest log-worth by its estimate: {value:.2f} above the mean.",
    "worths-differ": "Worths differ between systems: LR {statistic:,.4f} on {df} df, p {p:p}.",
    "worths-equal": "Not significant at .05 that worths differ between systems: LR"
    " {statistic:,.4f} on {df} df, p {p:p}.",
    "model-rejected": "The judgments differ from the model by more than chance, if they are"
    " independent.",
    "thin-cells": "{part:%} of cells expect fewer than 5 judgments: p-values of the fit are rough.",
    "importance-weights": "Importance weights are no counts: standard errors, p, AIC and BIC depend"
    " on their unit; rank gives sandwich intervals.",
    "of-rankings": "Comparisons of one ranking are not independent: standard errors and p are too"
    " small; rank clusters them.",
    "too-many-systems": "{systems:#system}: too many for standard errors; rank compares neighbours"
    " at the top.",
    "home-group": "Coefficients without a group are those of '{group}', as are worths.",
    "no-ties": "No ties observed: γ = −∞, not estimated; fitted without ties.",
    "no-ties-threshold": "No ties observed: τ = 0, not estimated; fitted without ties.",
    "no-ties-of": "No ties observed of {levels}: γ = −∞ there, not estimated.",
    "no-ties-of-home": "No ties observed of {levels}: γ = −∞ there, not estimated; g1 is that of"
    " {group}.",
    "style-controls": "Style is {controls:list}, each as (left − right) / (left + right + 1).",
    "control-sign": "{control} is never {where} 0. Is it a difference, left minus right? A column"
    " for each side is written NAME=LEFT,RIGHT.",
}
# Random judges
_SIGMA: Final = "σ = {sigma:.2f} ({lower:.2f} to {upper}; {level} interval)"
_BOUND: Final = "σ = {sigma:.2f} at most (no interval: answers are rankings)"
RANDOM_JUDGES: Final = {
    "judges-differ": f"Judges differ in taste: {_SIGMA}.",
    "judges-differ-bound": f"Judges differ in taste: {_BOUND}.",
    "judges-alike": f"Not significant at .05 that judges differ in taste: {_SIGMA}.",
    "judges-alike-bound": f"Not significant at .05 that judges differ in taste: {_BOUND}.",
    "judges-untested": f"Tastes of judges: {_SIGMA}; whether judges differ is not tested.",
    "judges-untested-bound": f"Tastes of judges: {_BOUND}; whether judges differ is not tested.",
    "tastes": "Of two systems equal to the mean judge, a judge prefers his or her favourite in"
    " {favourite:.0f} % of the answers without ties; where the mean judge sees a log-worth of 1"
    " between two systems, {reverse:.0f} % of the judges hold the opposite.",
    "sigma-test": "Test of σ = 0: LR {statistic:.4f}, p {p:p} (½χ²₀ + ½χ²₁; judges taken as"
    " independent).",
    "deal-test": "Test of σ = 0: p {p:p} ({deals} random permutations of rankings between judges);"
    " estimated by moments σ is {sigma:.2f}, and {dealt:.2f} where rankings are permuted.",
    "sigma-untested": "σ = 0 is not tested.",
    "integrals-checked": "Integrals checked by {draws} draws for each of {blocks:,} blocks"
    " ({effective:%} effective): σ would move by {sigma_shift:+.4f} (Monte Carlo error"
    " {sigma_error:.4f}), the log-likelihood by {loglik_shift:+.3f} ({loglik_error:.3f}).",
    "few-judges-taste": "{judges} judges are too few to estimate how much judges differ: σ is about"
    " these, and contrasts ± 1.96 standard errors cover less than 95 % (0.82 of simulated"
    " contrasts of 2 judges, 0.83 of 3, 0.90 to 0.94 of 5).",
    "sigma-of-rankings": "Comparisons of one ranking are correlated, which σ takes for taste: σ is"
    " an upper bound, without interval; the test permutes rankings between judges. Fit one"
    " comparison of each ranking to see the taste alone.",
    "sigma-of-merged-rankings": "Comparisons of one ranking are correlated, which σ takes for"
    " taste: σ is an upper bound, without interval or test, since the data do not tell rankings"
    " apart. Fit one comparison of each ranking to see the taste alone.",
    "sigma-uncertain": "The answers hardly say how much judges differ: more judgments per judge are"
    " needed.",
    "sigma-zero": "σ is 0, the edge of what it can be: standard errors take judgments as"
    " independent.",
    "integrals-unchecked": "Importance sampling checks the integrals badly: of {draws} draws"
    " {worst:.1%} count for some judges.",
    "integrals-poor": "The integrals over tastes are poor: σ would move by {sigma_shift:+.3f}.",
}
# Slopes of judges
SLOPES: Final = {
    "slopes": "Judges' slopes: τ {tau:.3f}, 95 % interval {lower:.3f} to {upper} ({method}); half"
    " of all judges lie between {low:.2f} and {high:.2f}.",
    "slopes-of-rankings": "Judges' slopes: τ {tau:.3f}, too large on rankings.",
    "slopes-differ": "Judges differ in how sharply they tell systems apart, if they differ in"
    " nothing else: LR of τ = 0 {statistic:.4f}, p {p:p} (½χ²₀ + ½χ²₁). Differences of taste look"
    " the same; compare --model random-judges.",
    "slopes-alike": "Not significant at .05 that judges differ in how sharply they tell systems"
    " apart: LR of τ = 0 {statistic:.4f}, p {p:p} (½χ²₀ + ½χ²₁).",
    "slopes-untested": "τ = 0 is not tested: judges who do not differ have a τ on rankings, too.",
    "slopes-loglik": "Log-likelihood {loglik:.4f}, without slopes {flat:.4f}.",
    "flattest": "Flattest: {slopes}.",
    "nodes": "{nodes} nodes per judge; twice as many change the log-likelihood by {error:.0e}.",
    "only-ties": "{judges:#judge} gave only ties: no slope.",
    "no-weight": "{judges:#judge} gave no judgment with a weight: no slope.",
    "tau-of-rankings": "Comparisons of one ranking are correlated, which τ takes for a difference"
    " of judges: no test and no interval; intervals of slopes and worths take comparisons as"
    " independent.",
    "few-judges-slopes": "{judges} judges are too few to estimate how much judges differ: intervals"
    " are too short.",
    "tau-zero": "τ = 0: judges are not distinguished, and every slope is 1.",
    "tau-end-lost": "An end of the interval of τ was not found: its likelihood cannot be followed.",
    "tau-unbounded": "The judgments hardly say how much slopes differ: τ has no upper end.",
}
# Rankings of several outputs
ORDERS: Final = {
    "tie-parameter": "{label}: {symbol} {value:.4g} ({level:.0%} {lower:.4g} to {upper:.4g}).",
    "orders-deviance": "Deviance {deviance:.4f} on {df:,.0f} df, which tests no fit.",
    "orders-independent": "Standard errors take rankings as independent of each other.",
    "plain-plackett-luce": "No ties observed: plain Plackett-Luce.",
    "plain-pattern": "No ties observed: patterns without ties.",
    "missing-tie-sizes": "Ties of {largest} outputs were seen, but none of {missing}: these have"
    " δ = 0.",
    "single-output": "{rankings:#ranking} of one output only: nothing to compare",
}
# Item-response models of outputs
ITEM_RESPONSE: Final = {
    "most-able": "{system} is the most able with probability {chance:%}: {value:.2f} (95 %"
    " {lower:.2f} to {upper:.2f}).",
    "least-able": "{system} is the least able by its estimate: {value:.2f} (95 % {lower:.2f} to"
    " {upper:.2f}).",
    "gaussian-scale": "Abilities are posterior means less the mean of all, in units of a judge's"
    " noise sd {noise:g}; prior sd {prior:g}, outputs of one system differ by sd {item:g}, no"
    " preference within {radius:g}.",
    "gaussian-chains": "{chains:#chain} of {draws:,} draws: R-hat at most {r_hat:.3f}, worth"
    " {effective:,.0f} independent draws or more.",
    "best-quality": "{system} has the best mean quality: {value:.2f} of {categories}, posterior sd"
    " {sd:.2f}.",
    "categorical-scale": "Qualities are steps of a scale of {categories}, seen by judges with noise"
    " of sd {noise:g} step; no preference within {radius:g}.",
    "categorical-chains": "{draws:,} draws: R-hat of log-worths at most {r_hat:.3f}, worth"
    " {effective:,.0f} independent draws or more; R-hat of differences in mean quality at most"
    " {quality_r_hat:.3f}.",
    "judges-pooled": "Posterior spread takes answers as independent given qualities: judges are not"
    " distinguished.",
    "gaussian-not-converged": "Chains do not agree yet, R-hat above {limit}: {systems}; take more"
    " sweeps than {sweeps:,}: `evenhand rank --sweeps {more}`, in Python"
    " IRTGaussian(sweeps={more}).",
    "categorical-not-converged": "Chains do not agree yet on log-worths, R-hat above {limit}:"
    " {systems}; take more sweeps than {sweeps:,}: `evenhand rank --sweeps {more}`, in Python"
    " IRTCategorical(sweeps={more}).",
    "qualities-not-converged": "Chains do not agree on mean qualities, R-hat above {limit}:"
    " {systems}; judgments hardly say where on the scale all systems lie together, and log-worths"
    " hardly depend on it.",
    "no-items": "The data do not say which item was judged: every comparison is taken to show two"
    " outputs of its own.",
    "no-items-of-rankings": "The data name no items: every ranking is taken to show outputs of its"
    " own.",
    "never-compared": "Never compared, so that the prior alone places them: {systems:list}.",
    "unlinked-groups": "No comparison links these groups, so that the prior alone says how they"
    " compare: {groups}.",
}
# Baselines
BASELINES: Final = {
    "no-errors": "No standard errors, tests or intervals: this model describes, it tests nothing.",
    "pairs-compared": "{compared:,} of {pairs:,} pairs were compared.",
    "met-equally": "Each system is taken as if it had met the others equally often.",
    "same-for-all": "Chance of a tie {tie:.4f}, of left and right {side:.4f} each.",
    "unseen-pairs": "No judgment is on {systems:list}: all outcomes are equally likely for their"
    " pairs.",
    "unseen-systems": "No judgment is on {systems:list}: all outcomes are equally likely for it.",
    "one-sided-chances": "Only the system named first counts: what is said of (a, b) and of (b, a)"
    " need not agree.",
    "few-levels": "{levels} {name}s say little of how {name}s differ.",
}
# Variance components of ratings
COMPONENTS: Final = {
    "intervals-approximate": "intervals are from the information, on the scale of log sd, and"
    " nothing is tested: profiles would take too long on data of this size",
    "likelihood-flat": "intervals are from the information, on the scale of log sd, and nothing"
    " is tested: the likelihood is too flat for profiles",
    "moments-large": "variances are moment estimates (Henderson's first method), without"
    " intervals: judges, systems and items are too many for restricted likelihood; take one"
    " task, or a part of the items",
    "moments-quick": "variances are moment estimates (Henderson's first method), without"
    " intervals and tests, which take longer",
    "systems-fixed": "systems are fixed: their variance is that of these systems' means, less"
    " error",
    "one-level": "there is one {name}: nothing can be said of how {name}s differ",
    "too-few-to-tell": "{name} cannot be told from the {other}: only {scores:,} of {of:,}"
    " scores would tell them apart",
    "in-the-means": "{name} cannot be told from the systems: standard errors do not account for it",
    "confounded": "{name} cannot be told from {others}: {why}",
}
# Labels of units
LABELS: Final = {
    "labels": "{labelled:,} of {units} have a label, {sure:,} of them with a probability of"
    " {level:g} or more.",
    "label": "{labelled:,} of {units} has a label, {sure:,} of them with a probability of"
    " {level:g} or more.",
    "shares": "Labels: {shares}.",
    "skills": "{measure} of judges: median {median:.2f}, 10th percentile {low:.2f}, 90th"
    " percentile {high:.2f}.",
    "other-models": "Share of labels that other models give too: {shares}.",
    "controls": "{n:#judgment} of controls excluded.",
    "ties": "{n:#tie} excluded",
    "pairs-of-rankings": "Pairs of one ranking count as independent answers, which they are"
    " not: labels look more certain than they are.",
    "positions-unknown": "It is not known which output stood first: half of the pairs are"
    " reversed.",
    "no-items": "No column names the item: each system counts as one output.",
    "repeated-answers": "{n:#answer repeats/answers repeat} one of the same judge to the same"
    " unit. Each counts, so labels look more certain than they are.",
    "single-answers": "{n:#unit has/units have} one answer only.",
    "two-answers": "No unit has more than two answers. Where they differ, the label rests on"
    " the judges' other answers and on the prior, and is uncertain.",
    "no-label": "{n:#unit has/units have} no label: two labels are equally probable.",
    "few-answers-per-judge": "Half of all answers come from judges who gave {usual:,} or fewer."
    " Below {needed} answers each, the reliability of judges is uncertain, and probabilities"
    " near 1 are too high: in simulations with two labels, up to 15 % of the labels called"
    " {level:%} probable were wrong at 50 answers per judge, up to 8 % at 100.",
    "threshold": "Threshold {share:g}: the labels of the {n:,} least certain units are withheld.",
    "label-switching": "Where the label is '{label}', most answers are '{other}'. Labels may"
    " be swapped: do not use them.",
    "reversed-judges": "Where the label is '{label}', {n:,} of {judges:#judge} more often gave"
    " another answer: {names:list}.",
    "not-converged": "The fit had not converged after {steps:#iteration}: allow more.",
    "equal-optima": "{n:,} different solutions fit equally well: probabilities are their mean.",
    "single-optimum": "Only one of {starts} starts reached this solution; the next is"
    " {difference:,.1f} nats lower. Allow more starts.",
}
say: Final = Templates(
    LOG_LINEAR | RANDOM_JUDGES | SLOPES | ORDERS | ITEM_RESPONSE | BASELINES | COMPONENTS
)
say_labels: Final = Templates(LABELS)  # Of its own: labels and fits both have the code no-items
# Ratings
RATINGS: Final = {
    "one-system": "{ratings:,.0f} of {of:,.0f} ratings are of {factor}s with one system only, and"
    " say nothing about differences between systems.",
    "other-items": "{groups:list} were rated {by} different {factor}s, so differences between"
    " {factor}s and between these systems cannot be separated: only effects of {links}s are"
    " removed.",
    "unlinked": "{cause}: such pairs are not decided.",
    "unlinked-random": "{cause}: differences between these groups hold only if judges and items"
    " were assigned to systems at random.",
    "not-removed": "Every {factor} has one system only, so that differences between {factor}s"
    " cannot be removed.",
    "repeats-count": "{n:#score repeats/scores repeat} one of the same judge for the same output,"
    " and count as independent of it.",
    "no-tastes": "Tastes of judges for systems are not in the model: intervals are too short where"
    " judges have them (use --model adjusted or mixed).",
    "one-level-each": "There is one {name}: no differences between {name}s are fitted.",
    "one-score-each": "Each {name} has one score: differences between {name}s are not fitted.",
    "one-output-each": "Each item has one output: differences between outputs are those of items.",
    "systems-differ": "Systems differ: F({df}, {below:.1f}) = {statistic:.2f}, p {p:p}.",
    "systems-alike": "Not significant at .05 that systems differ: F({df}, {below:.1f}) ="
    " {statistic:.2f}, p {p:p}.",
}
say_ratings: Final = Templates(RATINGS)
