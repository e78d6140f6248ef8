# SPDX-License-Identifier: MIT
"""`blectl update` and `blectl smp` on a server of SMP that others have made: peripheral.py, on the package smp."""

import json
import sys

from firmware import digest, image
from stage import BLECTL

# The server is on the first adapter.
HERE = ('-i', 'hci1')


def serve(stage, writes):
    """A device that runs 1.0.0; returns its reports."""
    first = image(stage.folder, '1.0.0', 8000)
    stage.simulate(adapters=2)
    command = sys.executable, '-B', 'peripheral.py', 'hci0', first, writes
    device = stage.start(*command, stderr=stage.noted('peripheral'))
    reports = map(json.loads, device.stdout)
    assert next(reports)['slots'][0]['sha256'] == digest(first)
    return reports


def updated(stage, writes):
    reports = serve(stage, writes)
    file = image(stage.folder, '2.3.4', 40_000, seed=2)
    status, records, words = stage.update('Python', file, *HERE)
    assert status == 0, words
    last = records[-1]
    assert (last['event'], last['from'], last['to'], last['confirmed']) == ('updated', '1.0.0', '2.3.4', True), last
    started, kept = next(reports), next(reports)
    assert (started['version'], started['slots'][0]['confirmed']) == ('2.3.4', False), started
    assert (kept['version'], kept['slots'][0]['confirmed']) == ('2.3.4', True), kept
    assert kept['slots'][0]['sha256'] == digest(file), kept
    status, records, words = stage.update('Python', file, *HERE)
    assert (status, records[-1]['proof'], records[-1]['bytes']) == (0, 'already', 0), (records, words)


def several(stage):
    updated(stage, 'several')
    return 'a server on the package smp, whose packets have several writes'


def one(stage):
    """The device tells of larger buffers all the same."""
    updated(stage, 'one')
    return 'a server on the package smp, whose packets have one write'


def requests(stage):
    serve(stage, 'several')

    def say(*words):
        return stage.succeed(BLECTL, 'smp', 'Python', *words, *HERE)

    assert say('echo', 'hello') == 'hello\n'
    assert 'buffer size\t1024\n' in say('params')
    assert '0\t0\t1.0.0\tactive, confirmed\t' in say('images')
    return 'single requests to a server on the package smp'


TESTS = {'several': several, 'one': one, 'requests': requests}
