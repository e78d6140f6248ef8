// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

/// The central's end of a link, as seen by the peripheral.
protocol PeripheralLink: AttributeLink {
  /// Applies a new packet time.
  func retime()
  func servicesChanged()
  /// Handles the end of the link: the peripheral closed it, or is out of range.
  func lost(_ end: LinkEnd)
  var mtu: UInt16 { get }
  var central: AdapterPeer { get }
  /// The security of the link, which pairing raises.
  var security: LinkSecurity { get set }
  func securityRequested(_ level: LinkSecurity)
}

extension PeripheralLink {
  var longestNotification: Int { Int(mtu) - 3 }
  var packetSize: Int { longestNotification }
}
