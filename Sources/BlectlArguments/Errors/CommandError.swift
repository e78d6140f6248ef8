// SPDX-License-Identifier: MIT
package import BLECentral

/// An error for the user: the failure, its reason, and what might help.
package struct CommandError: Error, Sendable, Hashable {
  package var status: ExitStatus
  /// Printed after `blectl: `.
  package var message: String
  /// Further lines, such as the candidates of an ambiguous name.
  package var details: [String] = []
  /// A command to run, or a short suggestion.
  package var hint: String?
  /// Printed with `-v`.
  package var causes: [String] = []
  /// Whether a device was not heard but may still appear.
  package var isAbsence = false
  /// Whether the bus of another host cannot be reached but may come back.
  package var isAbsenceOfBus = false

  package init(
    status: ExitStatus, message: String, details: [String] = [], hint: String? = nil, causes: [String] = [],
    isAbsence: Bool = false, isAbsenceOfBus: Bool = false
  ) {
    self.status = status
    self.message = message
    self.details = details
    self.hint = hint
    self.causes = causes
    self.isAbsence = isAbsence
    self.isAbsenceOfBus = isAbsenceOfBus
  }

  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(status: .usage, message: message, hint: hint)
  }
}

extension CommandError {
  package init(_ error: BLEError, device: String? = nil) {
    status = ExitStatus(error.code)
    message = error.description
    hint = CommandError.hint(for: error, device: device)
    if let name = error.dbusName { causes.append("D-Bus error \(name)") }
    if let attError = error.attError { causes.append("\(attError)") }
  }
}
