# SPDX-License-Identifier: MIT
"""The page of --web in chromium, at Prometheus, and with many clients; run.sh starts it."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from selenium.webdriver.common.keys import Keys

from browsing import BLECTL, NAMES, NARROW, Browser, Served, until, world
from pictures import Pictures

pictures = Pictures(NAMES)
# Those whose rows are in pictures: the one never, the other always warmer than 10 °C.
COLD, WARM = "Attic", "Shed"


def browser():
    """The table, its filter and order, charts, events, at two widths, light and dark; no finding of axe."""
    with tempfile.TemporaryDirectory() as folder, Served(
            "listen", "--absent", "3s", "--when", "temperature_celsius > 10 for 1s", world(10, 300, folder)) as served:
        with Browser() as view:
            view.driver.get(served.url)
            view.until(lambda: len(view.names()) == 10, "ten devices")
            assert view.names() == sorted(view.names()), view.names()
            view.until(lambda: "°C" in view.one("#rows td.values").text, "a temperature")
            view.until(lambda: view.one("#listening").text == "Listening on hci0", "the adapter")
            view.until(lambda: view.attribute("#rows td.signal path", "d"), "the course of a strength")
            view.one("#filter").send_keys("gar")
            view.until(lambda: view.names() == ["Garage", "Garden"], "the filter")
            view.one("#filter").clear()
            view.one("#filter").send_keys(Keys.SPACE, Keys.BACKSPACE)
            view.click("button[data-sort='rssi']")
            view.until(lambda: view.names()[0] == "Attic", "the strongest first")
            view.click("#rows td.device button")
            view.until(lambda: len(view.all(".panel")) == 4, "a panel for each number")
            view.until(lambda: view.line().count("L") >= 3, "a line")
            view.until(lambda: view.all("#alert-list li.alarm"), "an alarm")
            pictures.take(view, "wide", [COLD, WARM])
            view.check("1600 pixels")
            view.until(lambda: view.choose("#subject", "temperature") is None, "the choice of a subject")
            view.until(lambda: len(view.all(".legend li")) == 10, "a line for each device")
            before = view.attribute(".panel svg", "aria-label")
            view.click("#zoom-in")
            view.until(lambda: view.attribute(".panel .line", "d"), "a line after the zoom")
            assert before
            view.click("#log-values")
            view.until(lambda: len(view.all("#events li")) > 20, "values among the events")
            pictures.take(view, "field", [COLD, WARM])
            view.check("with alarms")
            view.resize(NARROW)
            view.until(lambda: view.one("thead").size["height"] < 5, "cards instead of a table")
            pictures.take(view, "narrow", [COLD, WARM])
            view.check("360 pixels")
            assert not view.complaints(), view.complaints()
        with Browser(dark=True) as view:
            view.driver.get(served.url)
            view.until(lambda: len(view.names()) == 10, "ten devices")
            view.click("#rows td.device button")
            view.until(lambda: len(view.all(".panel")) >= 4, "a panel for each number")
            view.until(lambda: view.line().count("L") >= 3, "a line")
            pictures.take(view, "dark", [COLD, WARM])
            view.check("dark")


def keyboard():
    """Everything is reached and used with keys alone."""
    with tempfile.TemporaryDirectory() as folder, Served("listen", world(5, 500, folder)) as served, Browser() as view:
        view.driver.get(served.url)
        view.until(lambda: len(view.names()) == 5, "five devices")
        seen = []
        for _ in range(60):
            view.press(Keys.TAB)
            seen.append(view.run("document.activeElement.id || document.activeElement.textContent"))
            if seen[-1] == "Freezer":
                break
        assert {"filter", "devices-csv", "Device ▲", "Device"} & set(seen), seen
        assert seen[-1] == "Freezer", seen
        outline = view.run("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", outline
        view.press(Keys.ENTER)
        view.until(lambda: view.all(".panel svg"), "a chart")
        # Values come, but the focus stays.
        before = view.line()
        view.until(lambda: view.line() != before, "another value")
        assert view.run("document.activeElement.textContent") == "Freezer"
        view.driver.execute_script("document.querySelector('.panel svg').focus()")
        view.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        view.until(lambda: ":" in view.run("document.querySelector('.panel .now').textContent"), "a value at the cursor")


def hostile():
    """Names from the air are text, whatever they contain."""
    with tempfile.TemporaryDirectory() as folder:
        name = "<img src=x onerror=alert(1)>\"'</script>"
        path = pathlib.Path(folder) / "world.json"
        path.write_text(json.dumps({"peripherals": [{"address": "C5:EA:50:00:03:01", "name": name[:29], "advertisement": {
            "connectable": False, "scan_response": ["name"], "beacons": [{"bthome": {"temperature": 1}}]}}]}))
        with Served("listen", f"--simulate={path}") as served, Browser() as view:
            view.driver.get(served.url)
            view.until(lambda: view.names() == [name[:29]], "the name as it is")
            view.click("#rows td.device button")
            view.until(lambda: view.all(".panel"), "a chart")
            assert view.run("document.querySelectorAll('img').length") == 0
            assert not view.complaints(), view.complaints()


def reconnect():
    """The page goes on by itself when the command is started again."""
    with tempfile.TemporaryDirectory() as folder, Browser() as view:
        simulated = world(3, 300, folder)
        with Served("listen", simulated) as served:
            view.driver.get(served.url)
            view.until(lambda: len(view.names()) == 3, "three devices")
            view.until(lambda: view.attribute("#rows td.signal path", "d").count("L") >= 3, "the course of a strength")
            port = served.port
        view.until(lambda: view.one("#stream").is_displayed(), "that the connection is lost")
        pictures.take(view, "lost", [COLD])
        with Served("listen", simulated, port=port):
            view.until(lambda: not view.one("#stream").is_displayed(), "the connection again", 30)
            before = view.run("document.querySelector('#events').textContent.length")
            view.until(lambda: view.one("#rows td.time").text in ("now", "2 s ago", "3 s ago"), "new values", 30)
            assert before >= 0


def login():
    """The token is asked for once."""
    with tempfile.TemporaryDirectory() as folder:
        token = pathlib.Path(folder) / "token"
        token.write_text("0123456789abcdef\n")
        token.chmod(0o600)
        with Served("listen", world(2, 300, folder), "--web-token", str(token)) as served, Browser(NARROW) as view:
            view.driver.get(served.url)
            view.check("the login")
            pictures.take(view, "login")
            view.one("input[name=token]").send_keys("wrong", Keys.ENTER)
            view.until(lambda: view.one("#wrong").is_displayed(), "that it is wrong")
            view.one("input[name=token]").send_keys("0123456789abcdef", Keys.ENTER)
            view.until(lambda: len(view.names()) == 2, "the devices")
            assert view.run("document.cookie") == ""
            view.click("#logout button")
            view.until(lambda: view.all("input[name=token]"), "the login again")


def processor(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drawing(view):
    """The seconds of a processor that the browser has taken to draw the page, without its own windows."""
    used = {}
    parents = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            command = (folder / "cmdline").read_bytes()
            parents[folder.name] = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if b"--type=renderer" in command:
                used[folder.name] = processor(folder.name)
        except OSError:
            pass  # it has ended
    own = str(view.driver.service.process.pid)

    def is_ours(process):
        while process in parents and process != own:
            process = parents[process]
        return process == own

    found = [seconds for process, seconds in used.items() if is_ours(process)]
    assert found, "no process draws the page"
    return sum(found)


def load():
    """60 sensors, 100 records a second, a minute: the page takes at most 60 % of a processor."""
    seconds = int(os.environ.get("SECONDS_OF_LOAD", "60"))
    with tempfile.TemporaryDirectory() as folder, Served("listen", "--all", world(60, 590, folder)) as served, Browser() as view:
        view.driver.get(served.url)
        view.until(lambda: len(view.names()) == 60, "60 devices", 40)
        view.click("#rows td.device button")
        view.until(lambda: view.all(".panel svg"), "a chart")
        start, used = time.monotonic(), drawing(view)
        first = json.loads(served.get("/api/devices"))["id"].split("-")[1]
        time.sleep(seconds)
        past = time.monotonic() - start
        last = json.loads(served.get("/api/devices"))["id"].split("-")[1]
        share = (drawing(view) - used) / past
        rate = (int(last) - int(first)) / past
        pictures.keep(view, "load")
        print(f"page: {rate:.0f} records a second, {100 * share:.0f} % of a processor", file=sys.stderr)
        assert rate >= 80, rate
        # Nothing at all would be another process.
        assert 0.005 < share <= 0.6, share


def clients():
    """50 clients of the stream, one of which does not read: the others get every record, and it is told what it missed."""
    with tempfile.TemporaryDirectory() as folder, Served("listen", "--all", world(60, 100, folder)) as served:
        first = json.loads(served.get("/api/devices"))["id"]

        def follow():
            client = socket.create_connection(("127.0.0.1", served.port))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            client.sendall(f"GET /api/records?after={first} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            return client

        silent = follow()
        streams = [[] for _ in range(49)]
        isOver = threading.Event()

        def read(client, parts):
            client.settimeout(1)
            while not isOver.is_set():
                try:
                    parts.append(client.recv(65536))
                except TimeoutError:
                    pass

        threads = [threading.Thread(target=read, args=(follow(), parts), daemon=True) for parts in streams]
        for thread in threads:
            thread.start()
        program = subprocess.run(["pgrep", "-P", str(served.process.pid), "-f", "blectl-web"], capture_output=True, text=True).stdout.split()[0]

        def memory():
            return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{program}/status").read_text())[1]) // 1024

        time.sleep(20)
        middle = memory()
        time.sleep(20)
        end = memory()
        isOver.set()
        for thread in threads:
            thread.join()
        counts = []
        start = int(first.split("-")[1])
        for parts in streams:
            numbers = [int(one) for one in re.findall(rb"id: \w+-(\d+)\n", b"".join(parts))]
            assert numbers == list(range(start + 1, start + 1 + len(numbers))), "a client lacks records"
            counts.append(len(numbers))
        assert min(counts) > 5000, counts
        print(f"page: {min(counts)} records for each of 49 clients; {middle} MiB, then {end} MiB", file=sys.stderr)
        assert end < 200, end
        metrics = served.get("/metrics")
        assert "blectl_page_clients" in metrics
        silent.close()


def prometheus():
    """promtool finds nothing; Prometheus scrapes the metrics, and answers a query with the value of the record."""
    with tempfile.TemporaryDirectory() as folder, Served(
            "listen", "--absent", "1h", "--when", "battery_percent > 1", world(5, 300, folder)) as served:
        text = until(lambda: (now := served.get("/metrics")).count("blectl_battery_ratio{") == 5 and now, "five sensors")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        configuration = pathlib.Path(folder) / "prometheus.yml"
        configuration.write_text(
            "global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: blectl\n"
            f"    static_configs: [{{targets: ['localhost:{served.port}']}}]\n")
        server = subprocess.Popen(
            ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            query = "blectl_battery_ratio%7Bname%3D%22Cellar%22%7D"
            for _ in range(100):
                time.sleep(0.3)
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={query}") as answer:
                        result = json.load(answer)["data"]["result"]
                except OSError:
                    continue
                if result:
                    break
            else:
                raise AssertionError("Prometheus has no value")
            assert float(result[0]["value"][1]) == 0.99, result
            assert result[0]["metric"]["source"] == "bthome", result
        finally:
            server.terminate()
            server.wait(20)


def fields():
    """promtool finds nothing in the names of all fields that the documentation names."""
    docs = pathlib.Path(__file__).parents[3] / "docs"
    names = {name for page in ("adverts.md", "characteristics.md") for name in re.findall(r"`([a-z0-9_]+)`", (docs / page).read_text())}
    assert len(names) > 400, len(names)
    ours, theirs = socket.socketpair()

    def bequeath():
        os.dup2(theirs.fileno(), 3)

    # As blectl starts it.
    program = str(pathlib.Path(BLECTL).with_name("blectl-web"))
    with subprocess.Popen([program], preexec_fn=bequeath, pass_fds=[3]) as process:
        theirs.close()
        setup = {"web": "setup", "host": "127.0.0.1", "port": 0}
        record = {"event": "value", "time": "2026-11-21T05:11:00Z", "address": "AA", "type": "all", "decoded": dict.fromkeys(names, 1)}
        ours.sendall((json.dumps(setup) + "\n" + json.dumps(record) + "\n").encode())
        port = json.loads(ours.recv(1000))["port"]
        text = ""
        for _ in range(100):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                text = answer.read().decode()
            if "celsius" in text:
                break
            time.sleep(0.1)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        ours.close()
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert text.count("# TYPE") > 300, text.count("# TYPE")


TESTS = {test.__name__: test for test in (browser, keyboard, hostile, reconnect, login, load, clients, prometheus, fields)}


def main():
    wanted = sys.argv[1:] or list(TESTS)
    failed = 0
    for name in wanted:
        start = time.monotonic()
        try:
            TESTS[name]()
            print(f"page: {name}: passed in {time.monotonic() - start:.0f} s", file=sys.stderr)
        except Exception as error:  # the others run too
            failed += 1
            print(f"page: {name}: FAILED: {error}", file=sys.stderr)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
