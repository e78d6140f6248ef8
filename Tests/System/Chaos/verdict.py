# SPDX-License-Identifier: MIT
"""Holds what a run of the logger has written against what crossed the bus."""

import collections

from judge import compare

OUTPUT = 'the output'


class Figures:
    """The sums over all runs."""

    def __init__(self):
        self.written, self.counted = collections.Counter(), collections.Counter()
        self.killed = 0


def values(records):
    """The values of each stream, in order."""
    streams = collections.defaultdict(list)
    for record in records:
        if record.event == 'value':
            streams[record.stream].append(record.value)
    return streams


def judge(role, run, number, signals, outputs, safe, is_killed, figures, note):
    """Raises AssertionError for a value that is missing without being counted, or is there too often.

    - signals: those of the run, by stream.
    - outputs: by the name under which the logger reports what it lost: its records.
    - safe: the number of the last signal that the logger has certainly read.
    """
    for stream, items in signals.items():
        try:
            role.continuous(items)
        except AssertionError as error:
            raise AssertionError(f'run {number}, {stream}: {error}') from None
    for name, records in outputs.items():
        written = values(records)
        assert set(written) <= set(role.streams), written.keys()
        holes = tail = optional = 0
        for stream in set(signals) | set(written):
            # A killed process takes with it what the reader of the pipe has not taken.
            limit = 0 if is_killed and name == OUTPUT else safe
            try:
                found = compare(signals.get(stream, []), written[stream], limit, role.number)
            except AssertionError as error:
                raise AssertionError(f'run {number}, {name}, {stream}: {error}') from None
            holes, tail, optional = holes + len(found[0]), tail + len(found[1]), optional + found[2]
            for hole in found[0]:
                note(f'hole in {name}: {stream} {hole.value.hex()} of {hole.time:.3f}')
        counted = sum(record.count for record in records if record.event == 'dropped')
        # Records of other events can be lost too; stderr has all of them.
        events = max(0, run.events - sum(record.event in role.events for record in records))
        reported = run.lost.get(name, 0)
        figures.written[name] += sum(map(len, written.values()))
        figures.counted[name] += max(counted, reported)
        state = (
            f'run {number}, {name}: {holes} values missing, {tail} behind the last one, '
            f'{optional} that may; {events} other records missing; {counted} counted, {reported} reported'
        )
        note(state)
        most = holes + tail + optional + events
        if is_killed:
            figures.killed += tail
            assert name == OUTPUT or holes <= counted <= most, state
        else:
            uncertain = run.uncertain.get(name, 0)
            assert holes <= reported + uncertain and reported <= most and counted <= reported, state
