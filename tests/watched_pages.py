"""A page with hostile texts in a browser, which is watched for what they do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from judge_pages import find_faults

WATCH: Final = "window.evil = () => { window.came = true; };"
MADE: Final = """() => ({
  came: Boolean(window.came), elements: document.querySelectorAll(".evil").length,
  handlers: [...document.querySelectorAll("*")].filter((one) =>
    [...one.attributes].some((it) => it.name.startsWith("on"))).length,
  hidden: getComputedStyle(document.body).display === "none",
})"""


@contextmanager
def watch(browser: Any, address: str) -> Iterator[Any]:
    """Open a page, and fail where a script ran, a request left or the page was changed."""
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.add_init_script(WATCH)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("popup", lambda _: wrong.append("a window was opened"))
    origin = re.match(r"http://[^/]*/|file:.*", address)
    assert origin is not None
    page.on("request", lambda it: it.url.startswith(origin[0]) or wrong.append(it.url))
    page.on("console", lambda it: wrong.append(it.text) if it.type == "error" else None)
    page.goto(address)
    yield page
    page.wait_for_timeout(150)
    assert page.evaluate(MADE) == {"came": False, "elements": 0, "handlers": 0, "hidden": False}
    assert wrong == []
    page.close()


def check_width(page: Any) -> None:
    """Nothing makes a page wider than the screen, of a desk or of a hand."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert "wider than the screen" not in find_faults(page)
