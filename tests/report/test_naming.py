"""Names beside points."""

from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.naming import GAP, LETTER, LINE, place_names

WIDTH = 300.0
POINTS = st.lists(
    st.tuples(st.floats(0, WIDTH, allow_nan=False), st.floats(0, 200, allow_nan=False)), max_size=12
)


def _box(points, name, one):
    x, y = points[one.at]
    long = LETTER * len(name)
    start = x + GAP if one.side == "right" else x - GAP - long
    return start, y - LINE / 2, start + long, y + LINE / 2


@given(POINTS)
def test_names_never_meet_and_never_leave_the_plot(points):
    names = [f"system-{i}" for i in range(len(points))]
    boxes = [_box(points, names[one.at], one) for one in place_names(points, names, WIDTH)]
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert right <= WIDTH
        for other in boxes[:i]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


def test_a_lonely_point_is_named_at_its_right():
    (one,) = place_names([(10.0, 10.0)], ["a"], WIDTH)
    assert one.side == "right"


def test_a_point_at_the_edge_is_named_at_its_left():
    (one,) = place_names([(WIDTH - 2, 10.0)], ["a"], WIDTH)
    assert one.side == "left"
