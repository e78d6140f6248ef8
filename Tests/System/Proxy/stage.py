# SPDX-License-Identifier: MIT
"""A simulated bluetoothd, `blectl proxy` on it, a stand-in of Avahi, and clients of Home Assistant."""
import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile

from aioesphomeapi import APIClient, ReconnectLogic
from bleak_esphome.connect import connect_scanner
from dbus_fast import DBusError, Message
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method as method

BLECTL = os.environ["BLECTL"]
STRAP = "F0:F1:F2:F3:F4:F5"
THERMOMETER = "E7:10:20:30:40:50"
BAND = "C8:0F:10:01:02:03"


# In the rig, a processor is emulated.
IN_RIG = "RIG_OUT" in os.environ
SLOWNESS = 6 if IN_RIG else 1


async def eventually(what, isTrue, limit=20):
    """Waits until a condition holds; the limit is for a machine that is busy."""
    async with asyncio.timeout(limit * SLOWNESS):
        while not (result := isTrue()):
            await asyncio.sleep(0.02)
        return result


class Program:
    """A program, the lines of its output as they come, and what it says on stderr."""

    def __init__(self, process):
        self.process, self.lines, self.errors = process, [], []
        self.tasks = [
            asyncio.create_task(self.read(process.stdout, self.lines)),
            asyncio.create_task(self.read(process.stderr, self.errors)),
        ]

    @classmethod
    async def start(cls, *arguments, env=None):
        return cls(
            await asyncio.create_subprocess_exec(
                *arguments,
                env={**os.environ, **(env or {})},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        )

    @staticmethod
    async def read(stream, lines):
        while line := await stream.readline():
            lines.append(line.decode().rstrip("\n"))

    async def line(self, isWanted, lines=None):
        """The first line that is wanted."""
        lines = self.lines if lines is None else lines

        def found():
            if self.process.returncode is not None and not any(map(isWanted, lines)):
                raise AssertionError(f"it has ended with {self.process.returncode}: {self.errors}")
            return next((line for line in lines if isWanted(line)), None)

        return await eventually("a line", found, 60)

    def send(self, number):
        self.process.send_signal(number)

    async def stop(self, number=signal.SIGTERM):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        status = await asyncio.wait_for(self.process.wait(), 10)
        await asyncio.gather(*self.tasks)
        return status


class Simulation:
    """A bus with a simulated bluetoothd, and commands for it."""

    address_of_adapter = "00:1A:7D:DA:71:13"

    def __init__(self, program, address, control):
        self.program, self.address, self.control = program, address, control
        self.env = {"DBUS_SYSTEM_BUS_ADDRESS": address}

    @classmethod
    @contextlib.asynccontextmanager
    async def run(cls, *arguments):
        if IN_RIG:
            yield await RealBluetooth.prepared()
            return
        with tempfile.TemporaryDirectory() as folder:
            control = f"{folder}/control"
            command = arguments or (BLECTL, "simulate", "--control", control)
            program = await Program.start(*command)
            try:
                line = await program.line(lambda line: line.startswith("DBUS_SYSTEM_BUS_ADDRESS="))
                yield cls(program, line.partition("=")[2].strip("'"), control)
            finally:
                await program.stop()

    async def do(self, what, **arguments):
        reader, writer = await asyncio.open_unix_connection(self.control)
        writer.write(json.dumps({"do": what, **arguments}).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), 20))
        writer.close()
        assert answer.get("ok"), answer
        return answer


