"""One thread of linear algebra, for the length of a block.

BLAS spreads even small products over all cores, where threads mostly wait for each other: batches
of matrices of a hundred rows cost several times the CPU. The setting is put back afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Cap BLAS at one thread inside the block.

    >>> with one_blas_thread():
    ...     pass
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield
