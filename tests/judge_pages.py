"""The judge's page in a browser, as tests use it: opened, written on by keys, photographed.

Screenshots are kept in the folder that EVENHAND_SCREENSHOTS names.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from browsers import run_site
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store
from stored_campaigns import fill

SIZES: Final = {1280: (1280, 800), 390: (390, 844), 360: (360, 740)}
LAST: Final = "h1:has-text('You have finished')"
EARLY: Final = 220
"""Milliseconds after which a key is taken to be meant for the item that is shown."""


def open_page(browser: Any, address: str, width: int = 1280, scheme: str = "light") -> Any:
    """Open a page, in which nothing may go wrong."""
    page = browser.new_page(
        viewport={"width": SIZES[width][0], "height": SIZES[width][1]},
        reduced_motion="reduce",
        color_scheme=scheme,
    )
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(address)
    return page


@contextmanager
def judge_page(
    browser: Any,
    store: Store,
    campaign: Campaign | dict[str, Any],
    width: int = 1280,
    scheme: str = "light",
    *,
    ready: Callable[[Any], object] = str,
    **site: Any,
) -> Iterator[Any]:
    """Serve a campaign from an empty store, and open the page of its first judge.

    ready: is given the page before it is at its address.
    """
    planned = campaign if isinstance(campaign, Campaign) else make_campaign(campaign)
    token = next(iter(fill(store, planned).values()))
    with run_site(Site(store, **site)) as address:
        page = open_page(browser, "about:blank", width, scheme)
        ready(page)
        page.goto(f"{address}/j/{token}")
        yield page
        page.close()


def install_clock(page: Any) -> None:
    """Let a test set the clock of a page."""
    page.clock.install()


def keep_picture(page: Any, name: str) -> None:
    folder = os.environ.get("EVENHAND_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


def press(page: Any, keys: str) -> None:
    for one in keys.split():
        page.keyboard.press(one)


def settle(page: Any, place: str) -> None:
    """Wait until an item is shown and takes keys; close instructions that came with it."""
    page.wait_for_selector(f"#progress:text-is('{place}')")
    page.wait_for_timeout(EARLY)
    page.keyboard.press("Escape")


FAULTS: Final = """
(small) => {
  const found = [];
  const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().width > 1;
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the screen");
  for (const one of document.querySelectorAll("button, input, textarea, a[href], summary")) {
    if (!seen(one) || one.matches(".skip")) continue;
    const { width, height } = one.getBoundingClientRect();
    const name = one.textContent.trim() || one.getAttribute("aria-label") || one.tagName;
    if (small && (height < 44 || width < 44)) {
      found.push(`${name} is ${width.toFixed(0)} by ${height.toFixed(0)} pixels`);
    }
    if (one.scrollWidth > one.clientWidth + 1 && one.tagName === "BUTTON") {
      found.push(`${name} is clipped`);
    }
  }
  return found;
}
"""


def find_faults(page: Any) -> list[str]:
    """Return what is clipped, wider than the screen or, on a phone, too small for a finger."""
    found: list[str] = page.evaluate(FAULTS, page.viewport_size["width"] <= 400)
    return found
