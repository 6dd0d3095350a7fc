# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Reports in headless Chromium: what is drawn, what is loaded, what does not fit."""

import json
import runpy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.bounds.made_up_bound import write_bound
from tests.bounds.made_up_experiment import write_experiment
from tests.report import run_builder
from tests.report.run_builder import Made, ordinary_rows, overrun, write_composite, write_run
from tests.suites.made_up_suite import made_up_vetting, ordinary_suite, write_vetting

from laxity.report.page import write_report

selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM.exists() and DRIVER.exists()),
    reason="chromium or chromedriver is missing (Debian: chromium chromium-driver)",
)
TOOL = Path(__file__).parents[2] / "tools" / "screenshot-report"
PHONE_WIDTH = 400
DUPLICATE_IDS = """
const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
return ids.filter((id, place) => ids.indexOf(id) !== place);
"""
BROKEN_REFERENCES = """
const uses = [...document.querySelectorAll('use, a')].map(one => one.getAttribute('href'));
const within = uses.filter(href => !href || !href.startsWith('runs/'));
return within.filter(href => !href || !document.getElementById(href.slice(1)));
"""
# Boxes of all figures, and of what is drawn in them.
DRAWN = """
return [...document.querySelectorAll('figure svg')].map(svg => {
  const box = svg.getBoundingClientRect(), inner = svg.getBBox();
  return [box.width, box.height, inner.width, inner.height,
          svg.querySelectorAll('path, use').length, svg.getAttribute('aria-label').length];
});
"""
# Text that is cut off or runs out of its drawing; 2 px are rounding.
TEXT_OUTSIDE = """
return [...document.querySelectorAll('figure svg')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const own = text.getBoundingClientRect();
    return own.left < box.left - 2 || own.right > box.right + 2
        || own.top < box.top - 2 || own.bottom > box.bottom + 2;
  }).map(text => svg.getAttribute('aria-label').slice(0, 40) + ': ' + text.textContent);
});
"""
# (contrast of text, element) of everything that shows text of its own; WCAG 2.1 formula.
LOW_CONTRAST = """
const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const numbers = text => text.match(/[\\d.]+/g).map(Number);
const light = rgb => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
const back = one => {
  for (; one; one = one.parentElement) {
    const rgb = numbers(getComputedStyle(one).backgroundColor);
    if (rgb.length < 4 || rgb[3] > 0) return rgb;
  }
  return [255, 255, 255];
};
return [...document.querySelectorAll('body *')].filter(one =>
  [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
).map(one => {
  const style = getComputedStyle(one);
  const ink = one.closest('svg') ? style.fill : style.color;
  const pair = [light(numbers(ink)), light(back(one))].sort((a, b) => b - a);
  return [(pair[0] + 0.05) / (pair[1] + 0.05), one.tagName + ': ' + one.textContent.slice(0, 30)];
}).filter(found => found[0] < 4.5);
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service  # noqa: PLC0415 - may be missing

    arguments = runpy.run_path(str(TOOL))["ARGUMENTS"]
    options = selenium.ChromeOptions()
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = selenium.Chrome(options=options, service=Service(str(DRIVER)))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of an ordinary pair of runs and of the awkward ones, written once."""
    root = tmp_path_factory.mktemp("reports")
    late = ordinary_rows(60)
    overrun(late, 30, 12_000_000)
    awkward = {
        "none": Made(ordinary_rows(0)),
        "one": Made(ordinary_rows(1), without=run_builder.SNAPSHOT_COLUMNS),
        "two": Made(ordinary_rows(40), others=[Made(ordinary_rows(30, 2), name="vision")]),
        "misses": Made(late, keep="misses", name="a" * 80, corunners=[run_builder.corunner()]),
    }
    found = {name: write_report(write_run(root / name, made)) for name, made in awkward.items()}
    runs = {
        name: replace(made, drift=["CPU 1 slowed down"])
        for name, made in run_builder.demo_runs(3000).items()
    }
    found["experiment"] = write_report(write_experiment(root / "experiment"))
    found["bound"] = write_report(write_bound(root / "bound", deadline="20ms"))
    found["suite"] = write_report(ordinary_suite(root / "suite"))
    found["vetting"] = write_report(write_vetting(root / "vetting", made_up_vetting()))
    return {"demo": write_report(write_composite(root / "demo", runs)), **found}


NAMES = ("demo", "none", "one", "two", "misses", "bound", "experiment", "suite", "vetting")


