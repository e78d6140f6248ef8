// SPDX-License-Identifier: MIT

/// How the updates of a characteristic reach bluetoothd.
public enum UpdateTransport: Sendable, Hashable {
  /// As signals of D-Bus, which reach every central that has subscribed.
  case signals
  /// Over the socket that bluetoothd asks for with `AcquireNotify`: several times cheaper for this program, and for the bus.
  ///
  /// The characteristic needs the property `notify`. The socket of a central that is the only one to have subscribed is
  /// used; otherwise the values are signals, because what a socket reaches depends on the version:
  ///
  /// | BlueZ | sockets | a value that is sent to one reaches |
  /// |---|---|---|
  /// | up to 5.68 | one for all centrals | all that have subscribed |
  /// | 5.69 to 5.75 | one for each central | all that have subscribed |
  /// | from 5.76 | one for each central | that central |
  ///
  /// From 5.76 on, ``PublishedCharacteristic/update(_:for:)`` sends to one of several centrals.
  ///
  /// Since 5.69, bluetoothd closes the socket when its central goes out of reach. A bonded central is still subscribed when
  /// it returns, but gets no socket, and bluetoothd does not report it. The library then sends signals to it, even if it had
  /// ended its subscription before it went: bluetoothd does not report that either.
  ///
  /// If a program such as ssh leads to the bus, no socket can come over it: all values are signals then.
  ///
  /// As many values may be on their way as the socket holds, some 250 of 20 bytes. An empty value is always a signal:
  /// bluetoothd takes an empty packet for the end.
  case acquireNotify
}
