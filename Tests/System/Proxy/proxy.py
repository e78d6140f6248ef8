# SPDX-License-Identifier: MIT
"""What the clients of Home Assistant see of `blectl proxy`; see run.sh."""
import asyncio
import base64
import contextlib
import logging
import os
import signal
import sys
import tempfile

import habluetooth
from aioesphomeapi import APIClient, HandshakeAPIError, InvalidEncryptionKeyAPIError, RequiresEncryptionAPIError
from bleak.exc import BleakError
from stage import (
    BAND,
    IN_RIG,
    SLOWNESS,
    STRAP,
    THERMOMETER,
    Avahi,
    AvahiDaemon,
    Program,
    Proxy,
    Session,
    Signals,
    Simulation,
    eventually,
)
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

BATTERY, LOCATION, HEART_RATE, CONTROL = (f"0000{n}-0000-1000-8000-00805f9b34fb" for n in ("2a19", "2a38", "2a37", "2a39"))


class Complaints(logging.Handler):
    """What the clients have complained of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


complaints = Complaints()
logging.getLogger().addHandler(complaints)
manager = None


async def prepare():
    global manager
    manager = habluetooth.BluetoothManager()
    habluetooth.set_manager(manager)
    await manager.async_setup()


# --- The tests -------------------------------------------------------------------------------------------------------


async def scanner():
    """The scanner is known, active, and hears every device, whose names and data are right."""
    async with Simulation.run() as simulation, Proxy.run(simulation, "--name", "Attic Pi") as proxy:
        client = proxy.client(name="info")
        await client.connect()
        info = await client.device_info()
        assert (info.name, info.friendly_name) == ("attic-pi", "Attic Pi"), info
        assert info.mac_address == info.bluetooth_mac_address == simulation.address_of_adapter, info
        assert info.project_name == "blectl.proxy" and info.api_encryption_supported, info
        assert (await client.list_entities_services()) == ([], [])
        await client.disconnect()
        async with Session.run(proxy, manager) as session:
            heard = lambda: session.scanner.discovered_devices_and_advertisement_data
            wanted = {STRAP, THERMOMETER, BAND, "C5:EA:50:00:00:01", "C1:BE:AC:00:00:01"}
            await eventually("the devices", lambda: len(heard()) >= 9 and wanted <= heard().keys())
            await eventually("a name", lambda: heard()[STRAP][0].name == "Heart Strap")
            found = heard()
            assert set(found[STRAP][1].service_uuids) >= {"0000180d-0000-1000-8000-00805f9b34fb"}, found[STRAP]
            assert found["C5:EA:50:00:00:01"][1].service_data == {
                "0000fcd2-0000-1000-8000-00805f9b34fb": bytes.fromhex("40002a016402ca0903bf13")
            }, found["C5:EA:50:00:00:01"]
            assert found["C1:BE:AC:00:00:01"][1].manufacturer_data == {
                0x4C: bytes.fromhex("0215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
            }
            assert session.scanner.connectable
            await eventually("its mode", lambda: session.scanner.current_mode == habluetooth.BluetoothScanningMode.ACTIVE)
    assert len(proxy.records("client", state="joined")) == 2


async def values():
    """A BleakClient connects, reads, writes, subscribes; its link is lost, and comes back."""
    async with Simulation.run() as simulation, Proxy.run(simulation) as proxy, Session.run(proxy, manager) as session:
        lost = asyncio.Event()
        strap = await session.connect(STRAP, lost.set)
        assert strap.mtu_size >= 23
        assert await strap.read_gatt_char(strap.services.get_characteristic(BATTERY)) == b"\x57"
        assert await strap.read_gatt_char(strap.services.get_characteristic(LOCATION)) == b"\x01"
        await strap.write_gatt_char(strap.services.get_characteristic(CONTROL), b"\x01", True)
        try:
            await strap.read_gatt_char(strap.services.get_characteristic(CONTROL))
            raise AssertionError("it was read")
        except BleakError as error:
            assert "READ_NOT_PERMIT" in str(error).upper() or "error=2" in str(error), error
        rates = []
        await strap.start_notify(strap.services.get_characteristic(HEART_RATE), lambda data: rates.append(bytes(data)))
        await eventually("five values", lambda: len(rates) >= 5)
        first = rates[0][1]
        assert rates[:5] == [bytes([0, first + n]) for n in range(5)], rates
        handles = {c.uuid: c.handle for c in strap.services.characteristics.values()}
        await simulation.do("drop-link", device=STRAP)
        await asyncio.wait_for(lost.wait(), 10 * SLOWNESS)
        await eventually("the slot", lambda: session.data.bluetooth_device.ble_connections_free == 5)
        strap = await session.connect(STRAP)
        assert {c.uuid: c.handle for c in strap.services.characteristics.values()} == handles
        assert await strap.read_gatt_char(strap.services.get_characteristic(BATTERY)) == b"\x57"
        await strap.disconnect()
        await eventually("the slot", lambda: session.data.bluetooth_device.ble_connections_free == 5)
        assert [r["address"] for r in proxy.records("connected")] == [STRAP, STRAP]
        await eventually("records", lambda: len(proxy.records("disconnected")) == 2)


async def three():
    """Three devices at once, again and again; each keeps its values apart."""
    async with Simulation.run() as simulation, Proxy.run(simulation, "--max-connections", "3") as proxy:
        async with Session.run(proxy, manager) as session:
            for _ in range(3):
                links = await asyncio.gather(*(session.connect(a) for a in (STRAP, THERMOMETER, BAND)))
                assert session.data.bluetooth_device.ble_connections_free == 0
                names = ["2a19", "2a6e", "2a28"]
                read = [
                    link.read_gatt_char(link.services.get_characteristic(f"0000{n}-0000-1000-8000-00805f9b34fb"))
                    for link, n in zip(links, names)
                ]
                assert await asyncio.gather(*read) == [b"\x57", bytes.fromhex("6608"), b"V1.0.1.81"]
                await asyncio.gather(*(link.disconnect() for link in links))
                await eventually("the slots", lambda: session.data.bluetooth_device.ble_connections_free == 3)


async def flood():
    """A thousand advertisements a second arrive complete, and the same, at two clients."""
    seconds = int(os.environ.get("SECONDS_OF_FLOOD", "10"))
    world = (os.environ["BENCH_WORLD"], "sensors", "--devices", "100", "--interval", "95000")
    async with Simulation.run(*world) as simulation, Proxy.run(simulation) as proxy:
        truth, heard = await Signals.listen(simulation), [{}, {}]
        clients = [proxy.client(name=f"client {n}") for n in range(2)]
        for client, packets in zip(clients, heard):
            await client.connect()

            def take(message, packets=packets):
                for advertisement in message.advertisements:
                    packets.setdefault(advertisement.address, []).append(number(bytes(advertisement.data)))

            client.subscribe_bluetooth_le_raw_advertisements(take)
        await asyncio.sleep(seconds)
        for client in clients:
            await client.disconnect()
        truth.stop()
        for packets in heard:
            count = sum(map(len, packets.values()))
            # A busy machine sends fewer.
            assert count > 1000, count
            for address, numbers in packets.items():
                signalled = truth.numbers[address]
                first = signalled.index(numbers[0])
                assert numbers == signalled[first : first + len(numbers)], (hex(address), numbers, signalled)
        assert not any(r.get("dropped") for r in proxy.records("client", state="left"))
        print(f"proxy: {count} advertisements in {seconds} s")


def number(data):
    """The number of a packet of a sensor: BTHome's first object."""
    return data[data.index(b"\xd2\xfc\x40\x00") + 4]


