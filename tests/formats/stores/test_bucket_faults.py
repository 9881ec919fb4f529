"""What stores say, as pyarrow 26 passes it on, and what is made of it."""

import pytest

from evenhand.errors import EvenhandError, MissingFile
from evenhand.formats.file_heads import read_address
from evenhand.formats.remote_files import _faults_of as faults_of

pytest.importorskip("pyarrow", reason="pyarrow is not installed: no store would speak through it")
SECRET = "hunter2hunter2"
HEAD = "When getting information for key 'v.csv' in bucket 'b': AWS Error "
GOOGLE = "google::cloud::Status({}: {} error_info={{reason=, domain=, metadata={{a=b}}}})"
SAID = {
    "s3": {
        f"{HEAD}UNKNOWN (HTTP status 301) during HeadObject operation: No response body.": (
            "fails (HTTP status 301; does the bucket lie in another region? Set AWS_REGION)"
        ),
        f"{HEAD}SLOW_DOWN during HeadObject operation: Please reduce your request rate.": (
            "the store fails (Please reduce your request rate): try again"
        ),
        f"{HEAD}INTERNAL_FAILURE during ListObjectsV2 operation: ": "fails (internal failure)",
        f"{HEAD}EXPIRED_TOKEN during ListObjectsV2 operation: {SECRET} has run out. (Request ID:"
        f" {SECRET})": "or may not read it (*** has run out)",
        f"{HEAD}NETWORK_CONNECTION during HeadObject operation: curlCode: 28, Timeout was reached;"
        " Details: after 10 s": "the store does not answer (timeout was reached)",
        "something else altogether": "the store fails (something else altogether)",
    },
    "gs": {
        GOOGLE.format("UNAVAILABLE", "Could not create a OAuth2 access token to authenticate"): (
            "gcloud auth application-default login"
        ),
        GOOGLE.format("PERMISSION_DENIED", "ann does not have storage.objects.get"): (
            "may not read it (ann does not have storage.objects.get)"
        ),
        GOOGLE.format(
            "UNAVAILABLE", "PerformWork() - CURL error [7]=Could not connect to server"
        ): "the store does not answer (could not connect to server)",
    },
}


@pytest.mark.parametrize(
    ("scheme", "said", "expected"),
    [(scheme, said, words) for scheme, some in SAID.items() for said, words in some.items()],
)
def test_what_a_store_says_is_said_in_the_users_words(monkeypatch, scheme, said, expected):
    monkeypatch.delenv("AWS_NO_SIGN_REQUEST", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    address = read_address(f"{scheme}://b/v.csv")
    with pytest.raises(EvenhandError) as caught, faults_of(address):
        raise OSError(said)
    assert expected in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_refusal_of_our_own_is_passed_on_as_it_is():
    with pytest.raises(MissingFile, match=r"^gone$"), faults_of(read_address("s3://b/v.csv")):
        raise MissingFile("gone")


def test_a_bucket_that_is_not_there_is_said_so_where_its_region_is_looked_up():
    address = read_address("s3://b/v.csv")
    with pytest.raises(MissingFile, match="there is no bucket 'b'"), faults_of(address):
        raise OSError("Bucket 'b' not found")  # as pyarrow 26 says it


def test_a_key_of_one_letter_is_not_taken_out_of_every_word(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "e")
    said = "The AWS Access Key Id is unknown"
    with pytest.raises(EvenhandError, match=said), faults_of(read_address("s3://b/v.csv")):
        raise OSError(said)