class RealBluetooth:
    """The real bluetoothd of the rig, with the same devices, and the same commands for what happens to it."""

    ENDS = {
        "kill-daemon": (("rig-bluetoothd", "kill"), ("rig-bluetoothd", "start")),
        "stop-daemon": (("rig-bluetoothd", "stop"), ("rig-bluetoothd", "start")),
        "adapter-off": (("rig-adapter", "off"), ("rig-adapter", "on")),
        "kill-bus": (("rig-bus", "kill"), ("rig-bus", "start"), ("rig-bluetoothd", "start")),
    }
    env = {}
    address_of_adapter = "C0:11:22:33:44:01"

    @classmethod
    async def prepared(cls):
        bluetooth = cls()
        await bluetooth.play("rig-world", "reset")
        await bluetooth.play("rig-bluetoothd", "forget")
        return bluetooth

    async def do(self, what, **arguments):
        if what == "drop-link":
            return await self.play("rig-world", "drop", arguments["device"])
        first, *later = self.ENDS[what]
        await self.play(*first)
        # Its links have to be lost by then.
        await asyncio.sleep(1)
        for command in later:
            await self.play(*command)

    @staticmethod
    async def play(*command):
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
        assert await asyncio.wait_for(process.wait(), 120) == 0, command


class Signals:
    """The numbers of the packets that the sensors of a simulation have sent, as BlueZ has signalled them."""

    def __init__(self, bus):
        self.bus, self.numbers = bus, {}

    @classmethod
    async def listen(cls, simulation):
        signals = cls(await MessageBus(bus_address=simulation.address).connect())
        signals.bus.add_message_handler(signals.take)
        for interface in "ObjectManager", "Properties":
            rule = f"type='signal',sender='org.bluez',interface='org.freedesktop.DBus.{interface}'"
            await signals.bus.call(
                Message("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", signature="s", body=[rule])
            )
        return signals

    def take(self, message):
        if message.member == "InterfacesAdded":
            path, properties = message.body[0], message.body[1].get("org.bluez.Device1", {})
        elif message.member == "PropertiesChanged" and message.body[0] == "org.bluez.Device1":
            path, properties = message.path, message.body[1]
        else:
            return
        if "RSSI" not in properties or "ServiceData" not in properties:
            return
        (data,) = properties["ServiceData"].value.values()
        address = int(path.partition("/dev_")[2].replace("_", ""), 16)
        self.numbers.setdefault(address, []).append(data.value[2])

    def stop(self):
        self.bus.disconnect()


class Proxy:
    """`blectl proxy`, with its records."""

    def __init__(self, program, port, key, arguments, env):
        self.program, self.port, self.key = program, port, key
        self.arguments, self.env = arguments, env

    @classmethod
    @contextlib.asynccontextmanager
    async def run(cls, simulation, *arguments, folder=None, port=0):
        with tempfile.TemporaryDirectory() as own:
            env = {**simulation.env, "STATE_DIRECTORY": folder or own}
            proxy = await cls.start(arguments, env, port)
            try:
                yield proxy
            except BaseException:
                print(*proxy.program.errors, *proxy.program.lines[-20:], sep="\n", file=sys.stderr)
                raise
            finally:
                status = await proxy.program.stop()
                assert status in (-signal.SIGTERM, 143), (status, proxy.program.errors)

    @classmethod
    async def start(cls, arguments, env, port=0):
        program = await Program.start(BLECTL, "proxy", "--json", "--port", str(port), *arguments, env=env)
        line = await program.line(lambda line: " is a proxy for Home Assistant on port " in line, program.errors)
        port = int(line.partition(" on port ")[2].partition(",")[0])
        key = None
        if "--plaintext" not in arguments:
            with open(f"{env['STATE_DIRECTORY']}/proxy.key") as file:
                key = file.read().strip()
        return cls(program, port, key, arguments, env)

    async def restart(self, number=signal.SIGKILL):
        """Ends it as said, and starts it at the same port with the same key."""
        await self.program.stop(number)
        again = await self.start(self.arguments, self.env, self.port)
        self.program = again.program
        assert (again.port, again.key) == (self.port, self.key)

    def records(self, event, **values):
        records = [json.loads(line) for line in self.program.lines]
        return [r for r in records if r["event"] == event and all(r.get(k) == v for k, v in values.items())]

    def client(self, key=..., name="test"):
        return APIClient("127.0.0.1", self.port, None, client_info=name, noise_psk=self.key if key is ... else key)


