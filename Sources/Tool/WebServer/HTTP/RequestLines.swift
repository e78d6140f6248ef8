// SPDX-License-Identifier: MIT

/// Finds the first line of a request for another protocol, such as `GET / RTSP/1.0`, which the parser of HTTP takes, too.
///
/// In a header, the first word of each other line ends with a colon.
struct RequestLines {
  /// The end of the line so far: a little more than the name and the version of a protocol.
  private var end: [UInt8] = []
  private var isFirstWord = true
  private var hasColon = false

  private static let protocols = ["RTSP/", "ICE/"].map { Array($0.utf8) }
  private static let longest = 9

  /// Takes the next bytes; returns how many of them are before the end of such a line, or nil if there is none.
  mutating func foreign(in bytes: some Sequence<UInt8>) -> Int? {
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        if isForeign { return index }
        self = RequestLines()
      case UInt8(ascii: " ") where !end.isEmpty: isFirstWord = false
      case UInt8(ascii: ":") where isFirstWord: hasColon = true
      default: break
      }
      if byte > UInt8(ascii: "\r") {
        if end.count == Self.longest { end.removeFirst() }
        end.append(byte)
      }
    }
    return nil
  }

  private var isForeign: Bool {
    !isFirstWord && !hasColon
      && Self.protocols.contains { name in
        end.suffix(name.count + 3).starts(with: name)
      }
  }
}
