"""What threads may do at once: read files, each its own or the same one."""

from concurrent.futures import ThreadPoolExecutor

import evenhand
from days_of_votes import frame
from evenhand.formats.files import connect


def threads_of_engine():
    return connect().execute("select current_setting('threads')").fetchone()


def test_threads_that_share_a_table_all_get_its_answer(tmp_path):
    frame(20_000, 1).write_parquet(tmp_path / "v.parquet")
    data = evenhand.read(tmp_path / "v.parquet")
    before, right = threads_of_engine(), data.tally(by=("judge", "item")).digest
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(data.tally, by=("judge", "item")) for _ in range(12)]
    assert [one.result().digest for one in asked] == [right] * 12
    assert threads_of_engine() == before


def test_the_engine_has_its_threads_again_when_several_tables_were_counted(tmp_path):
    for at in range(3):
        frame(2000, at).write_parquet(tmp_path / f"{at}.parquet")
    connect().execute("set threads = 2")
    with ThreadPoolExecutor(3) as pool:
        tables = [evenhand.read(tmp_path / f"{at % 3}.parquet") for at in range(12)]
        found = list(pool.map(evenhand.rank, tables))
    assert [one.n_judgments for one in found] == [2000] * 12
    assert threads_of_engine() == (2,)
