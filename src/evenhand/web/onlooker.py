"""Whoever looks at a campaign's database from outside of its server: reads, and writes nothing."""

from __future__ import annotations

from typing import Final

from evenhand.errors import CampaignError
from evenhand.web.looks import Looks
from evenhand.web.sight import Sight, take_sight
from evenhand.web.store.audit import open_to_read
from evenhand.web.store.readable import Readable

REST: Final = 19.0  # Rank sets and judges are computed anew after so many times what they took


class Onlooker:
    """Looks at a database, again and again; what was read is not read again."""

    def __init__(self, where: str) -> None:
        """Open a database."""
        self.store: Readable = open_to_read(where)
        if self.store.find_campaign() is None:
            raise CampaignError(
                "no campaign was launched in this database: there is nothing to see"
            )
        self._looks = Looks(self.store, rest=REST)
        self._seen: Sight | None = None

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""
        found = take_sight(self.store, self._looks, self._seen.mark if self._seen else "")
        while found is not None and not found.whole:
            found = take_sight(self.store, self._looks)
        self._seen = found or self._seen
        assert self._seen is not None
        return self._seen

    def close(self) -> None:
        """Look no more."""
        self.store.engine.dispose()
