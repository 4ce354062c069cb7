"""Pages in a real Chromium: the time to open a report on 1,000 packages, compared with one on a single package.

Without Chromium there are no rows.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from krmkit.views.page import page
from tests.bench.timing import Row, in_turns, row
from tests.conftest import CHROMEDRIVER, CHROMIUM, NO_BROWSER

GROUP = "Pages"
ROUNDS = 5
MANY = 1000


def rows() -> list[Row]:
    """Seconds from the call to the drawn page, and the ratio to a page with one package."""
    if CHROMIUM is None or CHROMEDRIVER is None:
        print(f"no pages are measured: {NO_BROWSER}", file=sys.stderr)
        return []
    from tests.e2e.browser import chromium
    from tests.e2e.manypackages import sample, thousand

    with TemporaryDirectory() as folder, chromium() as browser:
        report = json.loads(sample(Path(folder)))
        places = {}
        for count in (1, MANY):
            place = Path(folder, f"{count}.html")
            place.write_text(page(thousand(report, count)))
            places[str(count)] = place.as_uri()

        def opened(address: str) -> float:
            browser.open(address)
            browser.find("main section")
            timing = "const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventEnd"
            return float(browser.until(timing)) / 1000

        taken = in_turns({name: partial(opened, address) for name, address in places.items()}, ROUNDS)
    one, many = taken["1"], taken[str(MANY)]
    return [
        row(GROUP, f"opening a report on {MANY:,} packages", many, "s", 2),
        row(GROUP, "the same, to one on a single package", many / one, "x"),
    ]
