"""A real Chromium without a window, for the tests of pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.conftest import CHROMEDRIVER, CHROMIUM, NO_BROWSER
from tests.waiting import MOST

# Chromium's own sandbox does not start as root in a container; the pages under test are ours.
Found = TypeVar("Found")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


class Browser:
    """One Chromium, and what the tests ask of it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str, width: int = 1200, height: int = 900) -> None:
        """Load a page anew, at a size."""
        # Phones are narrower than any window may be.
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.errors()
        self.requests()
        self.driver.get(address)

    def dark(self, is_dark: bool) -> None:
        """Set the system's preference for dark or light colours."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def run(self, script: str, *arguments: object) -> Any:
        """The return value of a script."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        """The first element that fits, once it is there."""
        self.until(f"return document.querySelector({json.dumps(selector)}) !== null")
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """All elements that fit now."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "main") -> str:
        """The text that is seen of an element."""
        return self.use(selector, lambda element: element.text)

    def click(self, selector: str) -> None:
        """Press the first element that fits. It is brought into view at once, as nothing can be pressed while the page still moves."""
        here = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"

        def press(element: WebElement) -> None:
            self.run(here, element)
            element.click()

        self.use(selector, press)

    def use(self, selector: str, action: Callable[[WebElement], Found]) -> Found:
        """Do something with the first element that fits; once more if the page drew it anew in between."""
        while True:
            with suppress(StaleElementReferenceException):
                return action(self.find(selector))

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def until(self, script: str, *arguments: object) -> Any:
        """Wait until a script returns something true, and return it."""
        wait: Any = WebDriverWait(self.driver, MOST, poll_frequency=0.05)
        return wait.until(lambda _: self.run(script, *arguments), f"never true: {script}")

    def errors(self) -> list[str]:
        """The console's messages since the page was opened, without notes."""
        said: Any = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in said if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """The addresses that the page asked for since it was opened, itself included."""
        messages: Any = self.driver.get_log("performance")  # type: ignore[no-untyped-call]
        entries = [json.loads(entry["message"])["message"] for entry in messages]
        return [
            entry["params"]["request"]["url"]
            for entry in entries
            if entry["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a Chromium with a profile of its own, and end it."""
    assert CHROMIUM is not None and CHROMEDRIVER is not None, NO_BROWSER
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
