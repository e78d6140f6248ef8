# SPDX-License-Identifier: MIT
"""Writes the manual: a page for blectl and each command from what --help says, others from the pages in docs/.

Converters of Markdown lay tables out wider than a terminal: 469 of the 549 lines of blectl-errors(7) by go-md2man, 276 of
1,178 by lowdown. Here a row is an item of a list. Half of this file makes the pages of commands, which they do not do.

Usage: manual.py BLECTL FOLDER      gives FOLDER/man1/blectl.1, man1/blectl-scan.1 …, man5/blectl-world.5 …
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

DOCS = pathlib.Path(__file__).parent.parent / "docs"
#: The mark of an item of a list.
ITEM = re.compile(r"- |\d{1,2}\. ")

# Pages of docs/ that are pages of the manual too: name, section, what it is about.
PAGES = [
    ("world.md", "blectl-world", 5, "the devices of a simulated Bluetooth world"),
    ("json.md", "blectl-json", 5, "records of blectl with --json"),
    ("exit-status-and-errors.md", "blectl-errors", 7, "exit status and errors of blectl"),
    ("faults.md", "blectl-faults", 7, "what can go wrong in blectl's simulation"),
    ("logging.md", "blectl-logging", 7, "logs, charts and lasting subscriptions of blectl"),
    ("scripts.md", "blectl-scripts", 7, "scripts and the shell of blectl"),
    ("serial.md", "blectl-serial-ports", 7, "devices as serial ports with blectl"),
    ("extending.md", "blectl-extensions", 7, "commands of your own for blectl"),
    ("update.md", "blectl-updates", 7, "updating the firmware of devices with blectl"),
    ("files.md", "blectl-files", 7, "sending and receiving files with blectl"),
    ("serving.md", "blectl-serving", 7, "being a Bluetooth peripheral with blectl"),
    ("keys.md", "blectl-keys", 7, "keys of encrypted sensors and of devices with private addresses"),
    ("page.md", "blectl-page", 7, "a web page, a stream and metrics of a blectl command"),
    ("profiles.md", "blectl-profiles", 5, "names and layouts of your own for blectl"),
    ("formats.md", "blectl-formats", 7, "formats and other words of blectl's command line"),
    ("characteristics.md", "blectl-values", 7, "values of characteristics that blectl understands"),
]

def text(line):
    """Text as roff has it: nothing in it is a request, an escape or an invisible hyphen."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def word(argument):
    """One argument of a macro."""
    return '"' + text(argument).replace('"', '""') + '"'


def sentences(paragraph):
    """A paragraph with each sentence on a line of its own, as mdoc wants it."""
    parts = [part for part in re.split(r"(?<=[A-Za-z0-9)\]'\"][.!?]) +(?=[A-Z])", paragraph) if part]
    wrap = dict(width=76, break_long_words=False, break_on_hyphens=False)
    return [text(line) for part in parts for line in textwrap.wrap(part, **wrap)]


def head(name, section, about):
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        command = ["git", "log", "-1", "--format=%ct", "--", "Sources/Tool/BlectlCommands", "docs"]
        epoch = subprocess.run(command, capture_output=True, text=True, cwd=DOCS.parent).stdout.strip() or "0"
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    return [
        ".\\\" Made by Scripts/manual.py: do not edit.",
        f".Dd {date:%B} {date.day}, {date.year}",
        f".Dt {name.upper()} {section}",
        ".Os",
        ".Sh NAME",
        f".Nm {name}",
        f".Nd {text(about)}",
    ]


def about(command):
    abstract = command["abstract"].rstrip(".")
    return abstract if abstract.startswith("Bluetooth") else abstract[0].lower() + abstract[1:]


def tagged(rows):
    lines = [".Bl -tag -width Ds"]
    for tag, body in rows:
        lines += [f".It {tag}"] + body
    return lines + [".El"]


# Commands


def shown(command):
    return [a for a in command.get("arguments", []) if a["shouldDisplay"]]


def flag(name, value):
    dash = "-" if name["kind"] == "long" else ""
    return f"Fl {dash}{text(name['name'])}" + (f" Ar {value}" if value else "")


def value(argument):
    return text(argument.get("valueName", "value")) if argument["kind"] == "option" else None


