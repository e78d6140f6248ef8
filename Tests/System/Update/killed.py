# SPDX-License-Identifier: MIT
"""200 kB of each protocol over links that are lost twenty times, by commands that are killed, and run again."""

import os
import random

from firmware import digest, image, legacy_package, secure_package
from stage import SENSOR, STRAP, WATCH, sensor, strap, watch

SEED = int(os.environ.get('SEED', 0)) or random.SystemRandom().randrange(1, 1 << 32)
SIZE = 200_000
LOSSES = 20


def interruptions(records):
    return sum('interruption' in record for record in records)


def transfers(records):
    return [record for record in records if record.get('stage') == 'transferring']


class Trial:
    """An update whose links are lost at random bytes of the firmware."""

    def __init__(self, stage, name):
        self.chance = random.Random(f'{SEED} {name}')
        self.stage, self.name = stage, name
        self.lost = 0
        stage.log.append(f'SEED={SEED}')

    def faults(self):
        return {'hang_up_at': sorted(self.chance.sample(range(1, SIZE), LOSSES))}

    def killed_while_lost(self, file):
        """A command that is killed when it has just lost a link."""
        count = self.chance.randrange(2, 6)
        return self.note(self.stage.update_kills(self.name, file, lambda records: interruptions(records) == count))

    def killed_while_sending(self, file):
        """A command that is killed when it sends again over a new link."""
        count = self.chance.randrange(2, 6)

        def is_time(records):
            sends = records[-1].get('stage') == 'transferring' and 'interruption' not in records[-1]
            return sends and interruptions(records) >= count

        return self.note(self.stage.update_kills(self.name, file, is_time))

    def killed_while_restarting(self, file):
        """A command that is killed when it waits for the device, which has got all of the firmware."""
        return self.note(self.stage.update_kills(self.name, file, lambda records: records[-1].get('stage') == 'waiting'))

    def finish(self, file, address, version, sha256):
        """A command that is not killed; the device then has what the file has."""
        status, records, words = self.stage.update(self.name, file)
        assert status == 0, words
        assert (records[-1]['event'], records[-1]['to']) == ('updated', version), records[-1]
        self.note(records)
        self.stage.expect(address, version, sha256)
        # Nothing is left to be found again.
        assert not list(self.stage.notes.glob('*'))
        return records

    def note(self, records):
        self.lost += interruptions(records)
        return records

    def title(self, kills):
        # A killed command may not have told of the last link that was lost.
        assert LOSSES - kills <= self.lost, self.lost
        return f'{SIZE // 1000} kB over {self.lost} lost links by {kills + 1} commands, {kills} of them killed; SEED={SEED}'


def smp(stage):
    trial = Trial(stage, 'Sensor')
    file = image(stage.folder, size=SIZE)
    stage.simulate(sensor(faults=trial.faults()))
    goes_on(trial.killed_while_lost(file), trial.killed_while_sending(file), 1)
    trial.killed_while_restarting(file)
    trial.finish(file, SENSOR, '2.0.0', digest(file))
    assert 'confirmed' in stage.installed(SENSOR)['flags'], stage.firmware(SENSOR)
    return trial.title(3)


def secure(stage):
    trial = Trial(stage, 'Strap')
    file, content = secure_package(stage.folder, SIZE)
    stage.simulate(strap(faults=trial.faults()))
    goes_on(trial.killed_while_lost(file), trial.killed_while_sending(file), 4096)
    trial.finish(file, STRAP, '2.0.0', digest(content))
    return trial.title(2)


def legacy(stage):
    trial = Trial(stage, 'Watch')
    file, content = legacy_package(stage.folder, SIZE)
    stage.simulate(watch(faults=trial.faults()))
    trial.killed_while_lost(file)
    trial.killed_while_sending(file)
    trial.finish(file, WATCH, '2.0.0', digest(content))
    return trial.title(2)


def goes_on(before, after, granule):
    """Expects that a command goes on from what the device certainly had, in whole objects."""
    certain = transfers(before)[-1]['bytes'] // granule * granule
    assert transfers(after)[-1]['bytes'] >= certain, (before, after)


TESTS = {'smp': smp, 'secure': secure, 'legacy': legacy}
