"""The page of `dyn report` in a real Chromium: it shows, it fits a phone, it loads nothing, it goes dark."""

from __future__ import annotations

import html
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import BROWSER, Browser, browser

from dyncli.build import ModelOptions
from dyncli.formats.load import parse_description
from dyncli.lint import lint
from dyncli.report import SECTIONS, report_page
from dyncli.robot import Robot, load_robot

pytestmark = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed: the page is not looked at")

SAMPLES = Path(__file__).parent.parent / "sample_models"
PHONE, DESKTOP = 360, 1280
EVIL = "</style><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"


def evil_robot() -> Robot:
    """A gripper whose names are markup, one of them long and without a place to break it."""
    text = (SAMPLES / "rail_gripper.urdf").read_text()
    text = text.replace('name="rail_gripper"', f'name="{html.escape(EVIL)}"')
    text = text.replace('"wrist_pitch"', f'"{html.escape(EVIL)}"').replace('"forearm"', f'"{"f" * 120}"')
    return Robot(parse_description(text.encode()), ModelOptions())


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    robots = {
        "evil": evil_robot(),
        "quadruped": load_robot(SAMPLES / "quadruped.urdf", ModelOptions(root="floating")),
    }
    folder = tmp_path_factory.mktemp("pages")
    written = {}
    for name, robot in robots.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(report_page(robot, lint(robot.description, robot.options), against=[]))
    return written


@pytest.mark.parametrize("name", ["evil", "quadruped"])
def test_every_section_shows_and_nothing_is_said_or_loaded(shown, pages, name):
    shown.told.clear()
    shown.requested.clear()
    shown.open(pages[name], width=DESKTOP)
    text = shown.value_of("document.body.innerText")
    assert all(title in text for _, title in SECTIONS)
    assert shown.told == []
    assert shown.requested == [pages[name].as_uri()]
    sizes = "[...document.querySelectorAll('section, svg')].map(e => e.getBoundingClientRect().height)"
    assert min(shown.value_of(sizes)) > 0


@pytest.mark.parametrize("width", [PHONE, 768, DESKTOP])
@pytest.mark.parametrize("name", ["evil", "quadruped"])
def test_the_page_is_as_wide_as_its_window(shown, pages, name, width):
    shown.open(pages[name], width=width)
    assert shown.value_of("document.documentElement.scrollWidth") == width
    # what is wider scrolls in a box of its own
    beyond = f"""[...document.querySelectorAll('main *, header *')]
        .filter(e => e.getBoundingClientRect().right > {width} + 1 && !e.closest('.scroll'))
        .map(e => e.outerHTML.slice(0, 80))"""
    assert shown.value_of(beyond) == []
    picture = shown.screenshot()
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">I", picture[16:20]) == (width,)


def test_names_do_nothing(shown, pages):
    shown.open(pages["evil"], width=PHONE)
    assert shown.value_of("document.title") == f"{EVIL}: robot report"
    assert shown.value_of("document.querySelector('h1').textContent") == EVIL
    assert shown.value_of("document.querySelectorAll('script, img').length") == 0


def test_the_policy_lets_nothing_run(shown, pages, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(pages["evil"].read_text().replace("</main>", f"{EVIL}</main>"))
    shown.told.clear()
    shown.received.clear()
    shown.open(broken, width=DESKTOP)
    assert shown.value_of("document.title") == f"{EVIL}: robot report"
    assert shown.received == [broken.as_uri()]
    assert any("Content Security Policy" in text for text in shown.told)


def test_it_follows_the_readers_scheme_with_enough_contrast(shown, pages):
    grounds = []
    for dark in (False, True):
        shown.open(pages["quadruped"], width=DESKTOP, dark=dark)
        ground, *inks = (
            luminance(shown.value_of(f"getComputedStyle(document.querySelector('{where}')).{what}"))
            for where, what in (
                ("body", "backgroundColor"),
                ("body", "color"),
                (".caption", "color"),
                ("nav a", "color"),
            )
        )
        grounds.append(ground)
        assert all((max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) > 4.5 for ink in inks)
    assert grounds[0] > 0.9 > 0.1 > grounds[1]


def test_it_prints(shown, pages):
    shown.open(pages["quadruped"], width=DESKTOP, dark=True)
    assert shown.pdf().startswith(b"%PDF")
    shown.call("Emulation.setEmulatedMedia", media="print")
    assert luminance(shown.value_of("getComputedStyle(document.body).backgroundColor")) > 0.9
    shown.call("Emulation.setEmulatedMedia", media="")


def luminance(color: str) -> float:
    """Relative luminance of `rgb(r, g, b)`, as WCAG 2 defines it."""
    parts = [float(part) / 255.0 for part in color.removeprefix("rgb(").rstrip(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