def options(command):
    rows = []
    for argument in shown(command):
        if argument["kind"] == "positional":
            tag = f"Ar {text(argument['valueName'])}"
        else:
            tag = " , ".join(flag(name, value(argument)) for name in argument["names"])
        body = argument.get("abstract", "")
        if argument.get("allValues") and len(argument["allValues"]) < 9 and "alues" not in body:
            body += f" One of: {', '.join(argument['allValues'])}."
        rows.append((tag, sentences(body)))
    return tagged(rows)


def synopsis(name, command):
    lines = [f".Nm {name}"]
    for argument in shown(command):
        rest = " ..." if argument["isRepeating"] else ""
        if argument["kind"] == "positional":
            shape = f"Ar {text(argument['valueName'])}{rest}"
            lines.append(f".Op {shape}" if argument["isOptional"] else f".{shape}")
        else:
            named = value(argument)
            # Not an argument of the flag, which would make it another flag.
            rest = " No ..." if rest and not named else rest
            lines.append(f".Op {flag(argument['preferredName'], named)}{rest}")
    return lines


def discussion(command):
    """The examples, which are the first paragraph, and the paragraphs behind them."""
    examples, *prose = command.get("discussion", "").split("\n\n")
    return [line for line in examples.split("\n") if line], [" ".join(p.split("\n")) for p in prose]


def paragraphs(prose):
    lines = []
    for index, paragraph in enumerate(prose):
        lines += ([".Pp"] if index else []) + sentences(paragraph)
    return lines


def examples_section(examples):
    if not examples:
        return []
    return [".Sh EXAMPLES", ".Bd -literal -offset indent"] + [text(line) for line in examples] + [".Ed"]


def command_page(command):
    name = f"blectl-{command['commandName']}"
    examples, prose = discussion(command)
    lines = head(name, 1, about(command)) + [".Sh SYNOPSIS"]
    lines += synopsis(f"blectl {command['commandName']}", command)
    lines += [".Sh DESCRIPTION"] + paragraphs([command["abstract"]] + prose)
    lines += [".Pp", "The arguments are:"] + options(command)
    lines += [".Sh EXIT STATUS", "As that of every command: see", ".Xr blectl 1 ."]
    lines += examples_section(examples) + [".Sh SEE ALSO", ".Xr blectl 1 ,"]
    named = named_pages(command) | {"blectl-json"}
    pages = sorted((section, page) for _, page, section, _ in PAGES if page in named)
    lines += [f".Xr {page} {section} ," for section, page in pages[:-1]]
    return lines + [".Xr {1} {0}".format(*pages[-1])]


#: What a page of docs/ is about: one of its options, or of the words of its description.
SUBJECTS = {
    "blectl-logging": ["--log"],
    "blectl-page": ["--web"],
    "blectl-keys": ["blectl help keys", "--keys"],
    "blectl-profiles": ["--profile"],
    "blectl-formats": ["--as"],
    "blectl-files": ["send", "receive"],
    "blectl-updates": ["update", "smp", "firmware"],
    "blectl-serial-ports": ["serial", "serve"],
    "blectl-serving": ["serve", "advertise"],
    "blectl-scripts": ["run", "shell"],
    "blectl-world": ["simulate", "serve", "snapshot"],
    "blectl-values": ["decode"],
}


def named_pages(command):
    """The pages of the manual that belong to a command."""
    names = {f"--{name['name']}" for argument in shown(command) for name in argument.get("names", [])}
    names |= {command["commandName"]} | {word for word in SUBJECTS["blectl-keys"] if word in command.get("discussion", "")}
    return {page for page, words in SUBJECTS.items() if names & set(words)}


def environment(blectl):
    """The variables that every help text lists."""
    text = subprocess.run([blectl, "--help"], capture_output=True, text=True, check=True).stdout
    section = text.split("\nENVIRONMENT:\n")[1].split("\n\n")[0]
    return [(line[:26].strip(), line[26:]) for line in section.split("\n")]


def root_page(root, variables):
    examples, prose = discussion(root)
    commands = [c for c in root["subcommands"] if c["shouldDisplay"] and c["commandName"] != "help"]
    lines = head("blectl", 1, about(root))
    lines += [".Sh SYNOPSIS", ".Nm blectl", ".Ar command", ".Op Ar argument ..."]
    lines += [".Sh DESCRIPTION"] + paragraphs([root["abstract"]] + prose)
    lines += [".Pp", "The commands are, each with a page of its own:"]
    lines += tagged((f"Xr blectl-{c['commandName']} 1", sentences(c["abstract"])) for c in commands)
    lines += [".Sh ENVIRONMENT"] + tagged((f"Ev {word(name)}", sentences(body)) for name, body in variables)
    lines += [".Sh EXIT STATUS"] + tagged((word(status), sentences(meaning)) for status, meaning in exit_statuses())
    lines += examples_section(examples)
    lines += [".Sh SEE ALSO"] + see_also(commands)
    return lines


