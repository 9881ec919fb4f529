"""A program whose database finds no room: it tells what was stored, and what was not.

RLIMIT_FSIZE stands for the end of the disk: a write behind it fails as on a full one.
"""

import json
import os
import resource
import sys
from pathlib import Path

from evenhand.web.store import judging
from evenhand.web.store.judging import Answering
from evenhand.web.store.log import NotStored
from evenhand.web.store.store import Store
from stored_campaigns import fill, make_pairs, reply_to, take

ROOM = 1_500_000


def main(path: Path) -> None:
    with Store.open(str(path)) as store:
        fill(store, make_pairs(items=2_000, judges=1))
        most = max(one.stat().st_size for one in path.parent.iterdir()) + ROOM
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        stored, refused = answer_until_refused(store)
        for _ in range(3):
            refused.append(refuse_again(store))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        after = store.do(judging.append, reply_to(take(store, "j0"))).number
    print(json.dumps({"stored": stored, "refused": refused, "after": after}))  # noqa: T201 - told


def answer_until_refused(store: Store) -> tuple[list[int], list[str]]:
    """Answer until the database takes no more."""
    stored: list[int] = []
    served = take(store, "j0")
    while True:
        try:
            done = store.write(Answering(reply_to(served))).result()
        except NotStored as refusal:
            return stored, [str(refusal)]
        stored.append(done.record.number)
        assert done.next is not None, "the disk was not full in time"
        served = done.next


def refuse_again(store: Store) -> str:
    """The next one is refused too, in words."""
    try:
        store.do(judging.append, reply_to(take(store, "j0")))
    except NotStored as refusal:
        return str(refusal)
    return ""


if __name__ == "__main__":
    os.umask(0o077)
    main(Path(sys.argv[1]))
