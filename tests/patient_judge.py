"""A judge whose page sends an answer until it is stored, and what a full server says."""

from typing import Any

from http_judges import Told, fetch
from started_servers import Servers

LEFT = {"outcome": "left", "comment": "x" * 2_000}
WORDS = "the server cannot save anything right now, and nothing was changed: try again"
Stored = dict[tuple[str, str], str]


class Judge:
    """A judge whose page sends an answer until it is stored.

    Attributes:
        stored: ticket and key → hash of the record, of what was acknowledged.
        sent: what was sent last, and perhaps not stored.

    """

    def __init__(self, servers: Servers) -> None:
        self._port, self._link = servers.port, servers.tokens()["judge", "judge-1"]
        self.stored: Stored = {}
        self.sent: dict[str, Any] = {}

    def begin(self) -> Told:
        """Load the item that comes next."""
        told = self.ask("item")
        if told.status == 200:
            self.write(told.json)
        return told

    def write(self, item: Any) -> None:
        """Write an answer on the page."""
        assert item["state"] == "item"
        self.sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT}

    def send(self) -> Told:
        """Send what is on the page; write the next answer where it was stored."""
        told = self.ask("answer", self.sent)
        if told.status == 200:
            self.stored[self.sent["ticket"], self.sent["key"]] = told.json["receipt"]
            self.write(told.json["next"])
        return told

    def ask(self, what: str, sent: object = None, accept: str = "application/json") -> Told:
        """Send a request of the page; one that came too fast is sent again."""
        while True:
            told = fetch(self._port, f"/j/{self._link}/{what}".rstrip("/"), sent, accept)
            if told.status != 429:
                return told

    def send_until_refused(self) -> None:
        """Answer until the server says that it stores nothing."""
        told = self.send()
        while told.status == 200:
            told = self.send()
        check_refusal(told)


def check_refusal(told: Told) -> None:
    """It is said in words, and nothing of the machine is."""
    assert (told.status, told.json) == (503, {"error": WORDS, "word": "not-stored"})