async def keys():
    """Wrong keys, no key, the keys of probes; after ten, the host waits. The file is for its owner only."""
    async with Simulation.run() as simulation, Proxy.run(simulation) as proxy:
        path = f"{proxy.env['STATE_DIRECTORY']}/proxy.key"
        assert os.stat(path).st_mode & 0o777 == 0o600
        assert not any(proxy.key in line for line in proxy.program.errors + proxy.program.lines)

        async def attempt(key, error):
            client = proxy.client(key)
            try:
                await client.connect()
            except error as failure:
                return failure
            raise AssertionError(f"{key}: connected")

        await attempt(None, RequiresEncryptionAPIError)
        wrong = [base64.b64encode(bytes([n]) * 32).decode() for n in (0, 48, *range(1, 9))]
        for key in wrong:
            failure = await attempt(key, InvalidEncryptionKeyAPIError)
            assert failure.received_mac == "001a7dda7113", failure
        # It does not learn whether a key is right.
        failure = await attempt(proxy.key, HandshakeAPIError)
        assert not isinstance(failure, InvalidEncryptionKeyAPIError), failure
        await eventually("records", lambda: len(proxy.records("refused", reason="it has another key")) == 10)
        await eventually("a record", lambda: proxy.records("refused", reason="too many attempts with wrong keys"))
        os.chmod(path, 0o644)
        other = await Program.start(os.environ["BLECTL"], "proxy", "--port", "0", env=proxy.env)
        assert await other.process.wait() == 64
        assert any("others can read" in line for line in other.errors), other.errors


