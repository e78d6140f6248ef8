// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct WriteCommand: DeviceCommand, PairingCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", _superCommandName: Blectl.name,
    abstract: "Write a characteristic.",
    discussion: """
      blectl write Piano ffe3 f03d3d0002f7 --reply ffe2 --simulate
      blectl write F0:F1:F2:F3:F4:F5 180d/2a39 u8:1 --simulate
      seq -f f03d3d%02g02f7 0 9 | blectl write Piano ffe3 --from - --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "What to write: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristic: CharacteristicArgument
  @Argument(
    help: """
      Hex digits, FORMAT:TEXT such as u16:1000, utf8:hello or auto:high, - for stdin, or @FILE; several are joined. \
      xor8, sum8, crc8, crc16-modbus, crc16-ccitt, crc32 are checksums of what stands before them.
      """,
    transform: ValueArgument.init(parsing:))
  var values: [ValueArgument] = []
  @Option(
    help: ArgumentHelp(
      "One value per line, written in order over one connection; - is stdin.", valueName: "file"),
    completion: .file())
  var from: String?
  @Flag(
    help:
      "Write without response: faster, but the values are only handed over: a device refuses them in silence."
  )
  var noResponse = false
  @Option(
    help: ArgumentHelp("Write this descriptor of the characteristic instead.", valueName: "uuid"),
    completion: LiveCompletion.descriptor, transform: BluetoothUUID.init(parsingDescriptor:))
  var descriptor: BluetoothUUID?
  @Option(
    help: ArgumentHelp(
      "After each write, wait for the next notification of this characteristic and print it.",
      valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var reply: CharacteristicArgument?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("How to show replies; see 'read'.", valueName: "format"),
    completion: LiveCompletion.format, transform: ValueView.init(parsing:))
  var view: ValueView?
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var step: ScriptStep { .write(self) }
  var problemOnSeveral: String? {
    from == "-" || values.contains(.standardInput) ? CommandGrammar.oneInput : nil
  }
  var payloads: [ValueSource.Payload] {
    get throws {
      let device = target.device.subject
      let attribute =
        descriptor.map { AttributeIdentity($0, of: device, isDescriptor: true) }
        ?? characteristic.identity(of: device)
      return try ValueSource.payloads(values, from: from, for: attribute)
    }
  }

  func validate() throws {
    try validatePairing()
    if values.isEmpty == (from == nil) { throw ValidationError("give either VALUE or --from FILE") }
    if noResponse, descriptor != nil {
      throw ValidationError("--no-response and --descriptor cannot be used together")
    }
  }

  func run(in context: CommandContext) async throws {
    // Read and parse everything before sending anything.
    let payloads = try payloads
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    let found = try await link.characteristics([characteristic])[0]
    let descriptor = try descriptor.map { try found.descriptor($0) }
    if noResponse, !found.properties.contains(.writeWithoutResponse) {
      context.console.warn(
        "\(found.title) does not offer writes without response: the device may ignore them")
    }
    if !isAcknowledged(by: found) { try await link.pairBeforehand() }
    let send = { (indices: Range<Int>) in
      if let descriptor {
        for index in indices { try await write(payloads, index, to: descriptor, of: found, link, context) }
      } else {
        try await write(payloads, indices, to: found, link, context)
      }
    }
    guard let reply else {
      try await send(payloads.indices)
      return try report(payloads, found, link, context)
    }
    let replying = try await link.characteristics([reply])[0]
    let timeout = context.timeout
    var notifications = try await link.request {
      try await link.peripheral.notifications(for: replying, timeout: timeout)
    }.makeAsyncIterator()
    let output = ConsoleOutputSink(context.console, ValueStyle(isJSON: common.json, view: view))
    let origin = ValueOrigin(link.info, replying, via: .signal, shownAs: view)
    for index in payloads.indices {
      try await link.peripheral.discardNotifications(
        of: replying, waitingIn: &notifications, timeout: timeout)
      try await send(index..<index + 1)
      let answer = try await answer(
        of: replying, to: index, payloads, verb(for: found), &notifications, within: timeout, link, context)
      context.observer?.received(ValueBatch([answer], of: origin))
      let misfit = output.style.misfit(answer, of: origin, link.title)
      try output.print(answer, of: origin, misfit)
      if let misfit { throw misfit }
    }
  }

  /// Waits for the notification that answers a value.
  private func answer(
    of characteristic: GATTCharacteristic, to index: Int, _ payloads: [ValueSource.Payload], _ verb: String,
    _ notifications: inout Notifications.Iterator, within timeout: Duration?, _ link: DeviceConnection,
    _ context: CommandContext
  ) async throws -> ReceivedValue {
    do {
      return try await notifications.next(
        within: timeout, during: .receiveReply(from: characteristic.uuid))
    } catch {
      throw reported(error, payloads, at: index, certain: index + 1, verb, link, context)
    }
  }

  /// Reports the write: a record with `--json`, else a remark.
  private func report(
    _ payloads: [ValueSource.Payload], _ characteristic: GATTCharacteristic, _ link: DeviceConnection,
    _ context: CommandContext
  ) throws {
    let count = payloads.count
    guard common.json else {
      let device = link.info.name ?? link.info.address.description
      let verb = isAcknowledged(by: characteristic) ? "wrote" : "handed over"
      return context.remark("\(verb) \(counted(count, "value")) to \(device)")
    }
    try context.console.write(
      WrittenRecord(
        time: .now, address: link.info.lastingAddress, characteristic: characteristic, descriptor: descriptor,
        values: count, bytes: payloads.reduce(0) { $0 + $1.bytes.count },
        isAcknowledged: isAcknowledged(by: characteristic)))
  }

  /// Writes values, and returns when the device has received them; an error counts those certainly received.
  private func write(
    _ payloads: [ValueSource.Payload], _ indices: Range<Int>, to characteristic: GATTCharacteristic,
    _ link: DeviceConnection, _ context: CommandContext
  ) async throws {
    let values = payloads[indices].map { $0.bytes }
    let (total, earlier) = (payloads.count, indices.lowerBound)
    let count = Lock(0)
    let start = Timestamp.now
    defer {
      observe(payloads[indices].prefix(count.withLock { $0 }), at: start, characteristic, link, context)
    }
    let progress: @Sendable () -> String = {
      let part = total == 1 ? "" : ": \(earlier + count.withLock { $0 }) of \(total) values"
      return "writing \(characteristic.title)\(part)"
    }
    do {
      try await context.showingProgress(progress) {
        try await link.request {
          let done = count.withLock { $0 }
          try await link.peripheral.writeValues(
            Array(values[done...]), for: characteristic, type: type(for: characteristic),
            timeout: context.timeout
          ) { certain in count.withLock { $0 = done + certain } }
        }
      }
    } catch let error as BLEError {
      let certain = earlier + count.withLock { $0 }
      throw reported(error, payloads, at: certain, certain: certain, verb(for: characteristic), link, context)
    }
  }

  /// Reports each value that was certainly written to the observer.
  private func observe(
    _ payloads: some Sequence<ValueSource.Payload>, at time: Timestamp, _ characteristic: GATTCharacteristic,
    _ link: DeviceConnection, _ context: CommandContext
  ) {
    guard let observer = context.observer else { return }
    for payload in payloads {
      observer.wrote(
        WrittenRecord(
          time: time, address: link.info.lastingAddress, characteristic: characteristic,
          descriptor: descriptor,
          values: 1, bytes: payload.bytes.count, isAcknowledged: isAcknowledged(by: characteristic),
          value: payload.bytes))
    }
  }

  /// The error to throw for a value: explained, or unchanged after a signal, which ends the command silently.
  private func reported(
    _ error: BLEError, _ payloads: [ValueSource.Payload], at index: Int, certain: Int, _ verb: String,
    _ link: DeviceConnection, _ context: CommandContext
  ) -> any Error {
    let explained = explained(error, payloads, at: index, certain: certain, verb, link)
    if error.code != .cancelled { return explained }
    if payloads.count > 1, let place = explained.details.first {
      let doubt = error.leavesDoubt ? "; the device may still have received more of them" : ""
      context.console.note("blectl: interrupted \(place)\(doubt)")
    }
    return error
  }

  /// An error at a value, with the known outcome of the others.
  private func explained(
    _ error: BLEError, _ payloads: [ValueSource.Payload], at index: Int, certain: Int, _ verb: String,
    _ link: DeviceConnection
  ) -> CommandError {
    var explained = CommandError(error, device: link.title)
    if index < payloads.count, let line = payloads[index].line {
      explained.details.append("at line \(line); \(certain) of \(payloads.count) values were \(verb)")
    }
    if index < payloads.count, error.attError == .invalidAttributeValueLength {
      explained.message += ": the value has \(counted(payloads[index].bytes.count, "byte"))"
    }
    if error.leavesDoubt {
      let more = payloads.count == 1 ? "the value" : "more of them"
      explained.details.append("the device may still have received \(more)")
    }
    return explained
  }

  private func write(
    _ payloads: [ValueSource.Payload], _ index: Int, to descriptor: GATTDescriptor,
    of characteristic: GATTCharacteristic, _ link: DeviceConnection, _ context: CommandContext
  ) async throws {
    let start = Timestamp.now
    do {
      try await context.showingProgress("writing \(descriptor.uuid)") {
        try await link.request {
          try await link.peripheral.writeValue(
            payloads[index].bytes, for: descriptor, timeout: context.timeout)
        }
      }
      observe([payloads[index]], at: start, characteristic, link, context)
    } catch let error as BLEError {
      throw reported(error, payloads, at: index, certain: index, "written", link, context)
    }
  }

  /// The participle for values that the device has.
  private func verb(for characteristic: GATTCharacteristic) -> String {
    isAcknowledged(by: characteristic) ? "written" : "handed over"
  }

  private func isAcknowledged(by characteristic: GATTCharacteristic) -> Bool {
    descriptor != nil || type(for: characteristic) == .withResponse
  }

  /// With a response, unless the characteristic supports only writes without, or the user asked for them.
  private func type(for characteristic: GATTCharacteristic) -> WriteType {
    if noResponse { return .withoutResponse }
    let properties = characteristic.properties
    return properties.contains(.writeWithoutResponse) && !properties.contains(.write)
      ? .withoutResponse : .withResponse
  }
}

extension BLEError {
  /// True if the device may have received a value that is not known to have arrived.
  fileprivate var leavesDoubt: Bool { uncertainCount.map { $0 > 0 } ?? mayHaveTakenEffect }
}
