"""The container image: each file, option and step that its Containerfile names is there.

No image is built: that needs the server of docker or podman, and a registry.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import click

from evenhand.cli.main import main
from markdown_pages import ROOT, blocks
from started_servers import find_port, write_campaign
from waiting import LONG

TEXT = (ROOT / "Containerfile").read_text()
STEPS = [
    (name, rest.strip())
    for line in re.sub(r"\\\n", " ", TEXT).splitlines()
    if line and not line.startswith("#")
    for name, _, rest in [line.partition(" ")]
]
"""Instructions in turn, each with what stands behind it."""
LAST = {name: rest for name, rest in STEPS if name not in ("COPY", "RUN")}
"""Of each instruction the last one, which holds in the image."""
COMMAND: list[str] = json.loads(LAST["ENTRYPOINT"]) + json.loads(LAST["CMD"])
CHECK: list[str] = json.loads(LAST["HEALTHCHECK"].partition("CMD ")[2])
KNOWN = "FROM COPY RUN ENV USER WORKDIR VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD"


def is_sent(path: str) -> bool:
    """Say whether a path is sent to the build: the last pattern that fits it decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().split():
        pattern = line.removeprefix("!").removeprefix("**/")
        if any(
            fnmatch(one, pattern) for one in (path, path.split("/", maxsplit=1)[0], Path(path).name)
        ):
            sent = line.startswith("!")
    return sent


def test_what_is_copied_is_there_and_is_sent_and_nothing_else() -> None:
    copied = [
        one
        for name, rest in STEPS
        if name == "COPY" and not rest.startswith("--from")
        for one in rest.split()[:-1]
    ]
    assert copied == ["pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "src"]
    assert [one for one in copied if not (ROOT / one).exists() or not is_sent(one)] == []
    for secret in ("campaign.db", "campaign.links.csv", ".git", ".venv", "src/x/__pycache__"):
        assert not is_sent(secret)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*project["license-files"]} <= {*copied}
    extras = re.findall(r"/src\[(.*?)\]", TEXT)[0].split(",")
    assert {*extras} <= {*project["optional-dependencies"]}
    python = re.findall(r"python:3\.(\d+)-slim", TEXT)
    assert len({*python}) == 1
    assert f"Programming Language :: Python :: 3.{python[0]}" in project["classifiers"]


def test_it_runs_as_nobody_in_its_volume_and_checks_the_port_that_it_serves() -> None:
    assert {name for name, _ in STEPS} == {*KNOWN.split()}
    names = [name for name, _ in STEPS]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in ("RUN", "COPY"))
    assert int(LAST["USER"]) >= 1000
    assert f"--uid {LAST['USER']} " in TEXT
    assert LAST["VOLUME"] == LAST["WORKDIR"] == "/data"
    assert "--mode=700 /data" in TEXT
    program, verb, campaign, *words = COMMAND
    assert (program, verb, campaign) == ("evenhand", "serve", "campaign.toml")
    command = main.get_command(click.Context(main), verb)
    assert command is not None
    told = command.make_context(verb, [campaign, *words]).params
    assert (told["host"], str(told["port"])) == ("0.0.0.0", LAST["EXPOSE"])
    assert f"http://127.0.0.1:{told['port']}/health" in CHECK[-1]


def test_its_command_serves_and_its_check_tells_whether_it_is_well(tmp_path: Path) -> None:
    write_campaign(tmp_path, items=20)
    port, python = str(find_port()), sys.executable
    words = [port if one == LAST["EXPOSE"] else one for one in COMMAND[1:]]
    check = [python, *CHECK[1:-1], CHECK[-1].replace(f":{LAST['EXPOSE']}", f":{port}")]
    assert CHECK[0] == "python"
    assert subprocess.run(check, stderr=subprocess.DEVNULL, check=False).returncode != 0
    with subprocess.Popen(
        [python, "-m", "evenhand", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        assert server.stdout.readline().startswith("serves")
        assert subprocess.run(check, check=False).returncode == 0
        links = (tmp_path / "campaign.links.csv").read_text()
        assert f",http://127.0.0.1:{port}/j/" in links
        server.terminate()  # as "docker stop"
        assert [json.loads(one)["level"] for one in server.stderr.read().splitlines()] == ["info"]
        assert server.wait(LONG) == 0


def test_the_page_names_its_file_volume_and_port() -> None:
    page = (ROOT / "docs" / "keep-it-safe.md").read_text()
    (code,) = (one.code for one in blocks(page) if "docker build" in one.code)
    build, run = (shlex.split(line, comments=True) for line in code.splitlines())
    assert (ROOT / build[build.index("--file") + 1]).exists()
    assert build[build.index("--tag") + 1] in run
    assert run[run.index("--volume") + 1].endswith(f":{LAST['VOLUME']}")
    assert run[run.index("--publish") + 1].endswith(f":{LAST['EXPOSE']}")
    assert [line[2:].strip() for line in TEXT.splitlines() if line.startswith("#   ")] == [
        *code.splitlines()
    ]
