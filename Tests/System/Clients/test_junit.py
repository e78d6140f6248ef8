# SPDX-License-Identifier: MIT
"""The reports of `blectl run --junit`: valid by the schema of Jenkins, read by a parser that others have written."""

import json
import os
import subprocess

import junitparser
import pytest
import xmlschema

BLECTL = os.environ.get('BLECTL', '.build/debug/blectl')

# The schema that Jenkins' xUnit plugin accepts.
SCHEMA = xmlschema.XMLSchema(os.environ['BLECTL_JUNIT_SCHEMA'])


def report(tmp_path, device, script, *options, world=None):
    (tmp_path / 'a.ble').write_text(script)
    simulate = '--simulate' if world is None else f'--simulate={world}'
    run = subprocess.run(
        [os.path.abspath(BLECTL), 'run', device, 'a.ble', '--junit', 'report.xml', simulate, *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    SCHEMA.validate(str(tmp_path / 'report.xml'))
    return run.returncode, junitparser.JUnitXml.fromfile(str(tmp_path / 'report.xml'))


def test_the_schema_refuses_what_is_no_report(tmp_path):
    for text in ('<testsuite/>', '<testsuites><testsuite name="a" tests="1" failures="0" errors="0" times="1"/></testsuites>'):
        with pytest.raises(xmlschema.XMLSchemaValidationError):
            SCHEMA.validate(text)


def test_it_counts(tmp_path):
    status, xml = report(tmp_path, 'Heart Strap', 'read 2a19\nexpect 2a19 "00" --read # <&\nread 2a24\n')
    assert (status, xml.tests, xml.failures, xml.errors) == (1, 3, 1, 0)
    suite = next(iter(xml))
    assert suite.name == 'Heart Strap'
    assert [(property.name, property.value) for property in suite.properties()] == [('address', 'F0:F1:F2:F3:F4:F5')]
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
    assert [suite.name for suite in xml if suite.failures] == ['DUT 7 (C0:00:00:00:01:07)']
