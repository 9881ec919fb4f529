"""A store of buckets of our own, on this machine alone, which asks for keys: moto's server.

It runs in a process of its own, which ends with its standard input.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Thread
from typing import Any

import pytest

FREE = 3
"""Requests without keys, by which the user is made whose keys count."""


@dataclass(frozen=True)
class BucketServer:
    """A store, and the keys of the one user whom it knows."""

    url: str
    key: str
    secret: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def open(self) -> Any:
        """The store as pyarrow's file system."""
        from pyarrow import fs

        return fs.S3FileSystem(
            access_key=self.key,
            secret_key=self.secret,
            endpoint_override=self.url,
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def put(self, name: str, data: bytes) -> None:
        """Put a file into its bucket, which is made if it is not there."""
        system = self.open()
        system.create_dir(name.partition("/")[0])
        with system.open_output_stream(name, compression=None) as stream:
            stream.write(data)


@contextmanager
def run_server() -> Iterator[BucketServer]:
    """Start a store; skips the test where a package is missing."""
    for name in ("moto", "flask_cors", "pyarrow", "fsspec"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: no bucket to read from")
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a line for each request
        text=True,
    )
    try:
        assert process.stdout is not None
        yield BucketServer(*json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


def _serve() -> None:
    """Run until nobody holds standard input any more; say where, and with which keys."""
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(FREE)
    import boto3
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    store = DomainDispatcherApplication(create_backend_app)

    def answer(environ, start):  # moto fails over a request without keys; stores refuse it
        if "HTTP_AUTHORIZATION" in environ:
            return store(environ, start)
        start("403 Forbidden", [("Content-Type", "application/xml")])
        return [b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"]

    server = make_server("127.0.0.1", 0, answer, threaded=True)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    free = {"aws_access_key_id": "anybody", "aws_secret_access_key": "anything"}
    users = boto3.client("iam", "us-east-1", endpoint_url=url, **free)
    users.create_user(UserName="ann")
    all_of_it = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [all_of_it]})
    users.put_user_policy(UserName="ann", PolicyName="all", PolicyDocument=policy)
    key = users.create_access_key(UserName="ann")["AccessKey"]
    print(json.dumps([url, key["AccessKeyId"], key["SecretAccessKey"]]), flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
