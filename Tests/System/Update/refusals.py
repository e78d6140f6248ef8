# SPDX-License-Identifier: MIT
"""The status, the record and the words of each update that cannot succeed; and of those that need pairing."""

import dataclasses
import functools
import zipfile
from collections.abc import Callable

from firmware import (
    altered,
    digest,
    image,
    legacy_package,
    ncs_package,
    package,
    program,
    secure_init,
    secure_package,
)
from stage import SENSOR, STRAP, WATCH, sensor, strap, watch

# A device that shows a passkey.
PRINTED = {'capability': 'display-only', 'passkey': '042017'}
INSISTS = PRINTED | {'mitm': 'required'}
guarded = functools.partial(sensor, security='authenticated', pairing=PRINTED)


@dataclasses.dataclass
class Case:
    """An update that ends with a status, the code of the last record, and these words on stderr."""

    device: dict
    # Makes the file, in a folder.
    file: Callable
    status: int
    # Empty if there is no record, because the device was not looked for.
    code: str
    words: str
    options: tuple = ()
    # The number with which the device refuses.
    device_code: int | None = None
    # What the device runs then: what it ran, or the new firmware, or its bootloader.
    then: str = 'former'


def secure(folder):
    return secure_package(folder)[0]


def legacy(folder):
    return legacy_package(folder)[0]


def large_legacy(folder):
    """More than the flash of the simulated device."""
    return legacy_package(folder, (1 << 20) + 4)[0]


def damaged_image(folder):
    return altered(image(folder), 'bad.bin', 9000)


def other_secure(folder):
    """A package whose firmware is not the one of its init packet."""
    return package(folder, 'other.zip', application=(program(20_000, 4), secure_init(program(20_000, 3))))


def other_legacy(folder):
    """A package whose firmware is not the one of its init packet."""
    with zipfile.ZipFile(legacy(folder)) as archive:
        init = archive.read('legacy.dat')
    return package(folder, 'other.zip', application=(program(20_000, 4), init))


def board(folder):
    return ncs_package(folder, 'nrf5340dk/nrf5340/cpuapp', image(folder))


def refused(device, file, words, device_code=None, **rest):
    return Case(device, file, 1, 'refused', words, device_code=device_code, **rest)


def unfit(device, file, words, **rest):
    """Found when the device was read; nothing was sent."""
    return Case(device, file, 64, 'unfit', words, **rest)


def faulty(device, file, words, **rest):
    """Found before the device was looked for."""
    return Case(device, file, 64, '', words, **rest)


def unpaired(device, file, words, **rest):
    return Case(device, file, 1, 'needs_pairing', words, **rest)


def unasked(device, file):
    """BlueZ does not answer for a device that requires a passkey, and nobody can be asked for it."""
    words = 'no answer before the timeout; if the device requires a passkey, there is no way to ask a person for it'
    return Case(device, file, 5, 'ble', words, options=('--pair',))


def paired(device, file, *options):
    return Case(device, file, 0, '', '', options=options, then='new')


def secure_refuses(detail, words):
    """The bootloader refuses the init packet with an extended error."""
    return refused(strap(faults={'refuse_init': detail}), secure, words, detail << 8 | 0x0B, then='bootloader')


