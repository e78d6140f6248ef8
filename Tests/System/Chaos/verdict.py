# SPDX-License-Identifier: MIT
"""Holds what a run of the logger has written against what crossed the bus."""

import collections

from judge import compare, continuous
from simulation import DEVICES, SHORT, UUIDS

OUTPUT = 'the output'
LINK_EVENTS = ('connected', 'disconnected', 'reconnected')


class Figures:
    """The sums over all runs."""

    def __init__(self):
        self.written, self.counted = collections.Counter(), collections.Counter()
        self.killed = 0


def values(records):
    """The values of each stream, in order; lines have UUIDs in their short form."""
    streams = collections.defaultdict(list)
    full = dict(zip(SHORT, UUIDS))
    for record in records:
        if record.event == 'value':
            address, uuid = record.stream
            streams[address, full.get(uuid, uuid)].append(record.value)
    return streams


def judge(run, number, signals, outputs, safe, is_killed, figures, note):
    """Raises AssertionError for a value that is missing without being counted, or is there too often.

    - signals: those of the run, by stream.
    - outputs: by the name under which the logger reports what it lost: its records.
    - safe: the number of the last signal that the logger has certainly read.
    """
    for stream, items in signals.items():
        try:
            continuous(items)
        except AssertionError as error:
            raise AssertionError(f'run {number}, {stream}: {error}') from None
    for name, records in outputs.items():
        written = values(records)
        assert set(written) <= {(device, uuid) for device in DEVICES for uuid in UUIDS}, written.keys()
        holes = tail = optional = 0
        for stream in set(signals) | set(written):
            # A killed process takes with it what the reader of the pipe has not taken.
            limit = 0 if is_killed and name == OUTPUT else safe
            try:
                found = compare(signals.get(stream, []), written[stream], limit)
            except AssertionError as error:
                raise AssertionError(f'run {number}, {name}, {stream}: {error}') from None
            holes, tail, optional = holes + len(found[0]), tail + len(found[1]), optional + found[2]
            for hole in found[0]:
                note(f'hole in {name}: {stream} {hole.value.hex()} of {hole.time:.3f}')
        counted = sum(record.count for record in records if record.event == 'dropped')
        # Records of links can be lost too; stderr has all of them.
        links = max(0, run.links - sum(record.event in LINK_EVENTS for record in records))
        reported = run.lost.get(name, 0)
        figures.written[name] += sum(map(len, written.values()))
        figures.counted[name] += max(counted, reported)
        state = (
            f'run {number}, {name}: {holes} values missing, {tail} behind the last one, '
            f'{optional} that may; {links} links missing; {counted} counted, {reported} reported'
        )
        note(state)
        most = holes + tail + optional + links
        if is_killed:
            figures.killed += tail
            assert name == OUTPUT or holes <= counted <= most, state
        else:
            uncertain = run.uncertain.get(name, 0)
            assert holes <= reported + uncertain and reported <= most and counted <= reported, state
