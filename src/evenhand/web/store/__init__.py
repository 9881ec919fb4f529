"""What a campaign keeps: an append-only log of judgments, who may add to it, and what is next.

`store.py` is the way in: one thread commits. `judging.py` and `people.py` say what may happen,
`log.py` and `verification.py` prove that nothing was changed afterwards.
"""
