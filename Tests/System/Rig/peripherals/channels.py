# SPDX-License-Identifier: MIT
"""L2CAP channels: those that `Contract Bench` offers, and those that the central opens.

Bumble keeps the number of a channel that has ended, and refuses the next one of the same link that has it: Linux takes the
lowest number that is free.
"""

import asyncio
import struct

from bumble import l2cap

ECHO, HOLD, CLOSE, CREDITS, OVERSIZE = range(0x80, 0x85)
CLOSES_AFTER = 1000
"""The bytes that CLOSE sends back."""

MTU, MPS, MOST_CREDITS = 1000, 247, 65535


def offer(device, spawn):
    """Offers the channels of `Contract Bench`; `spawn` runs a coroutine for no longer than the connection lasts."""
    for psm, serve in {ECHO: echo, HOLD: hold, CLOSE: close, CREDITS: overflow, OVERSIZE: oversize}.items():
        spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=MTU, mps=MPS, max_credits=8)
        device.create_l2cap_server(spec, lambda channel, serve=serve: begin(channel, serve, spawn))


def begin(channel, serve, spawn):
    forget_at_end(channel)
    serve(channel, spawn)


def forget_at_end(channel):
    channels = channel.manager.le_coc_channels

    def forget():
        channels.get(channel.connection.handle, {}).pop(channel.destination_cid, None)

    channel.on(channel.EVENT_CLOSE, forget)


def echo(channel, _spawn):
    channel.sink = channel.write


def hold(channel, _spawn):
    """Grants no more credits than at first."""
    channel.peer_credits_threshold = -1
    channel.sink = lambda _packet: None


def close(channel, spawn):
    """Sends bytes back, and closes the channel in the middle."""
    count = 0

    def take(packet):
        nonlocal count
        count += len(packet)
        channel.write(packet)
        if count >= CLOSES_AFTER:
            spawn(hang_up(channel))

    channel.sink = take


async def hang_up(channel):
    await channel.drain()
    if channel.state == channel.State.CONNECTED:
        await channel.disconnect()


def overflow(channel, _spawn):
    """Grants more credits than there can be: the kernel ends the channel."""

    def take(_packet):
        channel.send_control_frame(
            l2cap.L2CAP_LE_Flow_Control_Credit(
                identifier=channel.manager.next_identifier(channel.connection),
                cid=channel.source_cid,
                credits=MOST_CREDITS,
            )
        )

    channel.sink = take


def oversize(channel, _spawn):
    """Sends a packet that is larger than the other side takes, and then what it has got."""

    def take(packet):
        channel.send_pdu(struct.pack('<H', 0xFFFF) + bytes(MPS - 2))
        channel.credits -= 1
        channel.write(packet)

    channel.sink = take


async def exchange(connection, psm, count, patience=60):
    """Opens a channel, sends bytes, waits until they have come back, and closes it."""
    spec = l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=MTU, mps=MPS, max_credits=8)
    channel = await connection.create_l2cap_channel(spec)
    forget_at_end(channel)
    received, ended = bytearray(), asyncio.Event()
    channel.on(channel.EVENT_CLOSE, ended.set)

    def take(packet):
        received.extend(packet)
        if len(received) >= count:
            ended.set()

    channel.sink = take
    sent = bytes((i * 7 + (i >> 8)) & 0xFF for i in range(count))
    async with asyncio.timeout(patience):
        for start in range(0, count, MTU):
            channel.write(sent[start : start + MTU])
            await channel.drain()
        await ended.wait()
        if channel.state == channel.State.CONNECTED:
            await channel.disconnect()
    if received != sent:
        raise ValueError(f'{len(received)} of {count} bytes came back, or others')
