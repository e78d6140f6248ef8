# SPDX-License-Identifier: MIT
"""The reports of `blectl run --junit`: what the schema of Jenkins allows, read by a parser that others have written."""

import json
import os
import subprocess
import xml.etree.ElementTree as tree

import junitparser

BLECTL = os.environ.get('BLECTL', '.build/debug/blectl')

# What the schema of Jenkins' xUnit plugin allows, as far as a report uses it: attributes that are needed, others, children.
SCHEMA = {
    'testsuites': (set(), {'name', 'time', 'tests', 'failures', 'errors', 'disabled'}, {'testsuite'}),
    'testsuite': ({'name', 'tests', 'failures', 'errors'},
                  {'time', 'timestamp', 'hostname', 'id', 'package', 'skipped', 'disabled'},
                  {'properties', 'testcase', 'system-out', 'system-err'}),
    'testcase': ({'name'}, {'classname', 'time', 'status', 'assertions'},
                 {'skipped', 'error', 'failure', 'system-out', 'system-err'}),
    'failure': (set(), {'message', 'type'}, set()),
    'error': (set(), {'message', 'type'}, set()),
    'skipped': (set(), {'message', 'type'}, set()),
}


def check(element):
    needed, others, children = SCHEMA[element.tag]
    assert needed <= set(element.attrib) <= needed | others, element.attrib
    for child in element:
        assert child.tag in children, f'{child.tag} in {element.tag}'
        check(child)


def report(tmp_path, device, script, *options, world=None):
    (tmp_path / 'a.ble').write_text(script)
    simulate = '--simulate' if world is None else f'--simulate={world}'
    run = subprocess.run(
        [os.path.abspath(BLECTL), 'run', device, 'a.ble', '--junit', 'report.xml', simulate, *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    check(tree.parse(tmp_path / 'report.xml').getroot())
    return run.returncode, junitparser.JUnitXml.fromfile(str(tmp_path / 'report.xml'))


def test_it_counts(tmp_path):
    status, xml = report(tmp_path, 'Heart Strap', 'read 2a19\nexpect 2a19 "00" --read # <&\nread 2a24\n')
    assert (status, xml.tests, xml.failures, xml.errors) == (1, 3, 1, 0)
    suite = next(iter(xml))
    passed, failed, skipped = list(suite)
    assert passed.name == '1: read 2a19' and not passed.result
    assert failed.name == '2: expect 2a19 "00" --read # <&'
    assert failed.result[0].message == 'a.ble:2: cannot get 00 from 2a19: the value was 57'
    assert isinstance(skipped.result[0], junitparser.Skipped) and suite.skipped == 1


def test_a_device_that_is_not_there_is_an_error(tmp_path):
    status, xml = report(tmp_path, 'Nobody', 'read 2a19\n', '--timeout', '3s')
    assert (status, xml.tests, xml.failures, xml.errors) == (4, 2, 0, 1)


def test_of_twenty_devices_one_fails(tmp_path):
    def device(index):
        answer = 'ff' if index == 7 else 'a1'
        return {'address': f'C0:00:00:00:01:{index:02X}', 'name': f'DUT {index}', 'services': [{
            'uuid': 'ffe0', 'characteristics': [
                {'uuid': 'ffe2', 'properties': ['notify']},
                {'uuid': 'ffe3', 'properties': ['write'], 'on_write': {
                    'answers': [{'request': '01', 'response': answer, 'from': 'ffe2'}]}}]}]}
    world = tmp_path / 'bench.json'
    world.write_text(json.dumps({'peripherals': [device(index) for index in range(20)]}))
    script = 'subscribe ffe2\nwrite ffe3 01\nexpect ffe2 a1 --within 10s\n'
    status, xml = report(tmp_path, 'DUT *', script, '--all', '--jobs', '4', world=world)
    assert (status, len(xml), xml.tests, xml.failures) == (1, 20, 60, 1)
    assert [suite.name for suite in xml if suite.failures] == ['C0:00:00:00:01:07']
