// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments

/// A failure of the kernel or a controller to do or report something.
package enum RadioFailure: Error, Sendable, Hashable {
  /// The bus is not that of this machine's bluetoothd, so its kernel is not the one that has the link.
  case elsewhere
  /// The kernel has no Bluetooth, or this program is in a network namespace of its own.
  case noKernel(String)
  /// The capability that this program lacks.
  case capability(Capability)
  /// The code of the controller.
  case refused(UInt8)
  /// The controller or the kernel does not know the command.
  case unsupported
  case silent
  case noLink
  /// The kernel's words.
  case system(String)

  package enum Capability: String, Sendable {
    case raw = "CAP_NET_RAW"
    case admin = "CAP_NET_ADMIN"
  }

  /// The rest of a sentence.
  package var reason: String {
    switch self {
    case .elsewhere: "only the kernel of the machine with the adapter knows it"
    case .noKernel(let words): "the kernel's Bluetooth cannot be reached: \(words)"
    case .capability(let capability): "needs \(capability.rawValue)"
    case .refused(let code): "refused, HCI 0x\(Hex.string([code])) \(Self.names[code] ?? "unknown error")"
    case .unsupported: "not supported by this controller or kernel"
    case .silent: "no answer"
    case .noLink: "the kernel has no such link"
    case .system(let words): words
    }
  }

  /// The command that grants what is missing.
  package var hint: String? {
    guard case .capability = self else { return nil }
    return "sudo setcap cap_net_raw,cap_net_admin+ep \(ProgramPath.own)"
  }

  /// Those of the specification, volume 1, part F, that a link can meet.
  private static let names: [UInt8: String] = [
    0x02: "unknown connection", 0x08: "connection timeout", 0x0c: "command disallowed",
    0x11: "unsupported feature or parameter", 0x12: "invalid parameters", 0x13: "ended by the device",
    0x1a: "the device lacks the feature", 0x1f: "unspecified error", 0x20: "unsupported LL parameter",
    0x22: "the device did not answer", 0x23: "collision", 0x2a: "collision with another procedure",
    0x3a: "controller busy", 0x3b: "unacceptable connection parameters",
  ]
}
