"""The digest of votes tells what was said and nothing else."""

from dataclasses import replace

import numpy as np

from evenhand.data.votes import digest_votes
from experiments.campaign import generator
from vote_campaigns import Panel


def test_it_is_the_same_in_any_order_of_rows_and_of_names():
    votes = Panel(30).simulate(generator(4, 70, 0))
    shuffled = votes.take(np.random.Generator(np.random.PCG64(1)).permutation(votes.size))
    renumbered = replace(votes, judges=("nobody", *votes.judges), judge=votes.judge + np.int32(1))
    assert digest_votes(shuffled) == digest_votes(votes) == digest_votes(renumbered)


def test_it_changes_with_an_outcome_a_judge_or_a_kind():
    votes = Panel(30).simulate(generator(4, 70, 0))
    outcome, judge = votes.outcome.copy(), votes.judge.copy()
    outcome[3] = (outcome[3] + 1) % 3
    judge[3] = (judge[3] + 1) % 30
    kind = np.zeros(votes.size, np.int8)
    others = [replace(votes, outcome=outcome), replace(votes, judge=judge)]
    others.append(replace(votes, kind=kind))
    digests = {digest_votes(one) for one in (votes, *others)}
    assert len(digests) == 4
