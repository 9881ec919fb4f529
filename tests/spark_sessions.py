"""Spark for tests: one Java process with a session of its own and a server for Spark Connect."""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from waiting import LONG

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.default.parallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
}
"""Small data: to compile a query costs more than to interpret it."""


def why_no_spark() -> str:
    """Say what is missing to run Spark here; "" where nothing is."""
    missing = [name for name in ("pyspark", "grpc", "pyarrow") if find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)} is not installed (pip install 'evenhand[spark]')"
    return "" if shutil.which("java") else "there is no Java: Spark needs 17 or newer"


@contextmanager
def run_spark(folder: Path) -> Iterator[dict[str, Any]]:
    """Start Spark; "pyspark" is a session of this process, "spark connect" one of its server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas' version, and of what Spark calls deprecated
        from pyspark.sql import SparkSession
        from pyspark.sql.connect.session import SparkSession as ConnectSession

        builder = SparkSession.builder.master("local[1]").appName("evenhand tests")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        local = builder.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
        service = local._jvm.org.apache.spark.sql.connect.service
        port = getattr(service, "SparkConnectService$").__getattr__("MODULE$").localPort()
        server = f"sc://127.0.0.1:{port}"
        remote = ConnectSession.builder.remote(server).getOrCreate()
    gateway = local.sparkContext._gateway
    try:
        yield {"pyspark": local, "spark connect": remote, "address": server}
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            remote.stop()
            local.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()  # the Java process ends when it can read no more
        gateway.proc.wait(timeout=LONG)
        type(local.sparkContext)._gateway = type(local.sparkContext)._jvm = None
