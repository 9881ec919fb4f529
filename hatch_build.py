"""The readme of the package: README.md without its links within the repository.

A package index shows the readme alone, where such links lead nowhere.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

WITHIN = re.compile(r"\[([^\]]+)\]\((?![a-z]+:)[^)]*\)")


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        readme = {"content-type": "text/markdown", "text": WITHIN.sub(r"\1", text)}
        metadata["readme"] = readme
