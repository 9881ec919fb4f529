"""The reader of pages finds what it should: else the tests of the documentation test nothing."""

from markdown_pages import Command, anchors, blocks, commands, links

PAGE = """# Rank sets & ties
See [the map](index.md "map"), `[not](a-link)` and [below](#rank-sets--ties).

<!-- setup
x = 1
-->
```python
y = x
```
```console refused
$ evenhand rank \\
    nowhere.csv
error  ...
$ ls
$ evenhand demo
```
```text
[nor](this)
```

[else]: other.md
"""


def test_blocks_come_in_order_with_language_words_and_line() -> None:
    found = [(one.language, sorted(one.words), one.line) for one in blocks(PAGE)]
    assert found == [
        ("python", [], 5),
        ("python", [], 8),
        ("console", ["refused"], 11),
        ("text", [], 18),
    ]
    assert [one.code for one in blocks(PAGE)][:2] == ["x = 1\n", "y = x\n"]


def test_commands_are_those_of_evenhand_with_the_output_shown() -> None:
    console = next(one for one in blocks(PAGE) if one.language == "console")
    assert [(one.line.split(), one.shown) for one in commands(console.code)] == [
        (["evenhand", "rank", "nowhere.csv"], "error  ...\n"),
        (["evenhand", "demo"], ""),
    ]
    assert list(commands("$ pip install evenhand\n")) == []
    assert next(commands("$ evenhand demo\n")) == Command("evenhand demo", "")


def test_links_in_code_are_no_links() -> None:
    assert links(PAGE) == ["index.md", "#rank-sets--ties", "other.md"]


def test_anchors_are_those_of_the_headings() -> None:
    assert anchors(PAGE) == {"rank-sets--ties"}
    assert anchors("```sh\n# no heading\n```\n") == set()
