// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueLogs

extension BrokerLog {
  /// Opens a log at a broker, even an absent one if `waitsForBroker`, which is nil if the command cannot wait.
  static func open(
    _ log: LogArgument, at address: BrokerAddress, announcing settings: HomeAssistantSettings?,
    waitsForBroker: Bool?, in context: CommandContext
  ) async throws -> BrokerLog {
    let credentials = try BrokerCredentials.wanted()
    do {
      let opened = Lock(
        try BrokerLog(
          name: log.path, address: address, credentials: credentials, announces: settings,
          report: context.console.warn))
      try await context.showingProgress("connecting to \(address.host)") {
        do {
          try await connect(opened, within: context.timeout)
        } catch let error as BrokerFailure where waitsForBroker == true && error.isPassing {
          context.console.warn("cannot write \(log.path): \(error.reason); trying again")
        }
      }
      return opened.withLock(\.self)
    } catch let error as BrokerFailure {
      throw CommandError(
        status: .failed, message: "cannot write \(TerminalSafe.escaped(log.path)): \(error.reason)",
        hint: error.hint(address, waitsForBroker: waitsForBroker))
    }
  }

  /// Connects on another thread, since it blocks.
  private static func connect(_ log: Lock<BrokerLog>, within time: Duration?) async throws {
    // No other code uses the log until this thread is done, or at all if nothing waits for it.
    let outcome = await WorkerThread.result { () throws(BrokerFailure) in
      try log.withLock { log throws(BrokerFailure) in try log.connect(within: time) }
    }
    guard let outcome else { throw CancellationError() }
    try outcome.get()
  }
}

extension BrokerCredentials {
  /// Credentials from the environment: a password on the command line would be visible to other users.
  static func wanted() throws -> BrokerCredentials {
    var password = Console.environment("BLECTL_MQTT_PASSWORD")
    if password == nil, let path = Console.environment("BLECTL_MQTT_PASSWORD_FILE") {
      let lines = String(decoding: try ValueSource.content(of: path, most: 65_536), as: UTF8.self)
        .split(omittingEmptySubsequences: false) { $0.isNewline }
      password = lines.first.map(String.init)
    }
    return BrokerCredentials(password: password, authorities: Console.environment("BLECTL_MQTT_CA_FILE"))
  }
}

extension BrokerFailure {
  fileprivate func hint(_ address: BrokerAddress, waitsForBroker: Bool?) -> String? {
    let waits = waitsForBroker == false ? "; --reconnect waits for it" : ""
    return switch kind {
    case .library: "sudo apt install libmosquitto1"
    case .unreachable:
      "check that a broker listens on port \(address.port) of \(address.host)\(waits)"
    case .unknownHost: "check the name of the host, \(address.host), and the network\(waits)"
    case .denied where address.user == nil: "name the user in the URL: mqtt://USER@HOST/TOPIC"
    case .denied:
      "put the password into BLECTL_MQTT_PASSWORD, or into a file that BLECTL_MQTT_PASSWORD_FILE names"
    case .misnamed: "in the URL, use a name of the broker that its certificate has"
    case .untrusted: "set BLECTL_MQTT_CA_FILE to a file with the certificate of the authority"
    }
  }
}
