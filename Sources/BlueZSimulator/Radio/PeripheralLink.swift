// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

/// The central's end of a link, as seen by the peripheral.
protocol PeripheralLink: AttributeLink {
  /// The packet time has changed.
  func retime()
  /// The services of the peripheral are others now.
  func servicesChanged()
  /// The peripheral has closed the link or is out of range.
  func lost(_ end: LinkEnd)
  /// The ATT MTU.
  var mtu: UInt16 { get }
  /// The adapter at the central's end.
  var central: AdapterPeer { get }
  /// Its security, as after pairing.
  var security: LinkSecurity { get set }
  /// The peripheral asks for a more secure link.
  func securityRequested(_ level: LinkSecurity)
}

extension PeripheralLink {
  var longestNotification: Int { Int(mtu) - 3 }
}
