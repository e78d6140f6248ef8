// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueLogs

/// The read and write access of others while a stream runs, and the brokers that bring their commands.
struct StreamControl {
  /// The option that names what brokers may control.
  static let brokerOption = "--mqtt-control"

  let remote: RemoteControl
  private let brokers: [BrokerControl]

  /// Takes commands for these characteristics from the brokers of the logs; with `announces`, tells Home Assistant of them.
  init(
    _ characteristics: [CharacteristicArgument], at logs: LogOptions, announces: Bool,
    in context: CommandContext
  ) throws {
    let remote = RemoteControl(in: context)
    self.remote = remote
    guard !characteristics.isEmpty else {
      brokers = []
      return
    }
    let access = ControlAccess(Self.brokerOption, characteristics, to: remote)
    let credentials = try BrokerCredentials.wanted()
    brokers = try logs.brokers.map { log, address in
      let name = TerminalSafe.escaped(log.path)
      do {
        let broker = try BrokerControl(
          name: name, address: address, credentials: credentials, version: ReleaseVersion.number,
          report: context.console.warn, perform: access.perform)
        if announces { access.onWritable(broker.announce) }
        return broker
      } catch let error as BrokerFailure {
        throw CommandError(status: .failed, message: "cannot take commands from \(name): \(error.reason)")
      }
    }
  }

  /// Runs `body`, and takes commands meanwhile; what is left is answered at its end.
  func run(_ body: () async throws -> Void) async throws {
    for broker in brokers { broker.start() }
    let outcome = await Result { try await body() }
    remote.close()
    for broker in brokers { await broker.finish() }
    try outcome.get()
  }
}
