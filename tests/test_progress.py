"""The line that says how far a long run is."""

from dyncli.cli import progress


def test_the_line_says_rows_speed_and_time_left():
    assert progress.line(1_000_000, 2.0, None) == "1,000,000 rows, 500,000 rows/s"
    assert progress.line(1_000_000, 2.0, 0.25) == "1,000,000 rows, 500,000 rows/s, 25 %, 6 s left"
    assert progress.line(10, 600.0, 0.1).endswith("90 min left")


def test_rows_add_up_and_the_line_is_wiped(capsys, monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: 3.0 * next(clock))
    shown = progress.Progress(lambda: 0.5)
    shown.advance(5)
    shown.advance(7)
    assert capsys.readouterr().err.endswith("\r\x1b[K12 rows, 2 rows/s, 50 %, 6 s left")
    shown.wipe()
    shown.wipe()
    assert capsys.readouterr().err == "\r\x1b[K"


def test_a_short_run_shows_nothing(capsys):
    shown = progress.Progress(lambda: None)
    shown.advance(5)
    shown.wipe()
    assert capsys.readouterr().err == ""
