"""A process that opens databases, and is killed at a moment that a test names.

Run as a program, with the folder of the revisions of a second version or none, it reads lines of
JSON: a database, and the number of the statement before which a child is killed, or "write" for one
that stores answers and brings them into the file until it is killed from outside. It writes a line
for each child: how that ended, or what it stored.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from evenhand.web.store import database
from evenhand.web.store.store import Store
from stored_campaigns import judge_next


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def open_until(where: str, last: int) -> None:
    """Open a database; end as by a kill before statement `last`."""
    left = last

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "commit", count)
    Store.open(where).close()


def write_on(where: str) -> None:
    """Store answers and say so; say, too, when they begin to be brought into the file."""
    store = Store.open(where)
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_autocheckpoint=0")
    comment = "said " * 900
    while True:
        for _ in range(20):
            record = judge_next(store, "j0", {"outcome": "left", "comment": comment})
            say(record.hash)
        say("checkpoint")
        store.checkpoint()


def main() -> None:
    for folder in sys.argv[1:]:
        database.MIGRATIONS, database.VERSION = Path(folder), "0008"  # type: ignore[misc]
    for line in sys.stdin:
        where, last = json.loads(line)
        if last == "write":
            write_on(where)
        child = os.fork()
        if not child:
            open_until(where, last)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
