// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ReceiveCommand: DeviceCommand, PairingCommand, TransferringCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", _superCommandName: Blectl.name,
    abstract: "Receive a file from a characteristic or an L2CAP channel.",
    discussion: """
      blectl receive Strap 2a37 --to rate.bin --until-length 8 --simulate
      blectl receive Strap 2a37 --to - --until-length 8 --simulate | od -tx1
      blectl receive Piano ffe2 --to keys --request ffe3:f03d3d0002f7 --simulate

      Subscribes to the characteristic, and writes the bytes of all notifications to a file. It is complete after a length, \
      with certain bytes at its end, or when nothing more comes for a while; without any of these, after 2 s of silence. A \
      device that waits for a command gets it with --request.

      With --psm, the bytes are those of an L2CAP channel, and without any of these the file is complete when the device closes \
      it.
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "Where from, without --psm: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristic: CharacteristicArgument?
  @OptionGroup(title: "L2CAP channel") var channel: ChannelOptions
  @Option(
    help: ArgumentHelp("Where to write what is received; - is stdout.", valueName: "file"),
    completion: .file())
  var to: String
  @Option(
    help: ArgumentHelp("Complete after this number of bytes, such as 64K.", valueName: "size"),
    transform: SizeArgument.init(parsing:))
  var untilLength: SizeArgument?
  @Option(
    help: ArgumentHelp(
      "Complete with these bytes, which are a part of the file: a VALUE, such as 0d0a or utf8:END.",
      valueName: "value"), transform: ValueArgument.init(parsing:))
  var untilValue: ValueArgument?
  @Option(
    help: ArgumentHelp(
      "Complete when nothing more comes for this time. (default: 2s, without the other two and --psm)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var untilSilence: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "When notifications are on, write this VALUE to this characteristic, to begin the transfer.",
      valueName: "char:value"),
    completion: LiveCompletion.characteristic, transform: RequestArgument.init(parsing:))
  var request: RequestArgument?
  @OptionGroup(title: "Checksum") var checksum: ChecksumOptions
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  var problemOnSeveral: String? {
    to == "-" ? "'--to -' mixes the bytes of several devices: run it on each device by itself" : nil
  }

  func validate() throws {
    try validatePairing()
    if channel.psm == nil, characteristic == nil { throw ValidationError("give <characteristic> or --psm.") }
    if channel.psm != nil, let characteristic {
      throw ValidationError("--psm takes the place of a characteristic: leave '\(characteristic)' out.")
    }
    if let untilValue, case .bytes(let bytes) = untilValue, bytes.isEmpty {
      throw ValidationError("--until-value needs at least one byte.")
    }
    if let untilSilence, untilSilence.limit == nil {
      throw ValidationError("--until-silence must be more than 0.")
    }
    if to == "-", common.json { throw ValidationError("--json needs a file: stdout gets the bytes.") }
  }

  func run(in context: CommandContext) async throws {
    let end = try end
    let command = try request?.bytes(for: target.device.subject)
    let output = try TransferFile(to, context.console)
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    try output.claim(for: "\(link.info.lastingAddress)")
    let reference = try await link.characteristic(checksum.source)
    let (source, route) = try await open(over: link, command, in: context)
    let receiver = FileReceiver(until: end, over: link, in: context)
    var content: [UInt8] = []
    do {
      try await receiver.run(from: source) { bytes, count in
        if checksum.kind != nil { content += bytes }
        try output.write(bytes, count)
      }
    } catch {
      let record = TransferRecord(.interrupted, route, of: link.info.lastingAddress, receiver.tally)
      throw context.interrupted(error, record, receiver.tally, "come", device: link.title)
    }
    try output.finish()
    let sum = try checksum.kind.map { try Checksum($0, of: content) }
    if let sum, let reference, let value = try await link.value(in: reference, insteadOf: sum, context) {
      throw try context.mismatch(value, insteadOf: sum, of: to, route, over: link, receiver.tally)
    }
    try context.completed(.received, route, over: link, receiver.tally, sum)
  }

  /// Subscribes, or opens the channel, and lets the device begin.
  private func open(
    over link: DeviceConnection, _ command: [UInt8]?, in context: CommandContext
  ) async throws -> (FileSource, TransferRoute) {
    let requested = try await link.characteristic(request?.characteristic)
    if let psm = channel.psm {
      let channel = try await link.openChannel(psm, in: context)
      try await write(command, to: requested, over: link, in: context)
      return (.channel(channel), .channel(psm: psm))
    }
    let found = try await link.characteristics(characteristic.map { [$0] } ?? [])[0]
    if let waiting = context.observer?.waitingValues(of: found) {
      if command != nil { waiting.discard() }
      try await write(command, to: requested, over: link, in: context)
      return (.waiting(waiting, of: found), .characteristic(found))
    }
    let notifications = try await link.soleNotifications(of: found, wantedAs: found.title)
    try await write(command, to: requested, over: link, in: context)
    return (.notifications(notifications, of: found), .characteristic(found))
  }

  private func write(
    _ command: [UInt8]?, to characteristic: GATTCharacteristic?, over link: DeviceConnection,
    in context: CommandContext
  ) async throws {
    guard let command, let characteristic else { return }
    let type = characteristic.surestWriteType
    if type == .withoutResponse { try await link.pairBeforehand() }
    try await link.request {
      try await link.peripheral.writeValue(command, for: characteristic, type: type, timeout: link.timeout)
    }
    context.observe(
      written: [command], to: characteristic, isAcknowledged: type == .withResponse, over: link)
  }

  /// The writes that a record of the command must contain.
  var writes: [RecordedWrite] {
    get throws {
      guard let request else { return [] }
      return [RecordedWrite(try request.bytes(for: target.device.subject), to: request.characteristic)]
    }
  }

  private var end: FileReceiver.End {
    get throws {
      var end = FileReceiver.End()
      end.length = untilLength?.bytes
      end.pattern = try untilValue.map {
        try ValueSource.bytes([$0], for: characteristic?.identity(of: target.device.subject))
      }
      let isOther = end.length != nil || end.pattern != nil || channel.psm != nil
      end.silence = untilSilence?.limit ?? (isOther ? nil : .seconds(2))
      return end
    }
  }
}

/// A value that lets a device begin: `CHAR:VALUE`.
struct RequestArgument: Sendable {
  let characteristic: CharacteristicArgument
  private let value: ValueArgument

  /// Parses `CHAR:VALUE`.
  init(parsing text: String) throws(ArgumentError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw ArgumentError(text, "is not CHAR:VALUE, such as ffe3:01 or ffe3:u16:100")
    }
    characteristic = try CharacteristicArgument(parsing: String(text[..<colon]))
    value = try ValueArgument(parsing: String(text[text.index(after: colon)...]))
  }

  /// The bytes to write, for a device that a profile may describe.
  func bytes(for device: ProfileSubject?) throws -> [UInt8] {
    try ValueSource.payloads([value], from: nil, for: characteristic.identity(of: device))[0].bytes
  }
}
