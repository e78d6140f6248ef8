// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments

/// The L2CAP channel that carries bytes in place of a characteristic.
struct ChannelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use the L2CAP channel with this number, 1 to 255, in place of a characteristic.", valueName: "n"),
    transform: { try UInt16(parsingPSM: $0) })
  var psm: UInt16?

  /// Refuses the options that a channel does not have.
  ///
  /// - Parameter others: each option, nil if it is not given, and why a channel does not have it.
  /// - Throws: `ValidationError` about the first one that is given.
  func refuse(_ others: [(option: String?, reason: String)]) throws {
    guard psm != nil else { return }
    for other in others {
      guard let option = other.option else { continue }
      throw ValidationError("--psm cannot be used with \(option): \(other.reason).")
    }
  }
}

extension UInt16 {
  /// Parses the number of an L2CAP channel of LE, decimal or with 0x; `least` is 0 where that stands for a free one.
  init(parsingPSM text: String, least: UInt16 = 1) throws(ArgumentError) {
    let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
    guard let number, (least...255).contains(number) else {
      throw ArgumentError(text, "is not the number of a channel, 1 to 255")
    }
    self = number
  }
}
