"""How long a run of the bench goes on, and with whom."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How long to go on.

    Attributes:
        repeat: runs of each contender; the fastest counts.
        budget: no further run of a contender once so many CPU seconds are used.
        seconds: a run that takes more CPU time, or five times as much wall time, is stopped, and
            shown as such.
        blas_threads: of linear algebra for peers (0: as they find it), because CPU seconds would
            charge them for threads that wait; Evenhand and the floors are left as a user finds
            them.
        peers: names of the peers to measure; None for all.

    """

    repeat: int = 5
    budget: float = 10.0
    seconds: float = 120.0
    blas_threads: int = 1
    peers: tuple[str, ...] | None = None

    def takes(self, peer: str) -> bool:
        """Whether a peer is measured."""
        return self.peers is None or peer in self.peers