def exit_statuses():
    """The first table of the page about them."""
    rows = [line for line in (DOCS / "exit-status-and-errors.md").read_text().split("\n\n") if line.startswith("| status")]
    return [tuple(cells(row)) for row in rows[0].split("\n")[2:]]


def see_also(commands):
    pages = sorted((1, f"blectl-{c['commandName']}") for c in commands)
    pages += sorted((section, name) for _, name, section, _ in PAGES)
    pages = sorted(pages + [(1, "bluetoothctl"), (8, "bluetoothd")])
    return [f".Xr {name} {section}" + (" ," if index < len(pages) - 1 else "") for index, (section, name) in enumerate(pages)]


# Pages of docs/


def inline(markdown):
    """A line of Markdown without its marks."""
    markdown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\*\*?([^*]+)\*\*?", r"\1", markdown.replace("`", "")).replace("\\|", "|")


def cells(row):
    return [inline(cell.strip()) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def table(rows):
    """A table as a list: the first cell stands before what the others say."""
    titles = cells(rows[0])
    lines = [".Bl -tag -width Ds"]
    for row in rows[2:]:
        first, *rest = cells(row)
        lines.append(f".It {word(first or titles[0] or 'other')}")
        body = []
        for title, cell in zip(titles[1:], rest):
            if cell:
                body += ([".br"] if body else []) + sentences(f"{title}: {cell}" if title and len(rest) > 1 else cell)
        lines += body or ["\\&"]
    return lines + [".El"]


def markdown_page(file, name, section, description):
    source = (DOCS / file).read_text().split("\n")
    lines = head(name, section, description) + [".Sh DESCRIPTION"]
    paragraph, index, needs_break = [], 0, False

    def flush():
        nonlocal needs_break
        if paragraph:
            lines.extend(([".Pp"] if needs_break else []) + sentences(inline(" ".join(paragraph))))
            paragraph.clear()
            needs_break = True

    while index < len(source):
        line = source[index]
        index += 1
        if line.startswith("# "):
            continue
        if line.startswith("#"):
            flush()
            title = inline(line.lstrip("#").strip())
            lines.append(f".Sh {text(title.upper())}" if line.startswith("## ") else f".Ss {text(title)}")
            needs_break = False
        elif line.startswith("```"):
            flush()
            lines.append(".Bd -literal -offset indent")
            while index < len(source) and not source[index].startswith("```"):
                lines.append(text(source[index]) or "\\&")
                index += 1
            index += 1
            lines.append(".Ed")
            needs_break = True
        elif line.startswith("|"):
            flush()
            rows = [line]
            while index < len(source) and source[index].startswith("|"):
                rows.append(source[index])
                index += 1
            lines.extend(table(rows))
            needs_break = True
        elif mark := ITEM.match(line):
            flush()
            lines.append(".Bl -bullet" if mark[0] == "- " else ".Bl -enum")
            while True:
                item = [ITEM.sub("", line)]
                while index < len(source) and source[index].startswith("  "):
                    item.append(source[index].strip())
                    index += 1
                lines.extend([".It"] + sentences(inline(" ".join(item))))
                if index >= len(source) or not ITEM.match(source[index]):
                    break
                line = source[index]
                index += 1
            lines.append(".El")
            needs_break = True
        elif not line.strip():
            flush()
        else:
            paragraph.append(line.strip())
    flush()
    return lines + [".Sh SEE ALSO", ".Xr blectl 1"]


def main():
    blectl, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    dump = subprocess.run([blectl, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    root = json.loads(dump)["command"]
    pages = {"man1/blectl.1": root_page(root, environment(blectl))}
    for command in root["subcommands"]:
        if command["shouldDisplay"] and command["commandName"] != "help":
            pages[f"man1/blectl-{command['commandName']}.1"] = command_page(command)
    for file, name, section, description in PAGES:
        pages[f"man{section}/{name}.{section}"] = markdown_page(file, name, section, description)
    for path, lines in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("\n".join(lines) + "\n")
    print(f"manual: {len(pages)} pages in {folder}")


main()