async def garbage():
    """Bytes of other protocols, sizes without end and idle connections: a client does not notice."""
    async with Simulation.run() as simulation, Proxy.run(simulation) as proxy, Session.run(proxy, manager) as session:
        before = session.connects
        samples = [b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 4096, b"\xff" * 4096, b"\x01\xff\xff" + b"x" * 70000, os.urandom(4096)]
        idle = [await asyncio.open_connection("127.0.0.1", proxy.port) for _ in range(30)]
        for sample in samples * 4:
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(sample)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
                await asyncio.wait_for(reader.read(), 20)
            writer.close()
        strap = await session.connect(STRAP)
        assert await strap.read_gatt_char(strap.services.get_characteristic(BATTERY)) == b"\x57"
        await strap.disconnect()
        assert session.connects == before
        for _, writer in idle:
            writer.close()


async def outages():
    """The bus, bluetoothd, the adapter, the proxy, and its standstill: everything comes back, links are told as lost."""
    with tempfile.TemporaryDirectory() as folder:
        async with Simulation.run() as simulation, Proxy.run(simulation, folder=folder) as proxy:
            async with Session.run(proxy, manager) as session:

                async def works():
                    strap = await session.connect(STRAP)
                    assert await strap.read_gatt_char(strap.services.get_characteristic(BATTERY)) == b"\x57"
                    return strap

                async def survives(what):
                    lost = asyncio.Event()
                    strap = await session.connect(STRAP, lost.set)
                    sessions = session.connects
                    await what()
                    await asyncio.wait_for(lost.wait(), 20 * SLOWNESS)
                    assert not strap.is_connected

                    async def again():
                        while True:
                            with contextlib.suppress(BleakError, TimeoutError):
                                return await works()
                            await asyncio.sleep(0.2)

                    strap = await asyncio.wait_for(again(), 60 * SLOWNESS)
                    await strap.disconnect()
                    await eventually("slots", lambda: session.data.bluetooth_device.ble_connections_free == 5)
                    return session.connects - sessions

                for do in (
                    {"what": "kill-daemon"},
                    {"what": "stop-daemon"},
                    {"what": "adapter-off"},
                    {"what": "remove-adapter"},
                    {"what": "kill-bus"},
                ):
                    what = do["what"]
                    if IN_RIG and what == "remove-adapter":
                        continue
                    assert await survives(lambda: simulation.do(what, **{"for": "1s"})) == 0, what
                    print(f"proxy: {what}: back")

                async def restart():
                    await proxy.restart()

                assert await survives(restart) == 1
                print("proxy: kill -9: back")

                # While it stands still, the device goes; its clients wait.
                strap = await works()
                proxy.program.send(signal.SIGSTOP)
                await simulation.do("drop-link", device=STRAP)
                await asyncio.sleep(2)
                proxy.program.send(signal.SIGCONT)
                await eventually("the end of the link", lambda: not strap.is_connected)
                await (await works()).disconnect()
                print("proxy: SIGSTOP: back")
                count = len(proxy.records("connected"))
                await eventually("the ends of all links", lambda: len(proxy.records("disconnected")) == count)


async def refused():
    """A bluetoothd that refuses to close a link is asked again: for a client, and after a proxy that was killed."""
    async with Simulation.run() as simulation, Proxy.run(simulation) as proxy:
        async with Session.run(proxy, manager) as session:

            async def linked():
                state = await simulation.do("state")
                return [device["address"] for device in state["peripherals"] if device["connected"]]

            strap = await session.connect(STRAP)
            assert await linked() == [STRAP]
            await simulation.do("fail-call", method="Disconnect", times=4)
            await strap.disconnect()
            assert await linked() == []
            await eventually("slots", lambda: session.data.bluetooth_device.ble_connections_free == 5)
            await session.connect(STRAP)
            await simulation.do("fail-call", method="Disconnect", times=9)
            await proxy.restart()
            async with asyncio.timeout(60 * SLOWNESS):
                while await linked():
                    await asyncio.sleep(0.1)


