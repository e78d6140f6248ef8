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

  /// Compares the checksum of a file with the one that the device has.
  ///
  /// - Throws: ``CommandError`` if they differ.
  func compare(_ checksum: Checksum, of name: String, over link: DeviceConnection) async throws {
    guard let source else { return }
    let found = try await link.characteristics([source])[0]
    let timeout = link.timeout
    let value = try await link.request {
      try await link.peripheral.readValue(for: found, timeout: timeout)
    }
    if value == checksum.bytes { return }
    throw CommandError(
      status: .failed,
      message: "cannot verify \(name): the device has \(checksum.described(value)), not \(checksum.text)")
  }
}

extension CommandContext {
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
    let side = event == .sent ? "to" : "from"
    remark("\(event.rawValue) \(tally.summary) \(side) \(name)\(sum.map { ", \($0.label)" } ?? "")")
  }

  /// The error of a transfer, with what is certain of it.
  func interrupted(
    _ error: any Error, _ record: TransferRecord, _ tally: TransferTally, _ verb: String, hint: String? = nil,
    device: String?
  ) -> any Error {
    if options.json, tally.certain > 0 || tally.uncertain > 0 { try? console.write(record) }
    let size = tally.size.map { " of \($0.bytes)" } ?? (tally.certain == 1 ? " byte" : " bytes")
    let more = tally.uncertain > 0 ? "; the next \(tally.uncertain.bytes) may have, or not" : ""
    let known = "\(tally.certain)\(size) have \(verb)\(more)"
    guard var explained = ErrorReport.understood(error, device: device) else {
      if !(error is ConsoleError) {
        console.note("blectl: interrupted: \(known)")
        if let hint { console.note("hint: \(hint)") }
      }
      return error
    }
    explained.details.append(known)
    explained.hint = explained.hint ?? hint
    return explained
  }
}
