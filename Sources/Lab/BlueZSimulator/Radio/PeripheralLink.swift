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

/// The reason for the end of a link, in the terms of bluetoothd's signal `Disconnected`.
enum LinkEnd {
  case local
  case remote
  case timeout
  case authentication

  var name: String {
    switch self {
    case .local: "org.bluez.Reason.Local"
    case .remote: "org.bluez.Reason.Remote"
    case .timeout: "org.bluez.Reason.Timeout"
    case .authentication: "org.bluez.Reason.Authentication"
    }
  }

  var message: String {
    switch self {
    case .local: "Connection terminated by local host"
    case .remote: "Connection terminated by remote user"
    case .timeout: "Connection timeout"
    case .authentication: "Connection terminated due to authentication failure"
    }
  }
}
