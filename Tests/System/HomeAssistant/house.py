#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Home Assistant without its own pages, in a folder of its own. It is asked in lines of JSON, and answers in lines of JSON.

    house.py FOLDER '{"components": {"http": {…}}, "entries": [{"domain": "mqtt", "data": {…}}]}'
"""

import asyncio
import inspect
import json
import logging
import pathlib
import sys
from types import MappingProxyType

import bleak_retry_connector
from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.components import bluetooth
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component
from homeassistant.util.unit_system import METRIC_SYSTEM


class Warnings(logging.Handler):
    """Keeps what a person would read in the log."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        # About its speed.
        if record.name == 'aiohttp_fast_zlib':
            return
        self.lines.append(f'{record.levelname} {record.name}: {self.format(record)}')


class House:
    def __init__(self, folder, setup):
        self.folder, self.setup = folder, setup
        self.history = []
        self.warnings = Warnings()
        logging.getLogger().addHandler(self.warnings)

    async def start(self):
        # Everything is set up from here.
        pathlib.Path(self.folder, 'configuration.yaml').write_text('{}\n', encoding='utf-8')
        self.hass = hass = core.HomeAssistant(self.folder)
        hass.config.skip_pip = True
        loader.async_setup(hass)
        hass.config_entries = config_entries.ConfigEntries(hass, {})
        await bootstrap.async_load_base_functionality(hass)
        hass.config.units = METRIC_SYSTEM
        hass.auth = await auth.auth_manager_from_config(hass, [{'type': 'homeassistant'}], [])
        hass.bus.async_listen('state_changed', self.changed)
        for domain, settings in self.setup.get('components', {}).items():
            assert await async_setup_component(hass, domain, {domain: settings}), domain
        for entry in self.setup['entries']:
            # Kept from the last time, and set up with its domain.
            if hass.config_entries.async_entries(entry['domain']):
                assert await async_setup_component(hass, entry['domain'], {}), entry
            else:
                await hass.config_entries.async_add(self.entry(entry))
        await hass.async_start()

    @staticmethod
    def entry(entry):
        known = {
            'title': entry['domain'], 'options': {}, 'source': 'user', 'version': 1, 'minor_version': 1, 'unique_id': None,
            'discovery_keys': MappingProxyType({}), 'subentries_data': [], **entry,
        }  # fmt: skip
        taken = inspect.signature(config_entries.ConfigEntry.__init__).parameters
        return config_entries.ConfigEntry(**{key: value for key, value in known.items() if key in taken})

    @core.callback
    def changed(self, event):
        state = event.data['new_state']
        self.history.append([event.data['entity_id'], state.state if state else None])

    # What can be asked.

    def states(self):
        """The states of all entities, with their attributes."""
        return {state.entity_id: {'state': state.state, **state.attributes} for state in self.hass.states.async_all()}

    def entities(self):
        """The registered entities, by their unique identifiers."""
        registry = entity_registry.async_get(self.hass)
        return {
            entity.unique_id: {
                'entity_id': entity.entity_id, 'name': entity.name or entity.original_name,
                'category': entity.entity_category, 'device': entity.device_id,
            }
            for entity in registry.entities.values()
        }  # fmt: skip

    def devices(self):
        """The registered devices."""
        registry = device_registry.async_get(self.hass)
        return {
            device.id: {
                'name': device.name, 'identifiers': sorted(name for _, name in device.identifiers),
                'connections': sorted(map(list, device.connections)), 'manufacturer': device.manufacturer, 'model': device.model,
            }
            for device in registry.devices.values()
        }  # fmt: skip

    def log(self):
        """The warnings and errors since the last question."""
        lines, self.warnings.lines = self.warnings.lines, []
        return lines

    def past(self):
        """All states since the start, in order."""
        return self.history

    # Its dialogues.

    async def dialogue(self, domain, *inputs):
        """Adds an integration, as a person does who fills in one form after another; returns the title."""
        result = await self.hass.config_entries.flow.async_init(domain, context={'source': 'user'})
        for values in inputs:
            assert result['type'] == 'form', result
            result = await self.hass.config_entries.flow.async_configure(result['flow_id'], values)
        assert result['type'] == 'create_entry', result
        return result['title']

    def found(self):
        """What was found, and waits for a person: by address, or whatever else it is known by."""
        return {flow['context'].get('unique_id'): flow['handler'] for flow in self.hass.config_entries.flow.async_progress()}

    async def confirm(self, identifier):
        """Adds what was found."""
        (flow,) = [
            flow for flow in self.hass.config_entries.flow.async_progress() if flow['context'].get('unique_id') == identifier
        ]
        result = await self.hass.config_entries.flow.async_configure(flow['flow_id'], {})
        assert result['type'] == 'create_entry', result
        return result['title']

    # Its Bluetooth.

    def scanner(self, source):
        """The scanner with this address, if there is one."""
        scanner = bluetooth.async_scanner_by_source(self.hass, source)
        return scanner and {'name': scanner.name, 'connectable': scanner.connectable, 'scanning': scanner.scanning}

    def hears(self, address):
        """The name and the source of a device that can be connected to."""
        heard = bluetooth.async_last_service_info(self.hass, address, connectable=True)
        return heard and [heard.name, heard.source]

    async def connect(self, address):
        """Connects to a device, as an integration does."""
        device = bluetooth.async_ble_device_from_address(self.hass, address, connectable=True)
        self.values, self.losses = [], 0
        # Home Assistant puts its own client in the place of this one when its Bluetooth is set up.
        client = bleak_retry_connector.BleakClientWithServiceCache
        self.client = await bleak_retry_connector.establish_connection(client, device, address, self.lost)

    def lost(self, _):
        self.losses += 1

    async def read(self, characteristic):
        return (await self.client.read_gatt_char(characteristic)).hex()

    async def subscribe(self, characteristic):
        await self.client.start_notify(characteristic, lambda _, value: self.values.append(value.hex()))

    def received(self):
        return self.values

    def link(self):
        return {'connected': self.client.is_connected, 'losses': self.losses}

    async def disconnect(self):
        await self.client.disconnect()

    def rename(self, entity, name):
        """Gives an entity a name, as a person does."""
        return entity_registry.async_get(self.hass).async_update_entity(entity, name=name).entity_id


async def main():
    house = House(sys.argv[1], json.loads(sys.argv[2]))
    await house.start()
    loop = asyncio.get_running_loop()
    print(json.dumps('started'), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        question, *arguments = json.loads(line)
        answer = getattr(house, question)(*arguments)
        if inspect.isawaitable(answer):
            answer = await answer
        print(json.dumps(answer, default=str), flush=True)
    await house.hass.async_stop(force=True)


if __name__ == '__main__':
    asyncio.run(main())
