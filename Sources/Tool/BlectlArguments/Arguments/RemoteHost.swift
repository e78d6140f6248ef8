// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// A host that ssh reaches: `[USER@]HOST[:PORT]`.
package struct RemoteHost: Sendable, Hashable, CustomStringConvertible {
  /// The argument of ssh: `USER@HOST`, or a name of its configuration.
  package let destination: String
  package let port: UInt16?

  /// - Throws: ``ArgumentError``.
  package init(parsing text: String) throws {
    func refuse(_ why: String) -> ArgumentError {
      ArgumentError(text, "is not a host: \(why); write [USER@]HOST[:PORT]")
    }
    // An IPv6 address contains colons: with a port, it stands in brackets.
    let colons = text.count { $0 == ":" }
    var (name, digits): (Substring, Substring?) = (text[...], nil)
    if colons == 1 || text.contains("]:"), let colon = text.lastIndex(of: ":") {
      (name, digits) = (text[..<colon], text[text.index(after: colon)...])
    }
    port = digits.flatMap { UInt16($0) }
    if let digits, port == nil || port == 0 { throw refuse("'\(digits)' is not a port") }
    destination = name.filter { $0 != "[" && $0 != "]" }
    let parts = destination.split(separator: "@", omittingEmptySubsequences: false)
    if parts.contains(where: \.isEmpty) { throw refuse("it is empty") }
    if destination.hasPrefix("-") { throw refuse("it begins with a hyphen") }
    // Proxy commands of ssh's configuration pass the name to a shell.
    if let other = destination.first(where: {
      !$0.isASCII || !$0.isLetter && !$0.isNumber && !"._-+@:%".contains($0)
    }) {
      throw refuse("a name has no '\(TerminalSafe.escaped(String(other)))'")
    }
  }

  /// The command that logs in there.
  package var login: String { "ssh \(port.map { "-p \($0) " } ?? "")\(destination)" }

  package var description: String { port.map { "\(destination):\($0)" } ?? destination }
}
