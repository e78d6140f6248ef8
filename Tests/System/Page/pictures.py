# SPDX-License-Identifier: MIT
"""Pictures of the page, and what they show, compared with pictures.json: contents, not pixels.

PAGE_RECORD=1 writes pictures.json anew. What a picture shows is a tree of what can be seen: roles, names, texts, colours,
places, the lines of charts. Times, values and names that change from run to run are replaced by words; pictures.js says what
else is left out. The pictures themselves are kept beside the output of the tests.
"""

import difflib
import json
import os
import pathlib
import re
import time

HERE = pathlib.Path(__file__).parent
EXPECTED = HERE / "pictures.json"
SCRIPT = (HERE / "pictures.js").read_text()
FOLDER = pathlib.Path(os.environ["PAGE_PICTURES"])
RECORDS = os.environ.get("PAGE_RECORD") == "1"

OPTIONS = {
    "grid": 8,
    # Boxes that the width of the window determines, and not what is in them.
    "boxes": "header, main, section, table, form:not(#logout), ol, footer, .panel, .panel svg",
    "live": "#rows td.values dd, #rows td.signal, #rows td.time, #alert-list, #alert-count, #events, .panel .now, .panel .facts, .panel svg",
    "samples": {"#alert-list": "li.alarm", "#events": "li.value"},
}
# What is told of a picture, and of each thing in it, in this order.
FACTS = ("title", "width", "outside", "overlaps", "role", "name", "text", "count", "after", "across", "tall", "ink", "drawn")
DAY = re.compile(r"\d+/\d+/\d+,? *|\b[A-Z][a-z][a-z] \d+,? *")
CLOCK = re.compile(r"(?<![\w:])\d\d?:\d\d(:\d\d)?( ?[AP]M)?(?![\w:])")
AGO = re.compile(r"\bnow\b|\d+ (s|min|h) ago")
NUMBER = re.compile(r"(?<![\w:.])[-−]?\d+(\.\d+)?")
VERSION = re.compile(r"\b\d+\.\d+\.\d+\S*")


class Pictures:
    """Takes pictures, and remembers what those show that are recorded."""

    def __init__(self, names):
        """`names` are those of the devices: which of them comes first in an alarm or a chart depends on the time."""
        self.expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
        self.names = re.compile(r"\b(" + "|".join(names) + r")\b")

    def take(self, view, name, rows=()):
        """Compares a picture, as soon as it shows what it should, and keeps it; `rows` are those of the table in it."""
        view.driver.execute_script("scrollTo(0, 0)")
        # Away from what changes under it.
        view.command("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        end = time.monotonic() + 20
        before, shown = None, self.shown(view, rows)
        while time.monotonic() < end and (shown != before if RECORDS else shown != self.expected.get(name)):
            time.sleep(1)
            before, shown = shown, self.shown(view, rows)
        self.keep(view, name)
        (FOLDER / f"page-{name}.json").write_text(written({name: shown}))
        if RECORDS:
            self.expected[name] = shown
            EXPECTED.write_text(written(self.expected))
            return
        assert name in self.expected, f"the picture {name} is not in {EXPECTED.name}: PAGE_RECORD=1 writes it"
        found = list(differences(self.expected[name], shown))
        assert not found, f"the picture {name} shows something else; PAGE_RECORD=1 accepts it:\n  " + "\n  ".join(found[:40])

    def keep(self, view, name):
        """Keeps a picture that nothing is compared with."""
        view.driver.save_screenshot(str(FOLDER / f"page-{name}.png"))

    def shown(self, view, rows):
        content = view.driver.execute_script(f"return ({SCRIPT})(arguments[0])", OPTIONS | {"rows": list(rows)})
        for key in ("outside", "overlaps"):
            content[key] = sorted({self.plain(text, True) for text in content[key]})
        return content | {"page": self.tree(content["page"])}

    def tree(self, node):
        """A node without what changes."""
        is_live = node.pop("live", False)
        for key in ("name", "text"):
            if key in node:
                node[key] = self.plain(node[key], is_live)
        if children := [self.tree(child) for child in node.pop("children", ())]:
            node["children"] = children
        return node

    def plain(self, text, is_live):
        text = VERSION.sub("VERSION", CLOCK.sub("TIME", DAY.sub("", text)))
        return NUMBER.sub("N", AGO.sub("AGO", self.names.sub("DEVICE", text))) if is_live else text


def written(content):
    """As JSON; each thing that can be seen has a line."""
    def start(facts):
        """An object without its end."""
        return json.dumps({key: facts[key] for key in FACTS if key in facts}, ensure_ascii=False)[:-1]

    def lines(node, indent):
        children = ",\n".join(lines(child, indent + " ") for child in node.get("children", []))
        return indent + start(node) + (f', "children": [\n{children}]}}' if children else "}")

    pictures = [f'"{name}": {start(shown)}, "page":\n{lines(shown["page"], " ")}}}' for name, shown in sorted(content.items())]
    return "{\n" + ",\n".join(pictures) + "\n}\n"


def differences(before, after, where="the page"):
    """Sentences on how two nodes differ, and what is in them."""
    for key in sorted((set(before) | set(after)) - {"children", "page"}):
        if before.get(key) != after.get(key):
            yield f"{where}: {key} was {told(before.get(key))}, is {told(after.get(key))}"
    if "page" in before:
        yield from differences(before["page"], after["page"])
    old, new = before.get("children", []), after.get("children", [])
    matcher = difflib.SequenceMatcher(None, [label(child) for child in old], [label(child) for child in new], autojunk=False)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        gone, come = old[old_start:old_end], new[new_start:new_end]
        # One that has only another text is the same one.
        while gone and come and gone[0]["role"] == come[0]["role"]:
            one, other = gone.pop(0), come.pop(0)
            yield from differences(one, other, where if one["role"] == "group" else f"{where} / {label(one)}")
        yield from (f"{where}: {label(child)} is missing" for child in gone)
        yield from (f"{where}: {label(child)} is new" for child in come)


def told(fact):
    return "nothing" if fact is None else json.dumps(fact, ensure_ascii=False)


def label(node):
    """The role of a node, and the first words in it."""
    found = words(node)
    return f"{node['role']} “{found if len(found) < 40 else found[:37] + '…'}”" if found and node["role"] != "main" else node["role"]


def words(node):
    return node.get("name") or node.get("text") or next(filter(None, map(words, node.get("children", []))), "")
