# SPDX-License-Identifier: MIT
"""Files of firmware: images of imgtool, packages of adafruit-nrfutil, and packages for Secure DFU.

nrfutil, which makes those, needs a Python that is not made any more: its init packet is written here, field by field.
"""

import hashlib
import json
import random
import subprocess
import zipfile

from stage import TOOLS

# 2.0.0, as the simulated bootloaders read it.
NUMBER = 20000


def run(*command):
    done = subprocess.run([TOOLS / command[0], *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, (command, done.stdout.decode())


def program(size, seed=1):
    return random.Random(seed).randbytes(size)


def digest(content):
    """The SHA-256 of bytes or of a file, in hexadecimal digits."""
    return hashlib.sha256(content if isinstance(content, bytes) else content.read_bytes()).hexdigest()


# --- MCUboot ---------------------------------------------------------------------------------------------------------


def image(folder, version='2.0.0', size=20_000, seed=1, key='ecdsa-p256', options=()):
    """An image that imgtool has signed with a kind of key."""
    plain, file, pem = folder / 'program.bin', folder / f'app-{key}-{version}-{size}.bin', folder / f'{key}.pem'
    plain.write_bytes(program(size, seed))
    if not pem.exists():
        run('imgtool', 'keygen', '--key', pem, '--type', key)
    layout = '--header-size', '0x200', '--pad-header', '--slot-size', '0x78000', '--align', '4'
    run('imgtool', 'sign', '--key', pem, '--version', version, *layout, *options, plain, file)
    return file


def intel_hex(file):
    """The same image as Intel hex, behind a bootloader."""
    copy = file.with_suffix('.hex')
    run('bin2hex.py', '--offset=0xc000', file, copy)
    return copy


def ncs_package(folder, board, file):
    """A package of the nRF Connect SDK with one image."""
    package = folder / 'dfu_application.zip'
    entry = {'type': 'application', 'board': board, 'file': file.name, 'size': file.stat().st_size, 'image_index': '0'}
    with zipfile.ZipFile(package, 'w') as archive:
        archive.write(file, file.name)
        archive.writestr('manifest.json', json.dumps({'format-version': 1, 'files': [entry]}))
    return package


# --- Legacy DFU ------------------------------------------------------------------------------------------------------


def legacy_package(folder, size=20_000, **options):
    """A package of adafruit-nrfutil, and the bytes of the application."""
    content = program(size, 2)
    plain, package = folder / 'legacy.bin', folder / f'legacy-{size}.zip'
    plain.write_bytes(content)
    options = {'application': plain, 'application-version': str(NUMBER), 'dev-type': '0x0052'} | options
    words = [word for key, value in options.items() for word in (f'--{key}', str(value))]
    run('adafruit-nrfutil', 'dfu', 'genpkg', *words, package)
    return package, content


# --- Secure DFU ------------------------------------------------------------------------------------------------------


def number(field, value):
    return varint(field << 3) + varint(value)


def content(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def varint(value):
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts + bytes([value]))


def secure_init(firmware, version=NUMBER, hardware=52, kind=0):
    """A signed init packet; the signature is none."""
    sizes = {0: (0, 0, len(firmware)), 1: (len(firmware), 0, 0), 2: (0, len(firmware), 0)}[kind]
    hashed = number(1, 3) + content(2, hashlib.sha256(firmware).digest()[::-1])
    packet = number(1, version) + number(2, hardware) + content(3, varint(0)) + number(4, kind)
    packet += b''.join(number(5 + index, size) for index, size in enumerate(sizes))
    packet += content(8, hashed) + number(9, 0)
    command = number(1, 1) + content(2, packet)
    return content(2, content(1, command) + number(2, 0) + content(3, bytes(64)))


def package(folder, name, **parts):
    """A package of nrfutil; each part is the bytes of a firmware, and its init packet."""
    path = folder / name
    with zipfile.ZipFile(path, 'w') as archive:
        manifest = {}
        for kind, (firmware, init) in parts.items():
            archive.writestr(f'{kind}.bin', firmware)
            archive.writestr(f'{kind}.dat', init)
            manifest[kind] = {'bin_file': f'{kind}.bin', 'dat_file': f'{kind}.dat'}
        archive.writestr('manifest.json', json.dumps({'manifest': manifest}))
    return path


def secure_package(folder, size=20_000):
    """A package for Secure DFU, and the bytes of the application."""
    firmware = program(size, 3)
    return package(folder, f'secure-{size}.zip', application=(firmware, secure_init(firmware))), firmware


def altered(file, name, offset=-40):
    """A copy of a file, one byte of whose program is another."""
    changed = bytearray(file.read_bytes())
    changed[offset] ^= 1
    copy = file.with_name(name)
    copy.write_bytes(changed)
    return copy
