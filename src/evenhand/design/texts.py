"""What is said of pairs and outputs to ask about, of plans and of designs: its texts."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

say: Final = Templates(
    {
        # Next pairs
        "pairs": "{pairs:#pair} to ask about next: {kinds}.",
        "policy": "{judgments:#judgment}, {systems:#system}. Policy {rule}: {title}.",
        "policy-with-random": "{judgments:#judgment}, {systems:#system}. Policy {rule}: {title};"
        " {share:%} of them at random.",
        "start-up-few": "The start-up phase comes first: {few} of {of} systems with fewer than"
        " {start} judgments.",
        "start-up-parts": "The start-up phase comes first: no chain of judgments joins all systems"
        " ({parts} parts, such as {names}).",
        "sort-under-way": "The sort has not ended: the votes decide {decided} of at most"
        " {most:#question}.",
        "sort-ended": "The sort has ended, by {decided:#question}: {order}. Further judgments go to"
        " pairs near each other in this order; rank FILE says what is certain.",
        "pairs-repeated": "{repeated:,} of {of:#possible pair} asked about more than once before"
        " an answer comes, in {rows:,} of {asked:#question}: use different judges or items for"
        " them, or a smaller batch.",
        "only-pair-repeated": "The only pair is asked about more than once before an answer comes:"
        " use different judges or items for it, or a smaller batch.",
        "top-decided": "Nothing is left to decide about the first {top}: each system is among them"
        " with probability above 0.99 or below 0.01, if judgments are independent.",
        "doubt-independent": "“Little doubt” takes judgments as independent: a ranking that"
        " accounts for judges and items may leave such a pair undecided.",
        # What a policy would have saved
        "saves": "On these judgments {rule} saves {percent:.0f} % ({error}).",
        "saves-undecided": "Whether {rule} saves judgments cannot be determined: {percent:.0f} %"
        " saved on these judgments ({error}).",
        "costs-more": "On these judgments {rule} takes {percent:.0f} % more than random pairs"
        " ({error}).",
        "costs-at-least": "On these judgments {rule} takes at least {percent:.0f} % more than"
        " random pairs ({error}).",
        "replay-error": "error of the replays alone, 95 %: {low:.0f} to {high:.0f} %,"
        " {replays:#replay}",
        "replays-few": "{replays:#replay}, too few for an interval: use {least} or more",
        "agreement-reached": "Random pairs agree with all {of:,} judgments by {agreement:.2f}"
        " ({measure}) after {random:,.0f} judgments, {rule} after {chosen:,.0f}.",
        "agreement-not-reached": "Random pairs agree with all {of:,} judgments by {agreement:.2f}"
        " ({measure}) after {random:,.0f} judgments, {rule} not after {chosen:,.0f}.",
        "prefer-random": "Prefer random pairs here: {rule} takes more judgments than they do.",
        "replays-end": "Replays end at {last:,} judgments: whatever takes more counts as {last:,},"
        " which is {percent:.0f} % more than random pairs take.",
        "pairs-emptied": "{share:%} of the policy's judgments are on pairs that it emptied"
        " ({per_pair:.1f} judgments a pair): with judges it would have gone on asking there, and"
        " what it saves then these data cannot show.",
        # Next outputs beside verdicts of LLM judges
        "sampled": "{pairs:#pair} of outputs to judge next, of {of:,} with verdicts that people"
        " have not judged.",
        "sampled-random": "{verdicts:#verdict} of LLM judges. Policy random: all pairs of outputs"
        " have the same probability. People judged {judged:,}.",
        "sampled-uncertainty": "{verdicts:#verdict} of LLM judges. Policy uncertainty: {n:,} pairs"
        " of outputs on average, with higher probabilities where verdicts are divided. People"
        " judged {judged:,}.",
        "sampling-recorded": "Keep column {column} beside the judgments: rank --llm weights them by"
        " 1 / this probability, and without it the ranking is biased.",
        "sampled-before": "The {judged:#pair} judged before are taken as a random sample, and one"
        " sample with the new ones: give their judgments {chance:.6g} in column {column}, whatever"
        " stands there.",
        "uncertainty-gains-little": "Do not expect fewer judgments: in simulated campaigns the"
        " variance was from 5 % smaller to 2 % larger than with equal probabilities.",
        # Next outputs
        "outputs": "{outputs:#output} to rate next, of {of:,} without a rating: {kinds}.",
        "query": "{labelled:#output} with ratings, {waiting:,} without. Policy {query}; features:"
        " {features}.",
        "chosen-uncertainty": "Chosen are the outputs whose ratings are predicted with the least"
        " certainty.",
        "chosen-density": "Chosen are the outputs whose ratings are predicted with the least"
        " certainty, among those that many others resemble.",
        "spread": "sd: what remains once the outputs above are rated",
        "start-up-outputs": "Outputs are drawn at random until {least} have ratings ({labelled}"
        " have): fewer say too little of the features.",
        "labels-uneven": "Labels are means of {least} to {most} ratings, and the model has one"
        " noise for all of them: it takes means of few ratings to be as certain as those of many.",
        # Queries replayed
        "verdicts-gain": "With {verdicts:#verdict} on other outputs by an LLM that gives people's"
        " answer in {agreement:%} of the cases, {judgments:,} judgments on as many items are as"
        " precise as about {counts}; several on one item gain more. Within a pair of systems,"
        " answers by people and LLM then have correlation {correlations}. Verdicts do not reduce"
        " errors from tastes of judges.",
        "full-pool": "With all {pool:,} labels, predictions are off by {mae:.3g} points on average"
        " ({tests:,} test outputs, whose labels have standard deviation {spread:.3g}).",
        "labels-do-not-help": "Labels do not help here: predictions with {start:,} of them are off"
        " no more than with all {pool:,}.",
        "label-shares": "Share of the labels needed to stay within {slack:g} % of that: {shares}"
        " (95 % intervals over other test items and replicates).",
        "label-shares-wider": "Within {slack:g} %: {shares}.",
        "labels-fewer": "{query} needs {amount:.0f} % fewer labels than random ({low:.0f} to"
        " {high:.0f}).",
        "labels-more": "{query} needs {amount:.0f} % more labels than random ({low:.0f} to"
        " {high:.0f}).",
        "labels-undecided": "Whether {query} needs fewer labels than random cannot be determined"
        " ({low:.0f} to {high:.0f} % fewer).",
        "error-undecided": "Whether {query} is off by less than random over the whole curve cannot"
        " be determined ({low:.2g} to {high:.2g} points less, over other test items and"
        " replicates).",
        "error-less": "Over the whole curve {query} is off by {amount:.2g} points less than random"
        " ({low:.2g} to {high:.2g}, over other test items and replicates).",
        "error-more": "Over the whole curve {query} is off by {amount:.2g} points more than random"
        " ({low:.2g} to {high:.2g}, over other test items and replicates).",
        "repeats-few": "{repeats} replicates are too few to tell whether a part of the pool beats"
        " all of it: use {least} or more.",
        "no-part-better": "No part of the pool is shown to beat all of it (smallest p {p:p},"
        " adjusted for all sizes and queries).",
        "part-better": "A part of the pool beats all of it: {query} with {labels:,} labels"
        " ({share:%} of all) is off by {less:.2g} points less (p {p:p}, adjusted for all sizes"
        " and queries).",
        "part-better-at-least": "A part of the pool beats all of it: {query} with {labels:,} labels"
        " ({share:%} of all) is off by {less:.2g} points less, at least {least:.2g} (p {p:p},"
        " adjusted for all sizes and queries).",
        "pool-fixed": "The pool is the same in every replicate: intervals are over the labels at"
        " the start and over other test items, not over other outputs to learn from.",
        "tests-few": "{tests} test outputs: errors of the full pool are only roughly known.",
        # Plans
        "plan-basis": "{systems:#system} {source}: {ties:%} ties, sd of judges' tastes"
        " {judge_sd:.2g}, of items {item_sd:.2g} (log-worth). {how}; rank sets at level {level:g}.",
        "plan-basis-rated": "Scores of {systems:#system} {source}: sd of judges' tastes"
        " {judge_sd:.3g}, of items {item_sd:.3g}, of one score by chance {noise_sd:.3g} (points)."
        " {how}; rank sets at level {level:g}.",
        "gate-basis": "A new system and an old one, {source}: {sds}. Margin {margin}; α ="
        " {alpha:g}.",
        "gate-power": "With {design}, a new system that is {what} passes in {power:share} of"
        " campaigns.",
        "gate-short": "That is less than the {wanted:share} that are wanted.",
        "design": "{design}.",
        "design-cost": "{design}, cost {cost:,.10g}.",
        "power-of-pair": "{pair} is decided with power {power}.",
        "power-of-all": "All {pairs} pairs are decided with power {power} or more; hardest:"
        " {pair}.",
        "power-of-pair-unclear": "{pair} is decided with power {power}; asked: {wish:g}, from which"
        " {campaigns} simulated campaigns cannot tell it.",
        "power-of-all-unclear": "All {pairs} pairs are decided with power {power} or more; hardest:"
        " {pair}; asked: {wish:g}, from which {campaigns} simulated campaigns cannot tell it.",
        "power-of-pair-short": "{pair} is decided with power {power}, short of {wish:g}.",
        "power-short": "{reached} of {pairs} pairs reach power {wish:g}; hardest: {pair} {power};"
        " short: {short}.",
        "error-of-difference": "Standard error of the difference {error:.2g} ({unit}); its"
        " variance is due to {shares}.",
        "error-of-hardest": "Standard error of the hardest difference {error:.2g} ({unit}); its"
        " variance is due to {shares}.",
        "detectable": "A difference of {least:.3g} points is expected to be decided with power"
        " {power:g}.",
        "detectable-of-many": "A difference of {least:.3g} points is expected to be decided with"
        " power {power:g}, even where all other systems are equal.",
        "overlap-alike": "As many judgments with 2 judges for each {output}, or with each"
        " {one} shown twice to one judge: expected power {power:.2f}, as with neither.",
        "overlap": "As many judgments with 2 judges for each {output}: expected power"
        " {two:.2f}; with each {one} shown twice to one judge: {twice:.2f}; with neither:"
        " {neither:.2f}.",
        "settings": "For the campaign file: {settings} ({judgments:#judgment}).",
        "enough": "Enough would be {design}.",
        "enough-doubtful": "Enough would be {design}, if the closed form holds: here it expects too"
        " much.",
        "nothing-enough": "No design that was tried would do.",
        "closed-form-unclear": "The closed form expects {expected:.2f} of this design, so that it"
        " does not say what would do: state more judgments.",
        "sizes-short": "{sizes} sizes were simulated, of {least:,} to {most:,} judgments, and none"
        " reaches it: state a larger number (judgments), or more judges.",
        "unranked-the-cause": "Campaigns whose worths have no estimate are the cause ({unranked} of"
        " {campaigns}).",
        "unranked-a-cause": "Campaigns whose worths have no estimate are a cause ({unranked} of"
        " {campaigns}).",
        "frontier-doubtful": "The table of judges is not shown: it rests on the closed form, which"
        " expects too much here.",
        "frontier-empty": "No number of judges that was tried does on {items:#item}.",
        "larger-needed": "More than {judgments:,} judgments are needed, and larger campaigns take"
        " minutes to simulate: --campaigns {of} does it.",
        "campaigns-fewer": "{campaigns} campaigns of {judgments:,} judgments were simulated, which"
        " takes long: --campaigns {of} simulates {of}.",
        "too-large": "Closed form only: campaigns of {judgments:,} judgments take minutes to"
        " simulate (--campaigns {of}).",
        "closed-form-only": "Closed form only: nothing was simulated.",
        "unranked": "{unranked} of {campaigns} campaigns gave worths no estimate; they count as"
        " undecided.",
        "closed-form-differs": "The closed form expects {expected:.2f} for {pair}: believe the"
        " simulation.",
        "no-overlap": "No two judges see one {output}: agreement cannot be measured (overlap).",
        "tastes-stronger": "If tastes are as strong as the pilot cannot exclude, power for the"
        " hardest pair is {power:.2f}.",
        "tastes-unbounded": "The pilot sets no bound to tastes: power may be much lower (try a"
        " larger judge_sd).",
        "judges-alike": "Judges are taken to be alike (judge_sd = 0), which real judges are not.",
        "closed-form-too-small": "{judgments:#judgment} would do by the closed form, which expects"
        " {expected:.2f}; simulated they gave {power:.2f}, hence more.",
        "outputs-few": "Fewer than {least} output pairs for each pair of systems: the closed form,"
        " and with it curves and the table of judges, expects too much of so few.",
        "outputs-few-rated": "Fewer than {least} outputs of each system: the closed form, and with"
        " it curves and the table of judges, expects too much of so few.",
        "assumed": "Assumed, since not stated: {sds} (points). Campaigns on 100 points had a"
        " noise_sd of 12 to 18, a judge_sd of .2 to .4 and an item_sd of .3 to 1.4 times that;"
        " state your own, or give a pilot.",
        "assumed-alike": "Assumed, since not stated: {sds}. Votes of people who differ ask for more"
        " judges; state your own, or give a pilot.",
        "items-unused": "{judgments:#judgment} show {items:,} of the {of:,} items.",
        "level-broken": "In {false} of {campaigns} campaigns something false was decided: level"
        " {level:g} does not hold for this design.",
        "level-doubtful": "In {false} of {campaigns} campaigns something false was decided, more"
        " than the {percent:.3g} % of level {level:g}; so few campaigns cannot tell whether it"
        " holds for this design.",
        # Pilots
        "pilot": "Pilot of {judgments:,.0f} judgments by {judges:#judge} on {items:#item}.",
        "pilot-shrinkage": "Worths are drawn together to {share:%} of their differences: the"
        " rest is what errors of the pilot add ({error:.2g} for one difference).",
        "pilot-tastes": "{name}: sd {sd:.2f}, {level:g} % interval {lower:.2f} to {upper:.2f}.",
        "pilot-tastes-unbounded": "{name}: sd {sd:.2f}, {level:g} % interval from {lower:.2f},"
        " without a bound.",
        "pilot-judges-few": "{judges} judges of a pilot hardly show how far judges differ: plan"
        " with a larger judge_sd too.",
        "pilot-lower": "Lower scores are better, by the name of the criterion.",
        "pilot-items-confounded": "The pilot cannot tell how systems differ by item from {source}:"
        " all of it counts as item_sd ({sd:.3g}), which is right or too much.",
        "pilot-without-items": "The pilot says nothing of items: they are taken to be alike"
        " (item_sd).",
        "pilot-of-rankings": "The pilot holds rankings, {comparisons:.1f} comparisons each; the"
        " plan counts single comparisons of two systems.",
        # Checks of a design
        "campaign": "Campaign {name}: {items:#item}, {systems:#system}, {judges:#judge},"
        " {tickets:#ticket}.",
        "campaign-systems": "Systems: {outputs}.",
        "campaign-passes": "Passes: {passes}. Shown beside outputs: {shown}.",
        "rehearsal": "Rehearsal with seed {seed}: the launch draws a secret seed of its own.",
        "answers-read": "{answers:#answer} in {where}.",
        "promises-broken": "{broken:#promise is/promises are} not kept.",
        "promises-kept": "{kept:#promise is/promises are} kept.",
        "nothing-answered": "Nothing is answered yet: nothing can be said of what was promised.",
        "can-be-launched": "{kept:#promise is/promises are} kept: the campaign can be launched.",
        "kept-by-collected": "{kept:#promise is/promises are} kept by what was collected.",
        "kept-so-far": "{kept:#promise is/promises are} kept so far; of {later:,} it can be said"
        " when all is answered.",
        # What makes a campaign worth less
        "seed-named": "The campaign file names its seed: whoever has the file can compute which"
        " side is which system. Leave the seed out, and the launch draws a secret one.",
        "seed-known": "This campaign was launched with a seed that everybody knows, as every"
        " campaign was before launches drew secret ones: whoever has its file can compute which"
        " side is which system.",
        "nothing-to-show": "Pass '{task}' shows the {name}, and no item has one.",
        "little-to-show": "Pass '{task}' shows the {name}, and {lacking:,} of {of:#item} have none"
        " ({names}).",
        "documents-apart": "Judges see the segments of {documents:#document} one by one, in random"
        " order: with documents = true under [design] they see each document as a whole.",
        "equal-outputs": "On {equal:,} of {of:#item} several systems gave the same text"
        " ({names}): judges may be asked which of two equal texts is better.",
        "merged-outputs": "On {merged:,} of {of:#item} several systems gave the same text"
        " ({names}): judges are asked about it once, and the answer counts for each of them.",
        "uncompared": "{alone:,} of {of:#item} have one text as the output of all systems"
        " ({names}): nobody is asked to compare it with itself.",
        "equal-sources": "{sources:#source} are the same text under several items, such as"
        " {example}: a judge may see the text again, though once_per_source is set. Give these"
        " items one name in the column group.",
        "feedback-names-place": "The feedback of training '{item}' in pass '{task}' says"
        " '{place}': each judge is shown the outputs in an order of their own. Quote the output"
        " instead.",
    }
)