CASES = {
    'smp': {
        'upload': refused(sensor(faults={'refuse_upload': 27}), image, 'the running version is newer (27)', 27),
        'no-slot': Case(sensor(faults={'refuse_upload': 9}), image, 1, 'blocked', 'no slot is free (9)', device_code=9),
        'test': refused(sensor(faults={'refuse_test': 23}), image, 'it does not begin like an image (23)', 23),
        'confirmation': Case(
            sensor(faults={'refuse_confirm': 32}), image, 1, 'device_error',
            'the confirmation was denied (32): its next reset brings the former firmware', device_code=32, then='new',
        ),
        'bootloader': refused(sensor(new_firmware='rejected'), image, 'the device runs version 1.2.3: its bootloader has '),
        'reverted': Case(sensor(new_firmware='hangs'), image, 1, 'reverted', 'the device runs version 1.2.3 again'),
        'too-large': unfit(sensor(slot_size=20_480), image, ' bytes, the slot of the device takes 16384'),
        'wrong-board': unfit(
            sensor(), board, 'is made for the board nrf5340dk/nrf5340/cpuapp, the device is nrf52840dk/nrf52840',
        ),
        'downgrade': unfit(
            sensor(mode='overwrite', version='3.0.0'), image, 'is version 2.0.0, older than 3.0.0, and the bootloader refuses',
        ),
        'downgrade-xip': unfit(
            sensor(mode='direct-xip', version='3.0.0'), image,
            'is version 2.0.0, older than 3.0.0, and the bootloader starts the highest version',
        ),
        'wrong-hash': faulty(sensor(), damaged_image, 'bad.bin: the SHA-256 is '),
        'wrong-hash-forced': refused(sensor(), damaged_image, 'its bootloader has ', options=('--force',)),
        'damaged-flash': Case(
            sensor(faults={'corrupt_at': 5000}), image, 1, 'device_error', 'but it has another hash than what was sent',
        ),
        'other-protocol': unfit(sensor(), legacy, 'the file is for Legacy DFU, the device offers SMP'),
        'no-bond': unpaired(sensor(security='encrypted'), image, 'add --pair'),
        'bond': paired(sensor(security='encrypted'), image, '--pair'),
        'no-passkey': unpaired(guarded(), image, 'the device requires pairing, perhaps with a passkey'),
        'passkey-unknown': unasked(guarded(), image),
        'passkey-wrong': unpaired(
            guarded(), image, 'the passkey is wrong, or the device refused', options=('--pair', '--passkey', '111111'),
        ),
        'passkey': paired(guarded(), image, '--pair', '--passkey', '042017'),
        'no-display': unasked(sensor(security='authenticated'), image),
    },
    'secure': {
        'downgrade': secure_refuses(5, 'the firmware is older than the installed one'),
        'wrong-board': secure_refuses(6, 'the firmware is for other hardware'),
        'other-softdevice': secure_refuses(7, 'the firmware needs another SoftDevice'),
        'signature': secure_refuses(0x0C, 'the signature or the hash is wrong'),
        'too-large': secure_refuses(0x0D, 'the firmware does not fit into its memory'),
        'wrong-hash': faulty(strap(), other_secure, 'application.bin: its SHA-256 is '),
        'wrong-hash-forced': refused(
            strap(), other_secure, 'the signature or the hash is wrong', 0x0C0B, options=('--force',), then='bootloader',
        ),
        'damaged-flash': refused(
            strap(faults={'corrupt_at': 5000}), secure, 'the signature or the hash is wrong', 0x0C0B, then='bootloader',
        ),
        'wrong-crc': Case(
            strap(faults={'wrong_crc': 1000}), secure, 1, 'device_error', 'however often these bytes are sent', then='bootloader',
        ),
        'other-protocol': unfit(strap(), legacy, 'the file is for Legacy DFU, the device offers Secure DFU'),
        'no-bond': unpaired(strap(buttonless='bonded'), secure, 'add --pair'),
        'bond': paired(strap(buttonless='bonded'), secure, '--pair'),
        'passkey-wrong': unpaired(
            strap(buttonless='bonded', pairing=INSISTS), secure, 'the passkey is wrong, or the device refused',
            options=('--pair', '--passkey', '111111'),
        ),
        'passkey': paired(strap(buttonless='bonded', pairing=INSISTS), secure, '--pair', '--passkey', '042017'),
    },
    'legacy': {
        'init': refused(watch(faults={'refuse_init': 6}), legacy, 'the operation failed', 6, then='bootloader'),
        'too-large': refused(watch(), large_legacy, 'the firmware does not fit into its memory', 4, then='bootloader'),
        'wrong-crc': faulty(watch(), other_legacy, 'application.bin: its CRC-16 is '),
        'wrong-crc-forced': refused(
            watch(), other_legacy, 'the checksum of the firmware is wrong', 5, options=('--force',), then='bootloader',
        ),
        'damaged-flash': refused(
            watch(faults={'corrupt_at': 5000}), legacy, 'the checksum of the firmware is wrong', 5, then='bootloader',
        ),
        'other-protocol': unfit(watch(), secure, 'the file is for Secure DFU, the device offers Legacy DFU'),
    },
}
FORMER = '1.0.0'
ADDRESSES = {'smp': SENSOR, 'secure': STRAP, 'legacy': WATCH}


def play(case, address, stage):
    file = case.file(stage.folder)
    stage.simulate(case.device)
    before = stage.installed(address)
    status, records, words = stage.update(case.device['name'], file, *case.options)
    assert status == case.status and case.words in words, (status, words)
    last = records[-1] if records else {}
    if status:
        # One error, and at most one hint.
        assert words.count('blectl: ') == 1 and words.count('hint: ') <= 1, words
        assert (last.get('code', ''), last.get('device_code')) == (case.code, case.device_code), last
    firmware, after = stage.firmware(address), stage.installed(address)
    runs = firmware['version'], firmware['in_bootloader']
    if case.then == 'bootloader':
        # Nordic's bootloaders have erased the application, or start it later; nothing of the new one is installed.
        assert runs == (FORMER, True) and after is None, firmware
    elif case.then == 'new':
        assert runs == ('2.0.0', False) and after != before, firmware
    else:
        assert runs == (case.device.get('smp', {}).get('version', FORMER), False) and after == before, firmware
    if status:
        return f'status {status}: {words.splitlines()[0].replace(f"{stage.folder}/", "")}'
    return f'status 0: {last["from"]} → {last["to"]}'


def recovers(name, address, device, wrong, right, stage):
    """After a package that the bootloader has refused when it had erased the application, the right one is taken."""
    stage.simulate(device)
    assert stage.update(name, wrong(stage.folder), '--force')[0] == 1
    assert stage.installed(address) is None
    file, content = right(stage.folder)
    status, records, words = stage.update(name, file)
    assert status == 0 and records[-1]['to'] == '2.0.0', (records, words)
    stage.expect(address, '2.0.0', digest(content))
    return 'the right package after a wrong one, which has left the device in its bootloader'


TESTS = {
    f'{group}.{title}': functools.partial(play, case, ADDRESSES[group])
    for group, cases in CASES.items()
    for title, case in cases.items()
} | {
    'secure.recovers': functools.partial(recovers, 'Strap', STRAP, strap(), other_secure, secure_package),
    'legacy.recovers': functools.partial(recovers, 'Watch', WATCH, watch(), other_legacy, legacy_package),
}
