// SPDX-License-Identifier: MIT

/// The host of a bus that a program such as ssh leads to, as errors name it.
package struct BusHost: Sendable, Hashable {
  /// The name that the user gave.
  package let name: String
  /// The command that logs in there, to see what is wrong with the connection.
  package let login: String

  /// Names a host, and the command that logs in there.
  package init(name: String, login: String) { (self.name, self.login) = (name, login) }
}
