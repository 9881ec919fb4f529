"""What a report on one task alone says beyond this one."""

from __future__ import annotations

from evenhand.report.contents import MORE, PREFERENCE, list_left_out
from evenhand.report.document import Section
from evenhand.report.study import Study


def write_section(study: Study) -> Section:
    """Write which sections are left to a report on this task alone."""
    left = [PREFERENCE[name] for name in PREFERENCE if name in list_left_out(study.settings.tasks)]
    said = (
        f"A report on this task alone also says: {'; '.join(left)}",
        f"With {study.settings.tasks} tasks in one file these are left to it, or to"
        " `evenhand report --full`.",
    )
    return Section(MORE, "More on this task", says=said, command=study.write_command("report"))
