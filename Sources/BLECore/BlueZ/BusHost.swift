// SPDX-License-Identifier: MIT

/// The host of a bus that a program such as ssh leads to, as errors name it.
package struct BusHost: Sendable, Hashable {
  /// What the user calls it.
  package let name: String
  /// The command that logs in there, to see what is wrong with the connection.
  package let login: String

  /// Names a host, and the command that logs in there.
  package init(name: String, login: String) { (self.name, self.login) = (name, login) }
}
