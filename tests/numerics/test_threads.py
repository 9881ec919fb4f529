from threadpoolctl import threadpool_info

from evenhand.numerics.sampling import one_blas_thread


def threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_inside_the_block_and_as_many_as_before_after_it():
    before = threads()
    with one_blas_thread():
        assert set(threads()) <= {1}
    assert threads() == before
