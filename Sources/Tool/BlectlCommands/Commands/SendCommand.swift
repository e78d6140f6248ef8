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

struct SendCommand: DeviceCommand, PairingCommand, TransferringCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", _superCommandName: Blectl.name,
    abstract: "Send a file to a characteristic or an L2CAP channel.",
    discussion: """
      seq 1000 | blectl send Piano ffe3 - --simulate
      seq 100 >song; blectl send Piano ffe3 song --chunk 20 --crc32 --simulate

      The file is divided into chunks that fit into a packet, which are written in order. What is reported as sent has arrived: \
      the device answers for the packets, or acknowledges each chunk with a notification (--ack). Where a characteristic takes \
      only writes without response, the file is reported as handed over: a device refuses them in silence. After a lost link, a \
      timeout or Ctrl-C, it says how many bytes are certain; with --resume, another run goes on from there.

      With --psm, there is no characteristic, but a channel: blectl send Board firmware.bin --psm 0x80
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: """
      Where to: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it. With --psm, what to send.
      """, completion: LiveCompletion.characteristic)
  var characteristic: String?
  @Argument(help: "What to send; - is stdin.", completion: .file())
  var file: String?
  @OptionGroup(title: "L2CAP channel") var channel: ChannelOptions
  @Option(
    help: ArgumentHelp("Bytes of the file in each packet. (default: as many as fit)", valueName: "n"))
  var chunk: Int?
  @Option(
    help: ArgumentHelp(
      "Write the offset of each chunk before it, as a number in this format, such as u32.",
      valueName: "format"),
    completion: LiveCompletion.format, transform: ValueFormat.init(parsingOffset:))
  var offsetFormat: ValueFormat?
  @Flag(
    help: "Let the device confirm each packet before the next: slower, but of a lost link one is uncertain.")
  var withResponse = false
  @Option(
    help: ArgumentHelp(
      """
      The device acknowledges each chunk with a notification of this characteristic. With a PATTERN as of 'expect', any other \
      one ends the transfer.
      """, valueName: "char[:pattern]"),
    completion: LiveCompletion.characteristic, transform: FileSender.Acknowledgement.init(parsing:))
  var ack: FileSender.Acknowledgement?
  @Option(
    help: ArgumentHelp(
      "With --ack: how many chunks may wait for their acknowledgement. (default: 1)", valueName: "n"))
  var window: Int?
  @Flag(
    help: """
      Note in FILE.DEVICE.sending how much has arrived, and go on from there if an earlier run was interrupted.
      """)
  var resume = false
  @OptionGroup(title: "Checksum") var checksum: ChecksumOptions
  @Option(
    name: .customLong("checksum-to"),
    help: ArgumentHelp("At the end, write the checksum to this characteristic.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var checksumTarget: CharacteristicArgument?
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  /// A file that would take longer than a day, or a device such as /dev/zero.
  private static let longestFile = 1 << 30
  /// That of an L2CAP channel.
  private static let longestPacket = Int(UInt16.max)

  func validate() throws {
    try validateRoute()
    try validatePairing()
    let most = channel.psm == nil ? ValueSource.longestValue : Self.longestPacket
    if let chunk, !(1...most).contains(chunk) { throw ValidationError("--chunk must be 1 to \(most).") }
    if window != nil, ack == nil { throw ValidationError("--window needs --ack.") }
    if let window, !(1...1024).contains(window) { throw ValidationError("--window must be 1 to 1024.") }
    if resume, path == "-" { throw ValidationError("--resume needs a file, not stdin.") }
    if checksum.kind == nil, checksumTarget != nil {
      throw ValidationError("--checksum-to needs --crc32 or --sha256.")
    }
  }

  /// With a channel, there is one argument less, and nothing says which bytes have arrived before the end.
  private func validateRoute() throws {
    if characteristic == nil {
      throw ValidationError(
        "Missing expected argument '\(channel.psm == nil ? "<characteristic>" : "<file>")'.")
    }
    if channel.psm == nil {
      do throws(ArgumentError) { _ = try destination } catch { throw ValidationError("\(error)") }
      if file == nil { throw ValidationError("Missing expected argument '<file>'.") }
    } else if let file {
      throw ValidationError("--psm takes the place of a characteristic: '\(file)' is one argument too many.")
    }
    try channel.refuse([
      (withResponse ? "--with-response" : nil, "packets of a channel have no responses"),
      (ack.map { _ in "--ack" }, "a channel has its own flow control"),
      (resume ? "--resume" : nil, "nothing says how much has arrived before the whole file has"),
    ])
  }

  var problemOnSeveral: String? { path == "-" ? CommandGrammar.oneInput : nil }

  /// The file that is sent.
  private var path: String { file ?? characteristic ?? "-" }

  private var destination: CharacteristicArgument {
    get throws(ArgumentError) { try CharacteristicArgument(parsing: characteristic ?? "") }
  }

  func run(in context: CommandContext) async throws {
    // Read everything before sending anything.
    let content = try ValueSource.content(of: path, most: Self.longestFile)
    let sum = try checksum.kind.map { try Checksum($0, of: content) }
    if let format = offsetFormat {
      do { _ = try format.encode("\(max(0, content.count - 1))") } catch {
        throw CommandError.usage("cannot send \(path): \(error)", hint: "--offset-format u32")
      }
    }
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    if let psm = channel.psm { return try await send(content, sum, through: psm, over: link, in: context) }
    let found = try await link.characteristics([try destination])[0]
    let ends = try await checksumEnds(over: link)
    let sender = try FileSender(
      content, named: path, options, isResumable: resume, to: found, over: link, in: context)
    do {
      try await sender.run()
    } catch {
      let record = TransferRecord(
        .interrupted, .characteristic(found), of: link.info.lastingAddress, sender.tally)
      let verb = sender.tally.isAcknowledged == false ? "been handed over" : "certainly arrived"
      throw context.interrupted(
        error, record, sender.tally, verb, hint: sender.advice, device: link.title)
    }
    if let sum, let value = try await verify(sum, ends, sender.tally, over: link, in: context) {
      // What has arrived is something else, whatever the notes say.
      sender.finish()
      throw try context.mismatch(
        value, insteadOf: sum, of: path, .characteristic(found), over: link, sender.tally,
        hint: resume ? "the same command sends the whole file again" : nil)
    }
    sender.finish()
    try context.completed(.sent, .characteristic(found), over: link, sender.tally, sum)
  }

  private func send(
    _ content: [UInt8], _ sum: Checksum?, through psm: UInt16, over link: DeviceConnection,
    in context: CommandContext
  ) async throws {
    let ends = try await checksumEnds(over: link)
    let sender = ChannelFileSender(
      content, named: path, chunk: chunk, offsetFormat: offsetFormat, over: link, in: context)
    let opened = try await link.openChannel(psm, in: context)
    do {
      try await sender.run(through: opened)
    } catch {
      let record = TransferRecord(
        .interrupted, .channel(psm: psm), of: link.info.lastingAddress, sender.tally)
      throw context.interrupted(error, record, sender.tally, "left this machine", device: link.title)
    }
    await opened.close()
    if let sum, let value = try await verify(sum, ends, sender.tally, over: link, in: context) {
      throw try context.mismatch(
        value, insteadOf: sum, of: path, .channel(psm: psm), over: link, sender.tally)
    }
    try context.completed(.sent, .channel(psm: psm), over: link, sender.tally, sum)
  }

  /// The writes that a record of the command must contain.
  ///
  /// Channels are not recorded.
  var writes: [RecordedWrite] {
    get throws {
      let content = try ValueSource.content(of: path, most: Self.longestFile)
      var writes: [RecordedWrite] = []
      if channel.psm == nil {
        var write = RecordedWrite(content, to: try destination)
        (write.arePackets, write.isRest, write.answer) = (true, resume, ack?.characteristic)
        write.prefix = try offsetFormat?.encode("0").count ?? 0
        writes.append(write)
      }
      if let kind = checksum.kind, let checksumTarget {
        writes.append(RecordedWrite(try Checksum(kind, of: content).bytes, to: checksumTarget))
      }
      return writes
    }
  }

  private var options: FileSender.Options {
    var options = FileSender.Options()
    (options.chunk, options.offsetFormat, options.isConfirmed) = (chunk, offsetFormat, withResponse)
    (options.acknowledgement, options.window) = (ack, window ?? 1)
    return options
  }

  private typealias ChecksumEnds = (target: GATTCharacteristic?, source: GATTCharacteristic?)

  private func checksumEnds(over link: DeviceConnection) async throws -> ChecksumEnds {
    (try await link.characteristic(checksumTarget), try await link.characteristic(checksum.source))
  }

  /// Writes the checksum to the device, and compares it with the device's; returns what that has in its place.
  private func verify(
    _ sum: Checksum, _ ends: ChecksumEnds, _ tally: TransferTally, over link: DeviceConnection,
    in context: CommandContext
  ) async throws -> [UInt8]? {
    if let target = ends.target {
      let (timeout, type) = (link.timeout, target.surestWriteType)
      try await link.request {
        try await link.peripheral.writeValue(sum.bytes, for: target, type: type, timeout: timeout)
        try await link.peripheral.confirmWrites(timeout: timeout)
      }
      context.observe(
        written: [sum.bytes], to: target, isAcknowledged: type == .withResponse, over: link)
    }
    guard let source = ends.source else { return nil }
    let value = try await link.value(in: source, insteadOf: sum, context)
    if value == nil { tally.note(isAcknowledged: true) }
    return value
  }
}

extension ValueFormat {
  /// Parses the format of an offset, an integer.
  init(parsingOffset text: String) throws(ArgumentError) {
    do throws(FormatError) {
      self = try ValueFormat(parsing: text)
    } catch {
      throw ArgumentError(error)
    }
    guard case .integer = self else { throw ArgumentError(text, "is not a format of integers, such as u32") }
  }
}