class Session:
    """A session as Home Assistant has it: it reconnects by itself, and its scanner is one of a Bluetooth manager."""

    def __init__(self, proxy, manager):
        self.proxy, self.manager = proxy, manager
        self.data, self.scanner, self.connects, self.unregister = None, None, 0, None
        self.client = proxy.client(name="Home Assistant 2026.11.0")

    @classmethod
    @contextlib.asynccontextmanager
    async def run(cls, proxy, manager):
        session = cls(proxy, manager)
        logic = ReconnectLogic(
            client=session.client,
            on_connect=session.connected,
            on_disconnect=session.disconnected,
            zeroconf_instance=None,
            name=None,
        )
        await logic.start()
        try:
            await eventually("a session", lambda: session.scanner)
            yield session
        finally:
            await logic.stop()
            await session.client.disconnect()

    async def connected(self):
        info, _ = await asyncio.gather(self.client.device_info(), self.client.list_entities_services())
        self.data = connect_scanner(self.client, info, True)
        scanner = self.data.scanner
        unsetup = scanner.async_setup()
        unregister = self.manager.async_register_scanner(scanner, connection_slots=None)
        self.unregister = (unsetup, unregister)
        self.scanner = scanner
        self.connects += 1

    async def disconnected(self, expected):
        self.data.bluetooth_device.async_set_unavailable()
        for callback in list(self.data.disconnect_callbacks):
            callback()
        for callback in self.unregister or ():
            callback()
        self.scanner = None

    async def device(self, address):
        """The device, as soon as the proxy has heard it."""

        def found():
            scanner = self.scanner
            return scanner and scanner.discovered_devices_and_advertisement_data.get(address)

        return (await eventually(address, found))[0]

    async def connect(self, address, lost=None):
        device = await self.device(address)
        client = self.scanner.connector.client(device, disconnected_callback=lost)
        await client.connect(False)
        return client


class AvahiDaemon:
    """The real avahi-daemon, on the bus of a simulation."""

    CONFIGURATION = "[server]\nuse-ipv6=no\nratelimit-interval-usec=0\n[publish]\npublish-hinfo=no\npublish-workstation=no\n"

    @classmethod
    @contextlib.asynccontextmanager
    async def run(cls, simulation):
        os.makedirs("/run/avahi-daemon", exist_ok=True)
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(cls.CONFIGURATION)
            file.flush()
            options = ("--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title", "-f", file.name)
            program = await Program.start("avahi-daemon", *options, env=simulation.env)
            try:
                await program.line(lambda line: "Server startup complete" in line, program.errors)
                yield program
            finally:
                await program.stop()


class Avahi(ServiceInterface):
    """As much of avahi-daemon as a program needs that announces a service."""

    def __init__(self, bus):
        super().__init__("org.freedesktop.Avahi.Server")
        self.bus, self.groups, self.taken = bus, [], set()

    @classmethod
    async def start(cls, simulation):
        bus = await MessageBus(bus_address=simulation.address).connect()
        avahi = cls(bus)
        bus.export("/", avahi)
        await bus.request_name("org.freedesktop.Avahi")
        return avahi

    @property
    def services(self):
        return [service for group in self.groups if group.isCommitted for service in group.services]

    def stop(self):
        self.bus.disconnect()

    @method()
    def EntryGroupNew(self) -> "o":
        group = EntryGroup(self)
        self.groups.append(group)
        path = f"/Client0/EntryGroup{len(self.groups)}"
        self.bus.export(path, group)
        return path


class EntryGroup(ServiceInterface):
    def __init__(self, server):
        super().__init__("org.freedesktop.Avahi.EntryGroup")
        self.server, self.services, self.isCommitted = server, [], False

    @method()
    def AddService(
        self, interface: "i", protocol: "i", flags: "u", name: "s", kind: "s", domain: "s", host: "s", port: "q", txt: "aay"
    ):
        assert (interface, protocol, flags, domain, host) == (-1, -1, 0, "", "")
        if name in self.server.taken:
            raise DBusError("org.freedesktop.Avahi.CollisionError", "Local name collision")
        self.services.append((name, kind, port, sorted(bytes(text).decode() for text in txt)))

    @method()
    def Commit(self):
        self.isCommitted = True

    @method()
    def Free(self):
        self.isCommitted = False
