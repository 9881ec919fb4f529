"""A program whose judges answer as fast as they can until it is killed.

It reads "go" from its standard input, makes a child, and tells the child's end; the child opens the
store and tells every answer after it was acknowledged: judge, ticket, key, record. Children are
forked, so that fifty of them do not import everything fifty times.
"""

import asyncio
import os
import sys
import traceback

from evenhand.web.store.judging import answer, serve
from evenhand.web.store.log import NotStored
from evenhand.web.store.store import Store
from stored_campaigns import reply_to


def tell(words: str) -> None:
    """Write a line at once; short lines of a pipe are not torn."""
    os.write(1, f"{words}\n".encode())


async def judge(store: Store, name: str) -> None:
    """Answer everything; what the database did not take is sent again."""
    while True:
        try:
            served = await store.soon(lambda tx: serve(tx, name))
            break
        except NotStored:  # the first question is asked again, too
            tell("refused")
            await asyncio.sleep(0.05)
    while served is not None:
        reply = reply_to(served)
        try:
            done = await store.soon(lambda tx, reply=reply: answer(tx, reply))
        except NotStored:
            tell("refused")
            await asyncio.sleep(0.05)
            continue
        tell(f"stored {name} {reply.ticket} {reply.key} {done.record.number}")
        served = done.next


async def run(where: str, judges: list[str]) -> None:
    store = Store.open(where)
    tell(f"ready {os.getpid()}")
    await asyncio.gather(*(judge(store, name) for name in judges))
    store.close()


def main(where: str, judges: list[str]) -> None:
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                asyncio.run(run(where, judges))
                code = 0
            finally:
                traceback.print_exc()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        tell(f"ended {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
