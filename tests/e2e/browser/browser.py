"""Pages in headless Chromium: opens a file, watches its console and its requests, looks at it.

    with Browser() as browser:
        page = browser.open("out/report.html", size=PHONE, dark=True)
        assert page.find("#roc svg")
        page.screenshot("phone.png")
        page.check()                       # no console message, no request; also done when closed

Needs python3-selenium, chromium and chromium-driver; ends the test as skipped (77) without them."""
import base64
import json
import os
import shutil
import sys
import tempfile

SKIPPED = 77
DESKTOP = (1280, 900)
PHONE = (390, 844)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common import utils
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    skip(f"python3-selenium: {missing}")


def program(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    return skip(f"no {names[0]} here; 'tools/install-deps test' installs it")


class LocalService(Service):
    """chromedriver by its address: not every machine knows the name localhost, or means 127.0.0.1 by it."""

    @property
    def service_url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self):
        return utils.is_connectable(self.port, "127.0.0.1")


class Page:
    def __init__(self, driver, address):
        self.driver = driver
        self.address = address
        self.known = {address}  # what it may load: itself
        self.origins = ()  # and what begins so
        self.complaints = []

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector):
        found = self.all(selector)
        return found[0] if found else None

    def run(self, script, *words):
        """The value of a piece of JavaScript, as in `return 1 + 1`."""
        return self.driver.execute_script(script, *words)

    def press(self, *keys, on="body"):
        """Keys by name ("ARROW_RIGHT", "SPACE") or as themselves."""
        for key in keys:
            self.find(on).send_keys(getattr(Keys, key, key))

    def width(self):
        """Of the contents, in pixels: more than the window means scrolling sideways."""
        return self.run("return document.documentElement.scrollWidth")

    def cut_texts(self):
        """Texts of charts that reach out of their pictures, which cut them off."""
        return self.run("""return [...document.querySelectorAll("svg.chart text")].filter(text => {
            const box = text.getBoundingClientRect(), picture = text.ownerSVGElement.getBoundingClientRect();
            return box.left < picture.left - 1 || box.right > picture.right + 1 || box.bottom > picture.bottom + 1;
        }).map(text => text.textContent);""")

    def screenshot(self, path, whole=True):
        """whole: the whole page, not only what fits the window."""
        picture = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def print_pdf(self, path):
        pdf = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
        with open(path, "wb") as file:
            file.write(base64.b64decode(pdf["data"]))

    def check(self):
        """Nothing on the console, and the page asked for nothing but itself."""
        for entry in self.driver.get_log("browser"):
            self.complaints.append(f"console: {entry['message']}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            address = message["params"]["request"]["url"]
            if address not in self.known and not address.startswith(("data:", *self.origins)):
                self.complaints.append(f"request: {address}")
        assert not self.complaints, "\n".join(self.complaints)


class Browser:
    """Without network, with a profile of its own that is removed at the end."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="conehull-browser-")
        self.pages = []
        options = Options()
        options.binary_location = program("chromium", "chromium-browser", "google-chrome")
        for flag in ("headless", "no-sandbox", "disable-gpu", "disable-background-networking",
                     "disable-component-update", "disable-sync", "disable-dev-shm-usage", "no-first-run",
                     "hide-scrollbars", f"user-data-dir={self.profile}"):
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        try:
            self.driver = webdriver.Chrome(options=options, service=LocalService(program("chromedriver")))
        except BaseException:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        return self

    def open(self, path, size=DESKTOP, dark=False):
        for page in self.pages:
            page.check()
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get_log("performance")  # forgets what the page before did
        page = Page(self.driver, path if path.startswith("http://") else "file://" + os.path.abspath(path))
        self.pages = [page]
        self.driver.get(page.address)
        return page

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                for page in self.pages:
                    page.check()
        finally:
            self.driver.quit()
            shutil.rmtree(self.profile, ignore_errors=True)
