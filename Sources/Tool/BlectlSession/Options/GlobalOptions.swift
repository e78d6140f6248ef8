// SPDX-License-Identifier: MIT
package import BlectlArguments
package import Logging
package import TerminalOutput

/// The options of every command.
package struct GlobalOptions: Sendable {
  /// A name or an address; nil for the default.
  package var adapter: String?
  /// A D-Bus address; nil for the default.
  package var bus: String?
  package var hosts: [RemoteHost] = []
  package var simulate = false
  /// The world file of the simulation; nil for the built-in world.
  package var world: String?
  /// The file of keys; nil for that of the user.
  package var keys: String?
  /// The limit of every wait.
  package var timeout = DurationArgument(.seconds(20))
  package var json = false
  package var color = ColorMode.auto
  /// True if stderr gets errors only.
  package var quiet = false
  /// The number of times `-v` was given.
  package var verbose = 0

  package init() {}

  /// The hosts of `--host`, else of `BLECTL_HOST`; none if the user selected another bus.
  ///
  /// Each is there once: the devices of a host that is named twice would be, too.
  package func wantedHosts() throws(CommandError) -> [RemoteHost] {
    if !hosts.isEmpty || bus != nil || simulate { return distinct(hosts) }
    let names = Console.environment("BLECTL_HOST")?.split(separator: " ") ?? []
    do {
      return distinct(try names.map { try RemoteHost(parsing: String($0)) })
    } catch {
      throw CommandError.usage("BLECTL_HOST: \(error)")
    }
  }

  /// The only host, which hints name; nil for this machine, and for several hosts.
  package var onlyHost: String? {
    guard let hosts = try? wantedHosts(), hosts.count == 1 else { return nil }
    return hosts[0].description
  }

  private func distinct(_ hosts: [RemoteHost]) -> [RemoteHost] {
    var seen: Set<RemoteHost> = []
    return hosts.filter { seen.insert($0).inserted }
  }

  /// The adapter of `--adapter`, else of `BLECTL_ADAPTER`.
  package var wantedAdapter: String? {
    adapter ?? Console.environment("BLECTL_ADAPTER").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The logger of the library: `-v` prints on stderr what is tried again and skipped, `-vv` also the D-Bus traffic.
  package func logger(on console: Console) -> Logger {
    var logger = Logger(label: "blectl") { _ in ConsoleLogHandler(console: console) }
    logger.logLevel = verbose > 1 ? .trace : verbose == 1 ? .debug : .critical
    return logger
  }
}

/// Writes the library's log to stderr, one line per message.
private struct ConsoleLogHandler: LogHandler {
  let console: Console
  var logLevel = Logger.Level.critical
  var metadata = Logger.Metadata()

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let text = TerminalSafe.escaped(event.message.description)
    console.note(event.level == .info ? text : "\(event.level): \(text)")
  }
}
