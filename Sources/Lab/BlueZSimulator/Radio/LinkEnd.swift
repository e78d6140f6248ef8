// SPDX-License-Identifier: MIT

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
