"""The table of experiments shows numbers: what a test tells, or else the values it asserts."""

from types import SimpleNamespace

from markdown_it import MarkdownIt

from experiments.table import (
    ROOT,
    UNTESTED,
    list_files,
    pytest_assertion_pass,
    read_counts,
    read_kept,
    write_table,
)

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.experiments.test_e8_cycles" name="test_told">
  <properties><property name="covered" value="np.float64(0.95)"/>
    <property name="asserted" value="covered >= 0.9: 0.95 &gt;= 0.9"/></properties>
  <system-out>--- Captured Out ---
E8: 57 of 60
</system-out></testcase>
<testcase classname="tests.experiments.test_e8_cycles" name="test_silent[a_b]">
  <properties><property name="asserted" value="share &lt;= 0.05: 0.02 &lt;= 0.05"/></properties>
</testcase>
<testcase classname="tests.experiments.test_e8_cycles" name="test_mute"/>
<testcase classname="tests.experiments.test_e8_cycles" name="test_omitted"><skipped/></testcase>
</testsuite></testsuites>"""


def test_assertions_stand_for_counts_where_a_test_tells_none(tmp_path):
    file = tmp_path / "junit.xml"
    file.write_text(JUNIT, encoding="utf-8")
    counts = {row["arm"]: row["counts"] for row in read_counts(file)}
    assert counts == {
        "told": "E8: 57 of 60; covered 0.95",
        "silent[a b]": "share <= 0.05: 0.02 <= 0.05",
        "mute": "passed",
    }


def test_an_assertion_is_kept_with_its_values_if_it_has_numbers():
    item = SimpleNamespace(user_properties=[])
    expl = "np.float64(0.123456789) <= (3 * np.float64(0.1))\n +  where 0.1 = std()"
    pytest_assertion_pass(item, "mean <= 3 * np.sqrt(n)", expl)
    pytest_assertion_pass(item, "found.holds", "True\n +  where True = Check(1).holds")
    pytest_assertion_pass(item, "words in page", f"'words' in '{'1' * 300}'")
    assert item.user_properties == [
        ("asserted", "mean <= 3 * np.sqrt(n): 0.1235 <= (3 * 0.1)"),
    ]


def test_every_experiment_has_counts():
    kept = {row["file"] for row in read_kept()}
    assert {file.relative_to(ROOT).as_posix() for file in list_files()} == kept
    assert [row["arm"] for row in read_kept() if row["counts"] == "passed"] == []


def test_each_of_26_experiments_has_counts_or_is_said_to_have_no_test():
    counted = {int(row["experiment"][1:]) for row in read_kept() if row["experiment"]}
    assert counted | UNTESTED.keys() == {*range(1, 27)}
    assert not counted & UNTESTED.keys()
    assert all(f"\n{why}\n" in write_table() for why in UNTESTED.values())


def test_the_page_shows_counts_as_they_stand():
    """Code has brackets, stars and underlines that are Markdown too."""
    page = MarkdownIt().enable("table").parse(write_table())
    texts = [token.children for token in page if token.children]
    shown = {parts[0].content for parts in texts if len(parts) == 1 and parts[0].type == "text"}
    assert [row["counts"] for row in read_kept() if row["counts"] not in shown] == []
