"""The line that says how far a long run is."""

from dyncli.cli import progress
from dyncli.states.block import StateBlock


def test_the_line_says_rows_speed_and_time_left():
    assert progress.line(1_000_000, 2.0, None) == "1,000,000 rows, 500,000 rows/s"
    assert progress.line(1_000_000, 2.0, 0.25) == "1,000,000 rows, 500,000 rows/s, 25 %, 6 s left"
    assert progress.line(10, 600.0, 0.1).endswith("90 min left")


def test_blocks_pass_unchanged_and_the_line_is_wiped(capsys, monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: 3.0 * next(clock))
    blocks = [StateBlock(5, [0.0]), StateBlock(7, [0.0])]
    assert list(progress.watched(blocks, lambda: 0.5)) == blocks
    shown = capsys.readouterr().err
    assert "12 rows" in shown
    assert shown.endswith("\r\x1b[K")


def test_a_short_run_shows_nothing(capsys):
    list(progress.watched([StateBlock(5, [0.0])], lambda: None))
    assert capsys.readouterr().err == ""
