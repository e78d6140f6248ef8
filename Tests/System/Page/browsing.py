# SPDX-License-Identifier: MIT
"""A command with a page, and chromium on it."""

import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

BLECTL = os.environ["BLECTL"]
AXE = (pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js").read_text()
WIDE, NARROW = (1600, 1000), (360, 740)
NAMES = ["Attic", "Cellar", "Freezer", "Garage", "Garden", "Greenhouse", "Hall", "Kitchen", "Nursery", "Shed"]


def world(count, interval, folder):
    """A world file with sensors, whose values change with each packet."""
    sensors = []
    for number in range(count):
        name = NAMES[number % len(NAMES)] + (f" {number // len(NAMES) + 1}" if count > len(NAMES) else "")
        sensors.append({
            "address": f"C5:EA:50:00:02:{number:02X}", "name": name, "rssi": -50 - number % 40,
            "advertisement": {"connectable": False, "interval": f"{interval}ms", "beacons": [{"bthome": {
                "packet_id": {"counter": {}},
                "temperature": {"sine": {"middle": 5 + number % 20, "amplitude": 3, "period": 40 + number}},
                "humidity": {"walk": {"from": 50, "step": 1, "least": 30, "greatest": 90, "seed": number + 1}},
                "battery": 100 - number}, "every": f"{interval}ms"}]}})
    path = pathlib.Path(folder) / "world.json"
    path.write_text(json.dumps({"peripherals": sensors}))
    return f"--simulate={path}"


def until(condition, what, limit=20):
    """Asks until a condition holds, and returns it."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        try:
            if result := condition():
                return result
        except Exception:  # an element was drawn again
            pass
        time.sleep(0.1)
    raise AssertionError(f"not within {limit} s: {what}")


class Served:
    """A command with a page."""

    def __init__(self, *arguments, port=0, before=()):
        self.process = subprocess.Popen(
            [*before, BLECTL, *arguments, "--web", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"the page is at (http://\S+:(\d+)/)", line):
                self.url, self.port = found[1], int(found[2])
                break
        else:
            raise AssertionError("there is no page")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)

    def get(self, path):
        with urllib.request.urlopen(self.url + path.lstrip("/"), timeout=20) as answer:
            return answer.read().decode()


def stamp(seconds):
    """A time as in records."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1e6):06}Z"


def record(event, number, name=None, at=None, **more):
    """A record of a device, which has a number."""
    named = {} if name is None else {"name": name}
    return {"event": event, "time": stamp(at or time.time()), "address": f"C5:EA:50:00:{number // 256:02X}:{number % 256:02X}"} | named | more


def value(number, name=None, at=None, **decoded):
    return record("value", number, name, at, type="bthome", value="4000", via="advertisement", decoded=decoded)


class Fed:
    """A page whose records a test sends."""

    def __init__(self, **setup):
        self.process = subprocess.Popen([os.environ["FED_PAGE"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send({"command": "listen"} | setup)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}{setup.get('base', '')}/"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def send(self, *records):
        self.process.stdin.write(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records))
        self.process.stdin.flush()

    def get(self, path):
        with urllib.request.urlopen(self.url + path.lstrip("/"), timeout=20) as answer:
            return answer.read().decode()

    def has(self, count):
        """Waits until so many records have been read."""
        until(lambda: int(json.loads(self.get("/api/devices"))["id"].rpartition("-")[2]) >= count, f"{count} records", 60)


class Browser:
    def __init__(self, size=WIDE, dark=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        # The checker looks at 300 rows for half a minute, on a busy machine for longer.
        self.driver.set_script_timeout(300)
        self.resize(size)
        if dark:
            self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, size):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 700)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        """Presses keys, for what has the focus: rows are replaced at any moment."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def run(self, script, *arguments):
        return self.driver.execute_script("return " + script, *arguments)

    def before(self, script):
        """Runs a script before those of each page to come."""
        self.command("Page.addScriptToEvaluateOnNewDocument", source=script)

    def saved(self, selector):
        """The text of the file that a button saves."""
        self.driver.execute_script(
            "URL.createObjectURL = blob => { blob.text().then(text => { window.savedText = text; }); return 'data:,'; };"
            "window.savedText = undefined; HTMLAnchorElement.prototype.click = () => {}; document.querySelector(arguments[0]).click()", selector)
        return self.until(lambda: self.run("window.savedText"), f"the file of {selector}")

    def jumps(self, milliseconds=2000):
        """What moves by itself within a time: the names of elements, and the heights of the table."""
        return self.driver.execute_async_script("""
            const [time, done] = arguments, moved = new Set(), heights = new Set();
            const watch = new PerformanceObserver(list => {
              for (const entry of list.getEntries()) for (const { node } of entry.sources) moved.add(node?.className || node?.nodeName);
            });
            watch.observe({ type: "layout-shift" });
            const timer = setInterval(() => heights.add(document.querySelector("table").offsetHeight), 50);
            setTimeout(() => { clearInterval(timer); watch.disconnect(); done([[...moved], [...heights]]); }, time);
        """, milliseconds)

    def attribute(self, selector, name):
        """An attribute of the first such element, in one step: the page may draw it again between two."""
        return self.run("document.querySelector(arguments[0])?.getAttribute(arguments[1])", selector, name)

    def click(self, selector):
        """Clicks on the first such element, which the page may draw again at any moment."""
        self.until(lambda: self.one(selector).click() is None, f"a click on {selector}")

    def choose(self, selector, text):
        Select(self.one(selector)).select_by_visible_text(text)

    def until(self, condition, what, limit=20):
        return until(condition, what, limit)

    def line(self):
        """The course of the first chart, as a path."""
        return self.attribute(".panel .line", "d") or ""

    def names(self):
        return self.run("[...document.querySelectorAll('#rows td.device button')].map(one => one.textContent)")

    def complaints(self):
        """What the browser says, such as of the policy of contents."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def check(self, what):
        self.driver.execute_script(AXE)
        answer = self.driver.execute_async_script("axe.run().then(arguments[0])")
        found = [(one["id"], one["help"], [node["target"] for node in one["nodes"]][:5]) for one in answer["violations"]]
        assert not found, f"{what}: {found}"
        width = self.run("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], f"{what}: the page is wider than the window: {width}"
