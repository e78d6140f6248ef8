// SPDX-License-Identifier: MIT
internal import JSON

/// The first message from `blectl` to `blectl-web`, as a line of JSON.
///
/// Records follow, one per line.
package struct WebSetup: Sendable, Equatable {
  /// The address to listen on: numeric.
  package var host: String
  /// 0 takes a free one.
  package var port: UInt16
  /// Names of the page besides those of this machine, for the check of the header Host.
  package var names: [String] = []
  /// The secret that a client has to know; nil requires none.
  package var token: String?
  /// The value of the cookie of those who have logged in.
  package var session = ""
  /// The time for which values are kept, in seconds; nil keeps them until the end.
  package var history: Double?
  /// The command whose page it is: `listen`.
  package var command = ""
  /// The version of `blectl`.
  package var version = ""
  /// True if numbers from before the start follow, next to the records.
  package var awaitsPast = false
  /// The characteristics that the page may write.
  package var controls: [String] = []
  /// The conditions of alarms, as the user wrote them.
  package var conditions: [String] = []

  package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
}

extension WebSetup {
  package var line: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("web", "setup")
      json.field("host", host)
      json.field("port", Int(port))
      json.field("names", names)
      json.field("token", token)
      json.field("session", session)
      json.field("history", history)
      json.field("past", awaitsPast)
      json.field("command", command)
      json.field("version", version)
      json.field("controls", controls)
      json.field("conditions", conditions)
    }
    json.endRecord()
    return json.bytes
  }

  /// Nil if the line is not a setup.
  package init?(line: [UInt8]) {
    guard let node = try? JSONReader.read(line), node["web"]?.string == "setup",
      let host = node["host"]?.string, let port = node["port"]?.integer.flatMap({ UInt16(exactly: $0) })
    else { return nil }
    self.init(host: host, port: port)
    names = node["names"]?.elements?.compactMap(\.string) ?? []
    token = node["token"]?.string
    session = node["session"]?.string ?? ""
    if case .number(let number)? = node["history"]?.content { history = number.real }
    awaitsPast = node["past"]?.content == .bool(true)
    command = node["command"]?.string ?? ""
    version = node["version"]?.string ?? ""
    controls = node["controls"]?.elements?.compactMap(\.string) ?? []
    conditions = node["conditions"]?.elements?.compactMap(\.string) ?? []
  }
}
