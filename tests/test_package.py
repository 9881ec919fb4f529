"""What is published: wheel and sdist hold what they need and nothing else; versions of the site."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import evenhand
from markdown_pages import ROOT, links

LACKING = [name for name in ("build", "hatchling", "twine") if find_spec(name) is None]
MAX_BYTES = 1_000_000
"""No single file of the sdist is larger: judgments of others would be."""


def run(*words, cwd=ROOT, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked(*folders):
    if not (ROOT / ".git").exists():
        pytest.skip("no git here: what belongs to the project cannot be listed")
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if name}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if LACKING:
        pytest.skip(f"not installed: {', '.join(LACKING)}")
    folder = tmp_path_factory.mktemp("dist")
    run("build", "--no-isolation", "--outdir", str(folder))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_its_licence_and_nothing_else(built):
    names = set(zipfile.ZipFile(built[0]).namelist())
    about = f"evenhand-{evenhand.__version__}.dist-info"
    assert names == {
        *(name.removeprefix("src/") for name in tracked("src/evenhand")),
        *(f"{about}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")),
        f"{about}/licenses/LICENSE",
    }
    assert {
        "evenhand/py.typed",
        "evenhand/web/pages/judge.html",
        "evenhand/report/page/report.html",
        "evenhand/datasets/public.toml",
    } <= names


@pytest.mark.slow
def test_the_sdist_holds_what_the_project_keeps_and_no_large_file(built):
    with tarfile.open(built[1]) as archive:
        files = {one.name.partition("/")[2]: one.size for one in archive if one.isfile()}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    always = (".gitignore", "LICENSE", "README.md", "pyproject.toml")
    expected = tracked(*(name.lstrip("/") for name in listed), *always)
    assert {*files} == {*expected, "PKG-INFO"}
    assert [name for name, size in files.items() if size > MAX_BYTES] == []


@pytest.mark.slow
def test_the_readme_of_the_package_has_no_links_within_the_repository(built):
    wheel = zipfile.ZipFile(built[0])
    about = f"evenhand-{evenhand.__version__}.dist-info/METADATA"
    _, _, text = wheel.read(about).decode("utf-8").partition("\n\n")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [target for target in links(text) if not target.startswith("https:")] == []
    for target in {one for one in links(readme) if not one.startswith("https:")}:
        readme = readme.replace(f"]({target})", "")
    assert text.replace("[", "").strip() == readme.replace("[", "").strip()


@pytest.mark.slow
def test_both_are_fit_for_a_package_index(built):
    run("twine", "check", "--strict", *(str(path) for path in built))


@pytest.mark.slow
def test_the_unpacked_wheel_runs_without_the_source_tree(built, tmp_path):
    zipfile.ZipFile(built[0]).extractall(tmp_path / "installed")
    place = {"PYTHONPATH": str(tmp_path / "installed")}
    assert run("evenhand", "--version", cwd=tmp_path, **place).split()[-1] == evenhand.__version__
    walk = run("evenhand", "demo", cwd=tmp_path, **place)
    assert "first preferences: A 402, D 334, B 127, C 54" in walk  # Dras (2015), table 1
    assert "llmfao" in run("evenhand", "demo", "--list", cwd=tmp_path, **place)


def test_the_citation_has_the_version_and_the_day_of_the_changelog():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, day = re.findall(r"^## \[(\d[\d.]*)\] - (\S+)$", changes, re.MULTILINE)[0]
    assert (citation["version"], citation["date-released"]) == (version, day)


@pytest.mark.slow
def test_the_site_of_a_version_is_committed_to_its_branch(tmp_path):
    """As `make versions` commits them; in a clone, of one page: `make site` builds all."""
    if find_spec("mike") is None:
        pytest.skip("not installed: mike")
    tracked("docs")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    place = tmp_path / "clone"
    tools = str(Path(sys.executable).parent)
    names = {
        f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    settings = {**os.environ, **names, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    settings |= {"SITE_VERSIONS": "mike", "NO_MKDOCS_2_WARNING": "1"}

    def call(*words):
        done = subprocess.run(
            words, cwd=place, env=settings, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call("git", "remote", "remove", "origin")
    config, docs = place / "mkdocs.yml", place / "docs"
    said = config.read_text(encoding="utf-8").partition("\nnav:")[0] + "\nnav: [index.md]\n"
    said = said.replace("strict: true", "strict: false").replace("hooks: [", "# hooks: [")
    config.write_text(said, encoding="utf-8")
    for page in {*docs.rglob("*.md")} - {docs / "index.md"}:
        page.unlink()
    call("mike", "deploy", "--update-aliases", "0.9", "latest")
    call("mike", "set-default", "latest")
    named = json.loads(call("git", "show", "gh-pages:versions.json"))
    assert [(one["version"], one["aliases"]) for one in named] == [("0.9", ["latest"])]
    assert "latest/" in call("git", "show", "gh-pages:index.html")
    assert '"provider": "mike"' in call("git", "show", "gh-pages:0.9/index.html")


def test_the_citation_is_of_this_version_and_names_no_person():
    """Keys that version 1.2.0 of the Citation File Format requires, and of an entity."""
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= said.keys()
    assert (said["cff-version"], said["type"]) == ("1.2.0", "software")
    assert said["version"] == evenhand.__version__
    settings = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert said["license"] == settings["license"]
    assert said["keywords"] == settings["keywords"]
    assert said["authors"] == [{"name": "The Evenhand developers"}]
