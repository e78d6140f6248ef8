# SPDX-License-Identifier: MIT
"""The script that the guide shows."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / 'Examples/bleak/heart_rate.py'


def test_it_runs():
    run = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=30, check=True)
    assert run.stdout == 'battery: 87 %\n60 beats per minute\n61 beats per minute\n62 beats per minute\n'


def test_the_guide_quotes_it():
    code = SCRIPT.read_text().split('\n', 1)[1]
    assert code in (ROOT / 'docs/guide.md').read_text()
