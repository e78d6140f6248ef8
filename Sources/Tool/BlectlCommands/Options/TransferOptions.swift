// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput

/// The checksum of a file that is sent or received.
struct ChecksumOptions: ParsableArguments {
  @Flag(help: "Compute the CRC-32 of the whole file, that of zlib.")
  var crc32 = false

  @Flag(help: "Compute the SHA-256 of the whole file.")
  var sha256 = false

  @Option(
    name: .customLong("checksum-from"),
    help: ArgumentHelp(
      "At the end, read the device's checksum from this characteristic, and compare it.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var source: CharacteristicArgument?

  var kind: Checksum.Kind? { crc32 ? .crc32 : sha256 ? .sha256 : nil }

  func validate() throws {
    if crc32, sha256 { throw ValidationError("--crc32 and --sha256 cannot be used together.") }
    if kind == nil, source != nil { throw ValidationError("--checksum-from needs --crc32 or --sha256.") }
  }

}

extension DeviceConnection {
  /// The characteristic that the user named, if there is a name: looked up before a transfer that needs it at its end.
  func characteristic(_ wanted: CharacteristicArgument?) async throws -> GATTCharacteristic? {
    guard let wanted else { return nil }
    return try await characteristics([wanted])[0]
  }

  /// Returns the value that the device has in place of a checksum; nil if it has the same.
  func value(
    in source: GATTCharacteristic, insteadOf sum: Checksum, _ context: CommandContext
  ) async throws -> [UInt8]? {
    let value = try await request { try await peripheral.readValue(for: source, timeout: timeout) }
    context.observe(read: value, from: source, over: self)
    return value == sum.bytes ? nil : value
  }
}

extension CommandContext {
  /// The error of a transfer after which the device has another checksum; prints its record.
  func mismatch(
    _ value: [UInt8], insteadOf sum: Checksum, of name: String, _ route: TransferRoute,
    over link: DeviceConnection,
    _ tally: TransferTally, hint: String? = nil
  ) throws -> CommandError {
    if options.json {
      try console.write(
        TransferRecord(
          .mismatched, route, of: link.info.lastingAddress, tally, sum, valueOfDevice: value))
    }
    return CommandError(
      status: .failed,
      message: "cannot verify \(name): the device has \(sum.described(value)), not \(sum.text)", hint: hint)
  }

  /// Reports a whole transfer.
  func completed(
    _ event: TransferRecord.Event, _ route: TransferRoute, over link: DeviceConnection,
    _ tally: TransferTally, _ sum: Checksum?
  ) throws {
    if options.json {
      return try console.write(
        TransferRecord(event, route, of: link.info.lastingAddress, tally, sum))
    }
    let name = link.info.name ?? link.info.address.description
    let isHandedOver = event == .sent && tally.isAcknowledged == false
    let verb = isHandedOver ? "handed over" : event.rawValue
    let side = event == .sent ? "to" : "from"
    let doubt = isHandedOver ? "; the device does not say whether it takes them" : ""
    remark("\(verb) \(tally.summary) \(side) \(name)\(sum.map { ", \($0.label)" } ?? "")\(doubt)")
  }

  /// The error of a transfer, with what is certain of it.
  func interrupted(
    _ error: any Error, _ record: TransferRecord, _ tally: TransferTally, _ verb: String, hint: String? = nil,
    device: String?
  ) -> any Error {
    if options.json, tally.certain > 0 || tally.uncertain > 0 { try? console.write(record) }
    let size = tally.size.map { " of \($0.bytes)" } ?? (tally.certain == 1 ? " byte" : " bytes")
    let more = tally.uncertain > 0 ? "; the next \(tally.uncertain.bytes) may or may not have arrived" : ""
    let known = "\(tally.certain)\(size) have \(verb)\(more)"
    guard var explained = ErrorReport.understood(error, device: device, on: options.onlyHost) else {
      if (error as? ConsoleError) != .closed {
        console.note("blectl: interrupted: \(known)")
        if let hint { console.note("hint: \(hint)") }
      }
      return error
    }
    if tally.hasBegun { explained.details.append(known) }
    explained.hint = explained.hint ?? hint
    return explained
  }
}
