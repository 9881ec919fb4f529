"""URLs of tables: taken apart, and never shown with what is secret in them."""

import pytest

from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.file_heads import find_files, is_address, read_address, show_address

SECRET = "hunter2hunter2"
URLS = {
    f"postgres://ann:{SECRET}@db:5432/arena?table=votes&sslmode=require": (
        "postgres://db:5432/arena?table=votes"
    ),
    f"sc://spark:443/main.votes;use_ssl=true;token={SECRET}": "sc://spark:443/main.votes",
    f"sc://spark:443/?path=votes.parquet;token={SECRET}": "sc://spark:443/?path=votes.parquet",
    f"snowflake://ann:{SECRET}%21@acct/db?table=a.b&warehouse=w": "snowflake://acct/db?table=a.b",
    f"clickhouse://db?table=t&password={SECRET}": "clickhouse://db?table=t",
    f"mysql://ann:x@{SECRET}@db/arena?table=votes": "mysql://db/arena?table=votes",
}


@pytest.mark.parametrize(("url", "shown"), URLS.items())
def test_a_url_is_shown_without_user_password_and_settings(url, shown):
    address = read_address(url)
    assert str(address) == shown
    assert SECRET not in repr(address)
    assert SECRET not in show_address(url)


@pytest.mark.parametrize("url", [url for url in URLS if "%21" not in url and "x@" not in url])
def test_what_a_driver_says_of_a_url_is_said_again_without_its_secrets(url):
    said = read_address(url).clean(f"cannot open {url} for ({SECRET}) {SECRET}!.\n  at line 3")
    assert SECRET not in said
    assert said.startswith("cannot open ")
    assert "line 3" not in said


def test_files_and_web_addresses_are_no_tables():
    names = ("votes.csv", "C://votes.csv".replace("C", "1"), "https://a.b/c", "hf://datasets/x")
    assert not any(map(is_address, names))
    assert is_address("S3://bucket/votes.parquet")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgres://a:{SECRET}@h/db?table=", "without a value"),
        (f"postgres://a:{SECRET}@h/db?table=t&table=u", "twice"),
    ],
)
def test_a_url_that_says_nothing_or_too_much_is_refused_without_its_secrets(url, said):
    with pytest.raises(UnknownOption, match=said) as caught:
        read_address(url)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        f"postgres://ann:a/{SECRET}@127.0.0.1:1/db?table=v",
        f"postgres://ann:1/{SECRET}@127.0.0.1:1/db?table=v",
        f"mysql://ann:a?{SECRET}@db/arena?table=votes",
        f"mysql://ann:a&{SECRET}@db/arena?table=votes",
        f"mysql://ann:a;{SECRET}@db/arena?table=votes",
    ],
)
def test_a_password_with_a_sign_of_urls_is_not_taken_for_a_path(url):
    with pytest.raises(UnknownOption, match="as it is: write %2F") as caught:
        read_address(url)
    assert SECRET not in str(caught.value)
    assert SECRET not in show_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "s3://votes/ann@home.parquet",
        "snowflake://acct/db?table=t&mail=a@b.c",
        "sc://h:15002/t;u=a@b",
    ],
)
def test_an_at_that_belongs_to_a_path_or_a_setting_is_no_password(url):
    assert read_address(url).user == ""


@pytest.mark.parametrize(
    "before", ["jdbc:postgres://", "./postgres://", "postgres ://", "postgres:/"]
)
def test_what_looks_like_a_url_and_is_none_is_refused_without_its_secrets(before):
    with pytest.raises(UnknownFormat, match="neither a file nor a URL") as caught:
        find_files(f"{before}ann:{SECRET}@127.0.0.1/db")
    assert SECRET not in str(caught.value)
