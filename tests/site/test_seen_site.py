"""What a reader sees of the site in a browser, from a folder and without a network."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browsers import open_browser

PAGES = ("index", "quickstart-organiser", "models/random-judges", "api/rank", "cli", "formats")
WIDE = (*PAGES, "benchmarks", "experiments", "wmt16", "api/model", "papers/hopkins_may2013")
"""Those with the widest tables and blocks among them."""


@pytest.fixture(scope="module")
def browser(site: Path) -> Iterator[Any]:
    with open_browser() as one:
        yield one


@contextmanager
def _look(browser: Any, site: Path, width: int, scheme: str = "light") -> Iterator[Any]:
    """A page of the browser; in the end nothing but files was fetched, and nothing complained."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, complaints, fetched = context.new_page(), [], []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("request", lambda one: fetched.append(one.url))
    yield page
    assert [one for one in fetched if not one.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []
    context.close()


def _leave_out_search(page: Any) -> None:
    """Reading the index takes far longer than showing a page."""
    index = "var __index = {config: {}, docs: []}"
    page.route("**/search_index.js", lambda route: route.fulfill(body=index))
    page.route("**/workers/search*.js", lambda route: route.fulfill(body=""))


def test_no_page_is_wider_than_a_telephone(browser: Any, site: Path) -> None:
    wide = []
    with _look(browser, site, 390) as page:
        _leave_out_search(page)
        for one in WIDE:
            page.goto((site / f"{one}.html").as_uri())
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(one)
    assert wide == []


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_colours_follow_the_preference(
    browser: Any, site: Path, scheme: str, *, dark: bool
) -> None:
    with _look(browser, site, 1280, scheme) as page:
        _leave_out_search(page)
        for one in PAGES:
            page.goto((site / f"{one}.html").as_uri())
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            red = int(colour.partition("(")[2].split(",")[0])
            assert (red < 100) is dark, f"{one}: {colour}"


def test_search_finds_words_without_a_server(browser: Any, site: Path) -> None:
    with _look(browser, site, 1280) as page:
        page.goto((site / "api" / "rank.html").as_uri())
        page.locator("input[name=query]").click()
        page.keyboard.type("quasi-variances", delay=20)
        found = page.locator(".md-search-result__item a").first
        found.wait_for()
        assert "bradley-terry.html" in " ".join(
            page.locator(".md-search-result__item a").evaluate_all("all => all.map(a => a.href)")
        )


def test_a_printed_page_has_the_text_alone_and_all_of_a_wide_block(
    browser: Any, site: Path
) -> None:
    with _look(browser, site, 700) as page:
        page.goto((site / "quickstart-organiser.html").as_uri())
        page.emulate_media(media="print")
        for part in (".md-header", ".md-footer", ".md-clipboard"):
            assert not page.locator(part).first.is_visible(), part
        blocks = page.locator("pre > code")
        wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert blocks.count() > 5
        assert blocks.evaluate_all(wide) == 0
