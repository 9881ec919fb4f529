"""What a campaign keeps: an append-only log of judgments, who may add to it, and what is next.

`store.py` is the way in. `judging.py` and `people.py` say what may happen, `writer.py` commits it,
`log.py` and `verification.py` prove that nothing was changed afterwards.
"""

from evenhand.web.store.judging import Answered, Reply, Served
from evenhand.web.store.log import Record
from evenhand.web.store.store import Store
from evenhand.web.store.verification import LogCheck, verify

__all__ = ["Answered", "LogCheck", "Record", "Reply", "Served", "Store", "verify"]
