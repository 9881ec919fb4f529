"""Places in sessions, by hand."""

import numpy as np

from evenhand.judges.habits import PAUSE, place_in_session


def test_places_run_from_minus_half_to_half_in_the_order_of_time():
    moment = np.array([30.0, 10.0, 20.0, 0.0, 40.0])
    found = place_in_session(np.zeros(5, int), moment, enough=5)
    assert found.tolist() == [0.25, -0.25, 0, -0.5, 0.5]


def test_a_pause_ends_a_session_and_judges_have_their_own():
    judge = np.array([0, 0, 0, 0, 1, 1])
    moment = np.array([0.0, 1, PAUSE + 2, PAUSE + 3, 0, 1])
    found = place_in_session(judge, moment, enough=2)
    assert found.tolist() == [-0.5, 0.5] * 3
