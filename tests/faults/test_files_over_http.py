"""No more files may be opened: judges are served as before, and nothing is lost."""

import shutil
import signal
import socket
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from http_judges import check_stored, fetch, run_judges
from started_servers import run_servers, write_campaign

HALF = b"GET /health HTTP/1.1\r\nX-Wait: "


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="no prlimit to take files away")
def test_connections_for_which_files_do_not_suffice_are_closed_and_judges_go_on(
    tmp_path: Path,
) -> None:
    """The log had grown by 150 MB in half a minute, and requests waited for 20 seconds."""
    files = 64
    campaign, where = write_campaign(tmp_path, items=400), str(tmp_path / "campaign.db")
    before = ("prlimit", f"--nofile={files}:{files}")
    with run_servers(tmp_path, campaign, "--database", where, before=before) as servers:
        servers.start()
        links = servers.tokens()
        tokens = [token for (role, _), token in links.items() if role == "judge"]
        with run_judges(servers.port, tokens) as judges, ExitStack() as stack:
            judges.wait_for(10)
            for _ in range(4 * files):
                made = stack.enter_context(
                    closing(socket.create_connection(("127.0.0.1", servers.port)))
                )
                made.sendall(HALF)
            judges.wait_for(len(judges.stored) + 50)
            assert fetch(servers.port, "/health").body == "well\n"
            page = f"/a/{links['admin', '']}"
            for path in (page, f"{page}/download/log.jsonl"):
                assert fetch(servers.port, path).status == 200
            assert len([*Path(f"/proc/{servers.pid}/fd").iterdir()]) <= files
            stack.close()
            judges.wait_for(len(judges.stored) + 20)
        assert judges.wrong == []
        assert servers.end(signal.SIGTERM) == 0
        said = servers.printed.read_text()
    assert f"lets this process open {files} files, so that there may be {files // 4} conn" in said
    assert len(said) < 3_000
    check_stored(where, judges.stored)
