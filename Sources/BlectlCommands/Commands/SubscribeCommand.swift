// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import DBus

struct SubscribeCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe", abstract: "Print the values that a device sends by itself.",
    discussion: """
      blectl subscribe 'Heart Strap' 2a37 --count 5 --simulate
      blectl subscribe Thermometer 2a6e 2a1c --duration 1m --json
      """, aliases: ["notify"])

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "What to subscribe to: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument]
  @Option(
    name: .customLong("as"), help: ArgumentHelp("How to show values: hex, utf8, u16, …", valueName: "format"),
    transform: ValueFormat.init(typed:))
  var format: ValueFormat?
  @Option(help: ArgumentHelp("End after this many values.", valueName: "n"))
  var count: Int?
  @Option(
    help: ArgumentHelp("End after this long.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "signal, or socket: faster, but exclusive, and dangerous before BlueZ 5.84.", valueName: "path"),
    transform: SubscribeCommand.path(parsing:))
  var via = NotificationPath.signal
  @OptionGroup var common: CommonOptions
  var deviceText: String? { target.device.description }

  private static func path(parsing text: String) throws -> NotificationPath {
    guard let path = NotificationPath(rawValue: text) else {
      throw ArgumentError(text, "is not a way; the ways are signal and socket")
    }
    return path
  }

  func validate() throws {
    if characteristics.isEmpty { throw ValidationError("Say which characteristic to subscribe to.") }
    if let count, count < 1 { throw ValidationError("--count begins at 1.") }
  }

  func run(in session: Session) async throws {
    let link = try await Link.open(target, in: session)
    let left = Lock(count ?? .max)
    var isAgain = false
    while true {
      do {
        return try await listen(link, left, session, isAgain: isAgain)
      } catch let error as BLEError where error.code == .disconnected {
        // A link that was going down when we joined it: nothing was promised over it yet.
        if try await link.reopen() {
          isAgain = true
          continue
        }
        if common.json {
          try session.console.write(
            LinkRecord(event: .disconnected, address: link.info.address, reason: error.message))
        }
        throw error
      }
    }
  }

  private func listen(_ link: Link, _ left: Lock<Int>, _ session: Session, isAgain: Bool) async throws {
    let found = try await link.characteristics(characteristics)
    var sources: [(GATTCharacteristic, Notifications)] = []
    for characteristic in found {
      sources.append((characteristic, try await subscribe(characteristic, link, session)))
    }
    if common.json {
      try session.console.write(
        LinkRecord(event: isAgain ? .reconnected : .connected, address: link.info.address))
    } else if session.console.output.isTerminal {
      session.remark("subscribed; Ctrl-C ends")
    }
    let output = ValueOutput(
      console: session.console, isJSON: common.json, format: format, showsTime: true,
      showsCharacteristic: found.count > 1)
    let address = link.info.address
    let loop = session.loop
    try await session.limited(to: duration?.limit) { [sources] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (characteristic, notifications) in sources {
          group.addTask(executorPreference: loop) {
            try await Self.forward(notifications, of: characteristic, address, left, to: output)
          }
        }
        defer { group.cancelAll() }
        try await group.next()  // the first to end, by its count or its error, ends all
      }
    }
  }

  private func subscribe(
    _ characteristic: GATTCharacteristic, _ link: Link, _ session: Session
  ) async throws -> Notifications {
    let (path, timeout) = (via, session.timeout)
    return try await session.showingProgress("subscribing to \(characteristic.uuid)") {
      try await link.perform { peripheral throws(BLEError) in
        try await peripheral.notifications(for: characteristic, via: path, timeout: timeout)
      }
    }
  }

  /// Writes what comes, batch by batch, until the count is reached or the link is lost.
  private static func forward(
    _ notifications: Notifications, of characteristic: GATTCharacteristic, _ address: BluetoothAddress,
    _ left: Lock<Int>, to output: ValueOutput
  ) async throws {
    let way: ValueRecord.Way = notifications.path == .socket ? .socket : .signal
    let meaning = ValueMeaning(of: characteristic.uuid)
    while let batch = try await notifications.nextBatch() {
      let allowed = left.withLock { left in
        let allowed = min(left, batch.notifications.count)
        left -= allowed
        return allowed
      }
      try output.write(
        batch.notifications.prefix(allowed).map {
          ValueRecord(
            time: $0.time, address: address, characteristic: characteristic, value: $0.value, meaning: meaning,
            way: way)
        })
      if left.withLock({ $0 == 0 }) { return }
    }
  }
}