def load(driver: Any, report: Path, *, width: int = 1200, scheme: str = "light") -> None:  # noqa: ANN401 - selenium may be missing
    """Load a report as on a screen of that width and in that theme."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    theme = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [theme]})
    for log in ("browser", "performance"):
        driver.get_log(log)
    driver.get(report.as_uri())


@pytest.mark.parametrize("name", NAMES)
def test_report_loads_nothing_and_logs_nothing(driver: Any, reports: dict[str, Path], name: str):  # noqa: ANN401
    load(driver, reports[name])
    assert driver.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    # The page itself; its empty icon is data within it.
    assert [url for url in asked if not url.startswith("data:")] == [reports[name].as_uri()]
    assert driver.execute_script("return document.scripts.length") == 0


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_references_lead_somewhere(
    driver: Any,  # noqa: ANN401
    reports: dict[str, Path],
    name: str,
):
    load(driver, reports[name])
    assert driver.execute_script(DUPLICATE_IDS) == []
    assert driver.execute_script(BROKEN_REFERENCES) == []


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("demo", 18),
        ("none", 0),
        ("one", 7),
        ("two", 14),
        ("misses", 7),
        ("bound", 1),
        ("experiment", 1),
        ("suite", 1),
        ("vetting", 0),
    ],
)
def test_every_figure_is_drawn(driver: Any, reports: dict[str, Path], name: str, count: int):  # noqa: ANN401
    # demo: comparison 4, and per run 2 + 2 distributions, 2 series, 1 split
    load(driver, reports[name])
    boxes = driver.execute_script(DRAWN)
    assert len(boxes) == count
    for *sizes, alt_length in boxes:
        assert all(size > 0 for size in sizes)
        assert alt_length > 30


@pytest.mark.parametrize("width", [PHONE_WIDTH, 800, 1200])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_runs_out_of_the_page(
    driver: Any,  # noqa: ANN401
    reports: dict[str, Path],
    name: str,
    width: int,
):
    load(driver, reports[name], width=width)
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert driver.execute_script("return document.documentElement.scrollWidth") == width
    assert driver.execute_script(TEXT_OUTSIDE) == []


def test_worst_jobs_have_no_tall_rows_on_a_phone(driver: Any, reports: dict[str, Path]):  # noqa: ANN401
    load(driver, reports["demo"], width=PHONE_WIDTH)
    heights = driver.execute_script("""
    return [...document.querySelectorAll('table')]
      .filter(table => table.caption.textContent.startsWith('The worst'))
      .flatMap(table => [...table.tBodies[0].rows].map(row => row.offsetHeight));
    """)
    # four lines of text; one word per line took eight
    assert heights
    assert max(heights) < 4 * 13 * 1.5 + 11


@pytest.mark.parametrize("name", ["demo", "suite", "vetting"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_both_themes(
    driver: Any,  # noqa: ANN401
    reports: dict[str, Path],
    name: str,
    scheme: str,
):
    load(driver, reports[name], scheme=scheme)
    back = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    is_dark = sum(int(part) for part in back[4:-1].split(",")) < 3 * 128
    assert is_dark == (scheme == "dark")
    assert driver.execute_script(LOW_CONTRAST) == []


def test_printed_report_is_light_and_shows_folded_parts(driver: Any, reports: dict[str, Path]):  # noqa: ANN401
    load(driver, reports["vetting"], scheme="dark")
    theme = {"name": "prefers-color-scheme", "value": "dark"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [theme]})
    style = "return getComputedStyle(document.body)"
    assert driver.execute_script(f"{style}.backgroundColor") == "rgb(255, 255, 255)"
    # Whole sections that are folded are left out, with their heads; others are shown.
    shown = driver.execute_script("""
        return [...document.querySelectorAll('details p, details table, details pre')]
            .filter(one => !one.closest('.all, .section'))
            .map(one => one.getBoundingClientRect().height)
    """)
    assert shown
    assert min(shown) > 0
    left_out = "return document.querySelector('details.section:not([open])').offsetHeight"
    assert driver.execute_script(left_out) == 0
    assert driver.execute_script("return document.querySelector('nav').offsetHeight") == 0


@pytest.mark.parametrize("name", ["demo", "suite", "vetting"])
def test_every_table_has_a_caption_and_row_headers(
    driver: Any,  # noqa: ANN401
    reports: dict[str, Path],
    name: str,
):
    load(driver, reports[name])
    bare = """
    return [...document.querySelectorAll('table')].filter(table => !table.caption
      || [...table.tBodies[0].rows].some(row => row.cells[0].scope !== 'row')).length
    """
    assert driver.execute_script(bare) == 0
    assert driver.execute_script("return document.documentElement.lang") == "en"
