// SPDX-License-Identifier: MIT
package import BLEFormats

/// An event that a proxy reports to its program.
package enum ProxyEvent: Sendable, Hashable {
  /// A client has said who it is.
  case joined(ProxyClient)
  /// A client has gone; so many advertisements were not sent to it because it did not read them.
  case left(ProxyClient, reason: String, dropped: Int)
  /// A client, or a program that said nothing yet, was turned away.
  case clientRefused(ProxyClient, reason: String)
  case connected(BluetoothAddress, by: ProxyClient, mtu: Int)
  case disconnected(BluetoothAddress, by: ProxyClient, reason: String)
  /// A client did not get the link that it wanted.
  case connectionRefused(BluetoothAddress, by: ProxyClient, reason: String)
}

/// A client as people know it.
package struct ProxyClient: Sendable, Hashable {
  /// Its numeric address on the network; nil without a network.
  package var host: String?
  /// The name that it gives itself, which is any text; nil if it has not greeted.
  package var name: String?

  package init(host: String? = nil, name: String? = nil) { (self.host, self.name) = (host, name) }
}
