"""A crowd platform as workers and organisers meet it: links with parameters, codes, places.

Parameters are those that Prolific and Mechanical Turk put into a study's address: PROLIFIC_PID,
STUDY_ID, SESSION_ID; workerId, assignmentId, hitId, turkSubmitTo.
"""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from stored_campaigns import name_worker

Status = Literal["ACTIVE", "AWAITING REVIEW", "RETURNED", "TIMED-OUT", "REJECTED"]


@dataclass
class Platform:
    address: str  # the link that the organiser gave, up to the first parameter
    code: str  # what a worker must bring back
    name: Literal["prolific", "mturk"] = "prolific"
    submissions: dict[str, Status] = field(default_factory=dict)  # by worker

    def reserve(self, who: str) -> tuple[str, str]:
        """Give a worker a place; return their name and the address that they are sent to."""
        session = name_worker(f"session of {who}")
        if self.name == "prolific":
            worker = name_worker(who)
            sent = {"PROLIFIC_PID": worker, "STUDY_ID": name_worker("study"), "SESSION_ID": session}
        else:
            worker = f"A{name_worker(who)[:13].upper()}"
            submit = "https://www.mturk.com"
            sent = {"workerId": worker, "assignmentId": session, "hitId": name_worker("hit")}
            sent["turkSubmitTo"] = submit
        self.submissions[worker] = "ACTIVE"
        return worker, f"{self.address}?{urlencode(sent)}"

    def submit(self, worker: str, code: str) -> None:
        self.submissions[worker] = "AWAITING REVIEW" if code == self.code else "REJECTED"

    def give_up(self, worker: str, status: Literal["RETURNED", "TIMED-OUT"]) -> None:
        self.submissions[worker] = status
