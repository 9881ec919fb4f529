"""The built site. `make site` builds it and names its folder; other runs skip its tests."""

import os
from pathlib import Path

import pytest

from markdown_pages import ROOT


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder that `mkdocs build` wrote."""
    named = os.environ.get("EVENHAND_SITE")
    if not named:
        pytest.skip("EVENHAND_SITE is not set: `make site` builds the site and reads it")
    folder = ROOT / named
    assert (folder / "index.html").is_file(), f"no site in {folder}"
    return folder
