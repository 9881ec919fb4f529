"""What is said of files that were read."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        # `renamed`: whether some column has another name than its role, so that it is worth saying
        "columns": "read {layout}: {columns}",
    }
)
