# SPDX-License-Identifier: MIT
"""Presses Tab in a real shell: types command lines into it as a person would, and looks at what the commands print.

Usage, within `blectl simulate --`, with blectl in PATH:  completions.py bash|zsh|fish SCRIPT
"""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

# The typed text (with a Tab where one is pressed), and the text that must then be printed.
CASES = [
    ("blectl doct\t--simulate --json", r'"check":"bus","status":"ok"'),
    ("blectl adapter sh\t--js\t", r'"adapter":"hci0"'),
    ("blectl info Pia\t--json", r'"name":"Piano"'),
    ("blectl info D0\t--json", r'"address":"D0:B5:C2:0A:0B:0C"'),
    ("blectl info Heart\t--json", r'"name":"Heart Strap"'),
    ("blectl read 'Heart Strap' 180f/2a19 --as utf\t", r"(?m)^W\r?$"),
    ("blectl read F0-F1-F2-F3-F4-F5 batt\t--as u8", r"(?m)^87\r?$"),
    ("blectl read -i hci\tF0-F1-F2-F3-F4-F5 2a19 --as he\t", r"(?m)^57\r?$"),
    ("blectl uuid heart-rate-con\t--json", r'"short":"2a39"'),
    ("blectl help exi\t", r"LIMIT|--timeout \(default 20 s\)"),
    ("blectl help snap\t", r"Write a device as a world file"),
    ("blectl write Piano ffe3 --from valu\t--json", r'"event":"written"'),
    ("blectl write Piano ffe3 @ligh\t--json", r'"event":"written"'),
    ("blectl subscribe 'Heart Strap' 2a37 --count 1 --log hear\t-q; grep -c signal heart.csv", r"(?m)^[123]\r?$"),
    ("blectl subscribe 'Heart Strap' 2a37 --count 1 --via sig\t--json", r'"via":"signal"'),
    ("blectl monitor --duration 100ms --event adapter_c\t&& echo watched", r"(?m)^watched\r?$"),
    ("blectl simulate worl\t-- blectl scan --count 1 --json", r'"name":"Lamp"'),
    ("blectl simulate -- the-t\tscan --count 1 --json", r'"event":"found"'),
    ("blectl scan --service immed\t--duration 100ms; echo status=$(true; echo 0)", r"immediate-alert"),
    ("blectl dri\tPia\t--wa\t", r"driven by Piano --water"),
    ("blectl help dri\t", r"driven by --help"),
]

# Files that stand where the shells are.
FILES = {
    "values.txt": "f03d3d0002f7\n",
    "light.bin": "on",
    "heart.csv": "",
    "bin/blectl-drive": "#!/bin/sh\necho driven by $*\n",
    "bin/blectl_complete-drive": "#!/bin/sh\nprintf 'Piano\\tloud\\n--water\\n'\n",
    "bin/the-tool": "#!/bin/sh\nexec blectl \"$@\"\n",
    "world.json": '{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp"}]}',
}

PROMPT = "ready> "


class Shell:
    """A shell on a terminal of its own."""

    def __init__(self, words, setup):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(
                TERM="dumb", PS1=PROMPT, HISTFILE="/dev/null", COLUMNS="200", BLECTL_COMPLETION_LIMIT="10s")
            os.execvp(words[0], words)
        self.text = ""
        self.send("stty cols 200 rows 50\n")
        for line in setup:
            self.send(line + "\n")
        self.send("echo set; echo up\n")
        self.expect(r"(?m)^set\r?\nup\r?$")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read(self, seconds):
        """Takes what comes until nothing has come for a while."""
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                part = os.read(self.terminal, 65536)
            except OSError:
                break
            if not part:
                break
            self.text += part.decode(errors="replace")

    def expect(self, pattern, limit=20):
        deadline = time.monotonic() + limit
        while not re.search(pattern, plain(self.text)):
            if time.monotonic() > deadline:
                return False
            self.read(0.2)
        return True

    def type(self, line, patience):
        """Types a line; after each Tab it waits for the shell to have answered."""
        self.send("\x03")
        self.read(0.2)
        self.text = ""
        parts = line.split("\t")
        for index, part in enumerate(parts):
            self.send(part)
            if index < len(parts) - 1:
                self.send("\t")
                self.read(0.2 * patience)
        self.send("\n")
        return True


def plain(text):
    """The text without what moves the cursor or colours."""
    return re.sub(r"\x1b(\[[0-9;?>=]*[A-Za-z]|[=>()][A-Z0-9]?|\][^\x07]*\x07)|\x07", "", text)


def main():
    name, script = sys.argv[1:]
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    os.mkdir("bin")
    os.environ["PATH"] = f"{folder.name}/bin:{os.environ['PATH']}"
    for file, text in FILES.items():
        with open(file, "w", encoding="utf-8") as output:
            output.write(text)
        if file.startswith("bin/"):
            os.chmod(file, 0o755)
    for device in ("Piano", "Heart Strap"):
        subprocess.run(["blectl", "connect", device, "-q"], check=True)
    shells = {
        "bash": (["bash", "--norc", "--noprofile", "-i"], [f"source {script}", f"PS1='{PROMPT}'"]),
        "zsh": (
            ["zsh", "-f", "-i"],
            [f"fpath=({os.path.dirname(script)} $fpath)", "autoload -Uz compinit; compinit -u -D", f"PS1='{PROMPT}'"],
        ),
        "fish": (["fish", "--no-config", "-i"], ["function fish_prompt; echo -n 'ready> '; end", f"source {script}"]),
    }
    words, setup = shells[name]
    shell = Shell(words, setup)
    failed = 0
    for line, pattern in CASES:
        if name == "fish":
            line = line.replace("status=$(true; echo 0)", "done")
        # How long a shell takes to show a completion depends on the machine.
        if not any(shell.type(line, limit) and shell.expect(pattern, limit) for limit in (2, 6, 20)):
            failed += 1
            print(f"completions: {name}: {line!r} did not give {pattern!r}, but:\n{plain(shell.text)}", file=sys.stderr)
    print(f"completions: {name}: {len(CASES) - failed} of {len(CASES)} as they should be")
    return 1 if failed else 0


sys.exit(main())
