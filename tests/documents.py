"""A campaign of two documents, as tests of the web ask about it."""

from typing import Any

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign

SIZES = {"news": 3, "talk": 2}


def make_documents(kind: str = "rating", **task: Any) -> Campaign:
    items = [
        {
            "item": f"{document}-{at}",
            "document": document,
            "source": f"Satz {at} von {document}.",
            "outputs": {"A": f"Sentence {at} of {document}."},
        }
        for at in range(3)
        for document, size in SIZES.items()
        if at < size
    ]
    told = {"name": "n", "judges": ["ann"], "design": {"documents": True}}
    return make_campaign({**told, "tasks": [{"kind": kind, "name": "q", **task}], "items": items})
