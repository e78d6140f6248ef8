// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ReceiveCommand: DeviceCommand, PairingCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Receive a file from a characteristic or an L2CAP channel.",
    discussion: """
      blectl receive Strap 2a37 --to rate.bin --until-length 8 --simulate
      blectl receive Strap 2a37 --to - --until-length 8 --simulate | od -tx1

      Subscribes to the characteristic, and writes the bytes of all notifications to a file. It is complete after a length, \
      with certain bytes at its end, or when nothing more comes for a while; without any of these, after 2 s of silence.

      With --psm, the bytes are those of an L2CAP channel, and without any of these the file is complete when the device closes \
      it.
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "Where from, without --psm: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristic: CharacteristicArgument?
  @OptionGroup var channel: ChannelOptions
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
  @OptionGroup var checksum: ChecksumOptions
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    try validatePairing()
    if channel.psm == nil, characteristic == nil { throw ValidationError("give <characteristic> or --psm.") }
    if channel.psm != nil, let characteristic {
      throw ValidationError("--psm takes the place of a characteristic: leave '\(characteristic)' out.")
    }
    if let untilSilence, untilSilence.limit == nil {
      throw ValidationError("--until-silence must be more than 0.")
    }
    if to == "-", common.json { throw ValidationError("--json needs a file: stdout gets the bytes.") }
  }

  func run(in context: CommandContext) async throws {
    let end = try end
    let output = try TransferFile(to, context.console)
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    let (source, route) = try await open(over: link, in: context)
    let receiver = FileReceiver(until: end, over: link, in: context)
    var content: [UInt8] = []
    do {
      try await receiver.run(from: source) { bytes in
        if checksum.kind != nil { content += bytes }
        try output.write(bytes)
      }
    } catch {
      let record = TransferRecord(.interrupted, route, of: link.info.lastingAddress, receiver.tally)
      throw context.interrupted(error, record, receiver.tally, "come", device: deviceText)
    }
    let sum = try checksum.kind.map { try Checksum($0, of: content) }
    if let sum { try await checksum.compare(sum, of: to, over: link) }
    try context.completed(.received, route, over: link, receiver.tally, sum)
  }

  private func open(
    over link: DeviceConnection, in context: CommandContext
  ) async throws -> (FileSource, TransferRoute) {
    if let psm = channel.psm {
      return (.channel(try await link.openChannel(psm, in: context)), .channel(psm: psm))
    }
    let found = try await link.characteristics(characteristic.map { [$0] } ?? [])[0]
    return (.notifications(try await link.notifications(of: found), of: found), .characteristic(found))
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