async def avahi():
    """The announcement follows Avahi: missing, started, restarted, and a name that is taken."""
    async with Simulation.run() as simulation, Proxy.run(simulation, "--name", "attic-pi") as proxy:
        said = lambda text: sum(text in line for line in proxy.program.errors)
        await eventually("a message", lambda: said("not announced by mDNS: avahi-daemon does not run"))
        for _ in range(2):
            avahi = await Avahi.start(simulation)
            await eventually("a service", lambda: avahi.services)
            ((name, kind, port, texts),) = avahi.services
            assert (name, kind, port) == ("attic-pi", "_esphomelib._tcp", proxy.port), avahi.services
            assert "mac=001a7dda7113" in texts and "api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256" in texts, texts
            assert "friendly_name=attic-pi" in texts, texts
            avahi.stop()
            await asyncio.sleep(0.5)
        assert said("does not run") == 1, proxy.program.errors
        taken = await Avahi.start(simulation)
        taken.stop()
        await asyncio.sleep(0.5)
        bus = await Avahi.start(simulation)
        bus.taken.add("other")
        async with Proxy.run(simulation, "--name", "other") as other:
            await eventually("a message", lambda: any("has the name other" in line for line in other.program.errors))
        async with Proxy.run(simulation, "--name", "silent", "--no-mdns"):
            assert all(name != "silent" for name, *_ in bus.services)
        bus.stop()


async def announced():
    """What Home Assistant looks for on the network finds the proxy, through a real avahi-daemon; twice."""
    kind = "_esphomelib._tcp.local."
    async with Simulation.run() as simulation, Proxy.run(simulation, "--name", "attic-pi") as proxy:
        for _ in range(2):
            async with AvahiDaemon.run(simulation), AsyncZeroconf(ip_version=IPVersion.V4Only) as network:
                info = AsyncServiceInfo(kind, f"attic-pi.{kind}")
                async with asyncio.timeout(30):
                    while not await info.async_request(network.zeroconf, 3000):
                        pass
                assert info.port == proxy.port, info
                assert info.decoded_properties["mac"] == "001a7dda7113", info
                assert info.decoded_properties["friendly_name"] == "attic-pi", info
                assert info.decoded_properties["api_encryption"] == "Noise_NNpsk0_25519_ChaChaPoly_SHA256", info
                host = info.parsed_addresses(IPVersion.V4Only)[0]
                client = APIClient(host, info.port, None, noise_psk=proxy.key)
                await client.connect()
                assert (await client.device_info()).name == "attic-pi"
                await client.disconnect()


async def adapters():
    """Two adapters are two proxies, each with its own name, port and address."""
    command = (os.environ["BLECTL"], "simulate", "--adapters", "2")
    async with Simulation.run(*command) as simulation:
        async with Proxy.run(simulation, "--name", "attic", "-i", "hci0", "-i", "hci1") as proxy:
            lines = [line for line in proxy.program.errors if " is a proxy for Home Assistant" in line]
            await eventually("two", lambda: sum(" is a proxy for Home" in line for line in proxy.program.errors) == 2)
            lines = [line for line in proxy.program.errors if " is a proxy for Home Assistant" in line]
            seen = {}
            for line in lines:
                proxy.port = int(line.partition(" on port ")[2].partition(",")[0])
                client = proxy.client()
                await client.connect()
                info = await client.device_info()
                seen[info.name] = info.mac_address
                await client.disconnect()
            assert set(seen) == {"attic", "attic-2"} and len(set(seen.values())) == 2, seen


async def silent():
    """Without connections, the scanner is not connectable, and nothing connects."""
    async with Simulation.run() as simulation, Proxy.run(simulation, "--no-connections", "--plaintext") as proxy:
        client = proxy.client(None)
        await client.connect()
        info = await client.device_info()
        assert info.bluetooth_proxy_feature_flags == 97, info
        assert not info.api_encryption_supported
        heard = set()
        client.subscribe_bluetooth_le_raw_advertisements(lambda m: heard.update(a.address for a in m.advertisements))
        await eventually("nine devices", lambda: len(heard) == 9)
        await client.disconnect()


# Those that need nothing that only a simulation has.
WITH_REAL_BLUETOOTHD = [scanner, values, three, outages]
TESTS = [scanner, values, three, silent, keys, garbage, adapters, avahi, announced, outages, refused, flood]


async def main(names):
    await prepare()
    for test in WITH_REAL_BLUETOOTHD if IN_RIG else TESTS:
        if names and test.__name__ not in names:
            continue
        complaints.lines.clear()
        await asyncio.wait_for(test(), 300 * SLOWNESS)
        if test in (scanner, values, three, silent, adapters, flood):
            assert not complaints.lines, complaints.lines
        print(f"proxy: {test.__name__}: {test.__doc__.splitlines()[0]}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
