# SPDX-License-Identifier: MIT
"""The bus as the logger finds it, and its outages.

The logger reaches the bus over a link, which is there only while the monitor watches: after an outage, the monitor is back
first, and sees everything that the logger sees.
"""

import os

from monitor import Monitor


class Bus:
    def __init__(self, simulation, timeline):
        self.simulation, self.timeline = simulation, timeline
        self.control = simulation.connect()
        self._watch()

    def _watch(self):
        self.monitor = Monitor(self.simulation.socket, self.timeline.take)
        self.monitor.start()
        os.symlink(self.simulation.socket, self.simulation.link)

    @property
    def failure(self):
        return self.monitor.failure

    def is_behind(self):
        return self.monitor.is_behind()

    def lose(self, wait):
        """Kills the bus, and starts it again when `wait` returns."""
        os.unlink(self.simulation.link)
        answer = self.control.ask({'do': 'kill-bus'})
        assert answer['ok'], answer
        # The messages passed on until then are still read.
        self.monitor.join()
        self.timeline.lose_bus()
        wait()
        answer = self.control.ask({'do': 'start-bus'})
        assert answer['ok'], answer
        self._watch()
