// SPDX-License-Identifier: MIT
internal import BLECentral

/// An error as a person reads it: what could not be done, why, what might help.
struct CommandError: Error, Sendable, Hashable {
  var status: ExitStatus
  /// What follows `blectl: `.
  var message: String
  /// Further lines, such as the candidates of an ambiguous name.
  var details: [String] = []
  /// A command to run, or a few words.
  var hint: String?
  /// What `-v` adds.
  var causes: [String] = []
  /// Whether it only says that a device was not heard, which may come yet.
  var isAbsence = false

  /// A command line that cannot be carried out as it stands.
  static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(status: .usage, message: message, hint: hint)
  }
}

extension CommandError {
  /// An error of the library, with the command that helps.
  init(_ error: BLEError, device: String? = nil) {
    status = ExitStatus(error.code)
    message = error.description
    hint = CommandError.hint(for: error, device: device)
    if let name = error.dbusName { causes.append("D-Bus error \(name)") }
    if let attError = error.attError { causes.append("\(attError)") }
  }

  /// The address that an operation ends with, as in `read 2a19 of F0:F1:F2:F3:F4:F5`.
  ///
  /// bluetoothctl takes no names.
  private static func address(in operation: String) -> String? {
    operation.split(separator: " ").last.flatMap { BluetoothAddress($0) }.map { "\($0)" }
  }

  private static func hint(for error: BLEError, device: String?) -> String? {
    switch error.code {
    case .busUnavailable: "blectl doctor; without a radio, add --simulate"
    case .serviceUnavailable: "sudo systemctl start bluetooth"
    case .noAdapter: "blectl adapter list; without a radio, add --simulate"
    case .poweredOff: "blectl adapter on"
    case .blocked: "sudo rfkill unblock bluetooth"
    case .accessDenied: "blectl doctor"
    case .notPaired: "bluetoothctl pair \(address(in: error.operation) ?? device ?? "DEVICE")"
    case .timedOut: "a longer --timeout, or the device nearer"
    case .busy: "end the other program that uses it, or try again"
    default: nil
    }
  }
}
