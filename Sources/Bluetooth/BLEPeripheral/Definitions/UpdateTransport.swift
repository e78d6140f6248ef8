// SPDX-License-Identifier: MIT

/// The transport of a characteristic's updates to bluetoothd.
public enum UpdateTransport: Sendable, Hashable {
  /// As D-Bus signals, which reach every subscribed central.
  case signals
  /// Over the socket that bluetoothd requests with `AcquireNotify`: several times cheaper for this program
  /// and the bus.
  ///
  /// The characteristic needs the property `notify`. The socket is used if only one central is subscribed;
  /// otherwise values are sent as signals, because the reach of a socket depends on the version:
  ///
  /// | BlueZ | sockets | a value that is sent to one reaches |
  /// |---|---|---|
  /// | up to 5.68 | one for all centrals | all that have subscribed |
  /// | 5.69 to 5.75 | one for each central | all that have subscribed |
  /// | from 5.76 | one for each central | that central |
  ///
  /// From 5.76 on, ``PublishedCharacteristic/update(_:for:)`` sends to one of several centrals.
  ///
  /// Since 5.69, bluetoothd closes the socket when its central goes out of reach. A bonded central is still
  /// subscribed when it returns, but gets no socket, and bluetoothd does not report it. The library then
  /// sends it signals, even if the central unsubscribed before it left: bluetoothd does not report that
  /// either.
  ///
  /// If a program such as ssh leads to the bus, it cannot pass sockets: all values are then signals.
  ///
  /// The socket limits the number of values on their way: some 250 of 20 bytes. An empty value is always sent
  /// as a signal: bluetoothd treats an empty packet as the end.
  case acquireNotify
}
