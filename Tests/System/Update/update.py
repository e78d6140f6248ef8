# SPDX-License-Identifier: MIT
"""Plays the tests, several at a time, since most of their time they wait; see run.sh."""

import concurrent.futures
import os
import sys
import time
import traceback

import foreign
import killed
import refusals
import server
from stage import Stage

# Those that last longest stand first.
MODULES = killed, foreign, server, refusals
JOBS = int(os.environ.get('JOBS', 4))


def play(name, test):
    """Plays a test; returns its name, how it ended, and whether it passed."""
    start, stage = time.monotonic(), Stage()
    try:
        with stage:
            title = test(stage)
        passed, words = True, title
    except Exception:  # noqa: BLE001 - a test fails with any
        passed, words = False, '\n'.join(['FAILED', *stage.log, traceback.format_exc()])
    return name, passed, f'{words} ({time.monotonic() - start:.0f} s)'


def main(names):
    tests = {f'{module.__name__}.{name}': test for module in MODULES for name, test in module.TESTS.items()}
    chosen = {name: test for name, test in tests.items() if not names or any(is_in(name, wanted) for wanted in names)}
    unknown = [wanted for wanted in names if not any(is_in(name, wanted) for name in tests)]
    if unknown:
        sys.exit(f'update: no such tests: {" ".join(unknown)}; there are: {" ".join(tests)}')
    passed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for ended in concurrent.futures.as_completed([pool.submit(play, *one) for one in chosen.items()]):
            name, is_passed, words = ended.result()
            passed += is_passed
            print(f'update: {name}: {words}', flush=True)
    print(f'update: Test run with {len(chosen)} tests: {passed} passed, {len(chosen) - passed} failed')
    return 0 if passed == len(chosen) else 1


def is_in(name, wanted):
    """True if a test has this name, or belongs to this module."""
    return name == wanted or name.startswith(f'{wanted}.')


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
