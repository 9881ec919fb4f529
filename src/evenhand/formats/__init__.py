"""...IN WHOSE FILES: judgments read from files and data frames of many layouts, and written.

`reading.py` is the way in: `files.py` opens what lies on disk, `registry.py` finds out which of
`layouts/` it is, and the layout gives the columns their roles. Layouts that nest or spread a
judgment over rows go through `records.py`. `inspection.py` says what is there, `writing.py` is the
way out, `exports.py` the formats of other projects.
"""

from typing import TYPE_CHECKING, Final

from evenhand.public_names import lazy_getattr

if TYPE_CHECKING:
    from evenhand.formats.covariates import name_persons, read_persons
    from evenhand.formats.exports import EXPORTS, say_left_out
    from evenhand.formats.inspection import Inspection, inspect
    from evenhand.formats.reading import read
    from evenhand.formats.registry import FORMATS
    from evenhand.formats.writing import FILE_KINDS, KINDS, write

__all__ = [
    "EXPORTS",
    "FILE_KINDS",
    "FORMATS",
    "KINDS",
    "Inspection",
    "inspect",
    "name_persons",
    "read",
    "read_persons",
    "say_left_out",
    "write",
]

_EXPORTS: Final = {
    "EXPORTS": "evenhand.formats.exports",
    "FILE_KINDS": "evenhand.formats.writing",
    "FORMATS": "evenhand.formats.registry",
    "KINDS": "evenhand.formats.writing",
    "Inspection": "evenhand.formats.inspection",
    "inspect": "evenhand.formats.inspection",
    "name_persons": "evenhand.formats.covariates",
    "read": "evenhand.formats.reading",
    "read_persons": "evenhand.formats.covariates",
    "say_left_out": "evenhand.formats.exports",
    "write": "evenhand.formats.writing",
}
__getattr__ = lazy_getattr(__name__, _EXPORTS)
