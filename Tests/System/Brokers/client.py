# SPDX-License-Identifier: MIT
"""A client that publishes and hears with QoS 1, and connects again only when it is told to; then it repeats nothing."""

import time

from paho.mqtt.client import MQTT_ERR_SUCCESS, CallbackAPIVersion
from paho.mqtt.client import Client as Connection

from broker import until


class Client:
    """Hears one topic; `publish` and `hear` fail with an OSError when the connection is lost."""

    def __init__(self, broker, name, topic):
        self.broker, self.name, self.topic = broker, name, topic
        self.connection, self.messages = None, []

    def __enter__(self):
        until(self.connect, 'a connection to the broker')
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def is_open(self):
        return self.connection is not None

    def close(self):
        if self.connection:
            self.connection.disconnect()
        self.connection, self.messages = None, []

    def connect(self):
        """Connects and subscribes; returns whether there is a broker."""
        self.close()
        connection, subscribed = Connection(CallbackAPIVersion.VERSION2, client_id=self.name), []
        connection.on_connect = lambda *_: connection.subscribe(self.topic, 1)
        connection.on_subscribe = lambda *_: subscribed.append(True)
        connection.on_message = lambda _, __, message: self.messages.append((message.topic, message.payload.decode()))
        limit = time.monotonic() + 5
        try:
            connection.connect('127.0.0.1', self.broker.port)
            while not subscribed:
                if connection.loop(0.1) != MQTT_ERR_SUCCESS or time.monotonic() > limit:
                    return False
        except OSError:
            return False
        self.connection = connection
        return True

    def publish(self, topic, payload, retain=False):
        self.check(self.connection.publish(topic, payload, qos=1, retain=retain).rc)

    def hear(self, patience):
        """The messages so far, as (topic, text); waits so many seconds for the first one."""
        limit = time.monotonic() + patience
        while not self.messages and (left := limit - time.monotonic()) > 0:
            self.check(self.connection.loop(left))
        messages, self.messages = self.messages, []
        return messages

    def check(self, status):
        if status != MQTT_ERR_SUCCESS:
            raise ConnectionError('the broker has ended')
