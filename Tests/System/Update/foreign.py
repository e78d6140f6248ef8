# SPDX-License-Identifier: MIT
"""The tools of others on our simulated devices, as their users run them; and what they make, by ours."""

import json

from firmware import altered, digest, image, intel_hex, legacy_package
from stage import BLECTL, SENSOR, WATCH, sensor, watch

# smpmgr waits two seconds by itself, which a busy machine needs.
SMPMGR = ('smpmgr', '--timeout', '60', '--ble', SENSOR)


def smpmgr(stage):
    """smpmgr asks, sends an image of imgtool, and has it tested and kept."""
    file = image(stage.folder, '2.1.0', 60_000)
    stage.simulate(sensor())
    assert "r='hello'" in stage.succeed(*SMPMGR, 'os', 'echo', 'hello')
    before = stage.succeed(*SMPMGR, 'image', 'state-read')
    assert "version='1.2.3'" in before and 'slot=1' not in before
    stage.succeed(*SMPMGR, 'image', 'upload', str(file))
    assert second(stage)['sha256'] == digest(file)
    assert "version='2.1.0'" in stage.succeed(*SMPMGR, 'image', 'state-read')
    stage.succeed(*SMPMGR, 'image', 'state-write', known(stage, file)['images'][0]['hash'])
    assert second(stage)['flags'] == ['pending']
    stage.succeed(*SMPMGR, 'os', 'reset')
    after = stage.succeed(*SMPMGR, 'image', 'state-read')
    assert after.index("version='2.1.0'") < after.index("version='1.2.3'")
    stage.expect(SENSOR, '2.1.0', digest(file))
    stage.succeed(*SMPMGR, 'image', 'state-write', '--confirm')
    assert 'confirmed' in stage.installed(SENSOR)['flags']
    return 'smpmgr sends an image, has it tested, and keeps it'


def second(stage):
    """The second slot, as the device has it."""
    return next(slot for slot in stage.firmware(SENSOR)['slots'] if slot['slot'] == 'image 0 slot 1')


def smpmgr_upgrade(stage):
    """`smpmgr upgrade` sends, confirms, and resets; without --confirm, it would only send, and reset."""
    file = image(stage.folder, '3.0.0', 30_000)
    stage.simulate(sensor(params='unsupported', reassembles=False))
    assert 'Upgrade complete.' in stage.succeed(*SMPMGR, 'upgrade', str(file), '--confirm')
    assert "version='3.0.0'" in stage.succeed(*SMPMGR, 'image', 'state-read')
    stage.expect(SENSOR, '3.0.0', digest(file))
    return 'smpmgr upgrade, without packets of several writes'


def nrf_ota(stage):
    """nrf-ota starts the bootloader, and sends a package of adafruit-nrfutil."""
    package, content = legacy_package(stage.folder, 30_000)
    stage.simulate(watch())
    assert 'Done.' in stage.succeed('nrf-ota', str(package), '--device', WATCH)
    stage.expect(WATCH, '2.0.0', digest(content))
    return 'nrf-ota updates a device with Legacy DFU'


# The words in `blectl firmware` for the signature of a key, and the options of imgtool.
IMAGES = {
    'ecdsa-p256': ('ECDSA', ()),
    'ecdsa-p384': ('ECDSA', ('--security-counter', '7')),
    'ed25519': ('Ed25519', ('--custom-tlv', '0x00a0', '0x0102', '--dependencies', '(1, 1.2.3+0)')),
    'rsa-2048': ('RSA', ()),
}


def images(stage):
    """What imgtool makes is read as it was made."""
    for key, (signature, options) in IMAGES.items():
        file = image(stage.folder, '4.5.6+7', 10_000, key=key, options=options)
        verified = stage.succeed('imgtool', 'verify', file)
        assert 'Image version: 4.5.6+7' in verified
        for copy in file, intel_hex(file):
            facts = known(stage, copy)
            assert (facts['kind'], facts['problems']) == ('mcuboot-image', []), facts
            (known_image,) = facts['images']
            assert (known_image['version'], known_image['program_size']) == ('4.5.6.7', 10_000), facts
            assert known_image['signature'].startswith(signature), facts
            assert f'Image digest: {known_image["hash"]}' in verified, facts
            assert known_image['size'] == file.stat().st_size, facts
            assert known_image.get('security_counter') == (7 if '--security-counter' in options else None), facts
        padded = file.with_name('padded.bin')
        padded.write_bytes(file.read_bytes() + bytes([0xFF]) * 4096)
        # The padding is not sent.
        assert known(stage, padded)['images'][0]['size'] == file.stat().st_size
        damaged = altered(file, 'damaged.bin', 5000)
        assert stage.run('imgtool', 'verify', damaged)[0] != 0
        status, output, _ = stage.run(BLECTL, 'firmware', damaged)
        assert status == 1 and 'problem:\tthe SHA-' in output
    return f'imgtool and blectl agree on {len(IMAGES)} images'


def updates(stage):
    """What imgtool and adafruit-nrfutil make updates the devices."""
    file = image(stage.folder, '4.5.6+7', 10_000)
    package, content = legacy_package(stage.folder, 10_000)
    part = known(stage, package)['parts'][0]
    assert (part['size'], part['init_packet']['application_version']) == (10_000, 20_000), part
    stage.simulate(sensor(), watch())
    for name, sent, address, version, sha256 in (
        ('Sensor', intel_hex(file), SENSOR, '4.5.6.7', digest(file)),
        ('Watch', package, WATCH, '2.0.0', digest(content)),
    ):
        status, records, words = stage.update(name, sent)
        assert status == 0 and records[-1]['to'] == version, (records, words)
        stage.expect(address, version, sha256)
    return 'an image of imgtool and a package of adafruit-nrfutil update devices'


def known(stage, file):
    """The facts of a file, as blectl reads it."""
    return json.loads(stage.succeed(BLECTL, 'firmware', file, '--json'))


TESTS = {'smpmgr': smpmgr, 'smpmgr-upgrade': smpmgr_upgrade, 'nrf-ota': nrf_ota, 'images': images, 'updates': updates}
