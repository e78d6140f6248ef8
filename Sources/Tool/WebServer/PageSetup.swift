// SPDX-License-Identifier: MIT

/// The setup of a page: where it is, who may see it, and what it says of the command.
package struct PageSetup: Sendable {
  /// The address to listen on: numeric.
  package var host: String
  /// 0 takes a free one.
  package var port: UInt16
  /// Names of the page besides those of this machine, for the check of the header Host.
  package var names: [String] = []
  /// The secret that a client has to know; nil requires none.
  package var token: String?
  /// The path under which a proxy shows the page, such as `/ble`; empty for none.
  package var base = ""
  /// The time for which values are kept, in seconds; nil keeps them until the end.
  package var history: Double?
  /// The command whose page it is: `listen`.
  package var command = ""
  /// The version of `blectl`.
  package var version = ""
  /// True if the command hears devices only while something is received; false for one that has nothing to hear.
  package var hears = true
  /// True if numbers from before the start follow, next to the records.
  package var awaitsPast = false
  /// The characteristics that the page may write.
  package var controls: [String] = []
  /// The conditions of alarms, as the user wrote them.
  package var conditions: [String] = []
  /// The limits for clients.
  package var limits = PageLimits()

  package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
}

extension PageSetup {
  /// Returns the path of the page that a base would hide, as a proxy may remove it; nil if it hides none.
  package static func path(hiddenBy base: String) -> String? {
    if PageFile(named: String(base.dropFirst())) != nil { return base }
    return PageSite.paths.first { $0 == base || $0.hasPrefix(base + "/") }
  }
}

/// The limits of the server: none of its clients can use up what others, or the command, need.
package struct PageLimits: Sendable {
  /// The most connections; with few descriptors, a quarter of them.
  package var connections = 256
  /// The most connections from one address, of which IPv6 has 64 bits.
  package var connectionsEach = 128
  /// The most bytes that a connection may send before it is answered.
  package var request = 64 * 1024
  /// The most bytes of a body.
  package var body = 16 * 1024
  /// The time in which a request must be whole.
  package var requestTime = Duration.seconds(15)
  /// The time for which a connection may be open between two requests.
  package var idleTime = Duration.seconds(60)
  /// The time for which a client may take nothing of its answer.
  package var stallTime = Duration.seconds(30)
  /// The same for one that follows the records, and may be asleep.
  package var streamStallTime = Duration.seconds(120)
  /// The interval of a sign of life in a stream.
  package var quietTime = Duration.seconds(15)
  /// The most bytes of large answers that wait for their clients, of all together.
  package var waitingAnswers = 32 << 20
  /// The bytes of records that are kept for clients that come later or read slowly.
  package var records = 16 << 20

  package init() {}
}
