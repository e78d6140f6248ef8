// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc

/// Where the bytes to write come from: arguments, files, standard input.
enum ValueSource {
  /// The longest attribute value there is.
  static let longestValue = 512

  /// A line of a file that is not empty.
  struct Line {
    fileprivate let bytes: ArraySlice<UInt8>
    /// Its number, from 1 on.
    let number: Int
    /// The file, for messages.
    let path: String

    /// Its words, with one space between them.
    var text: String { ValueSource.singleSpaced(bytes) }

    /// What a reader makes of the line.
    ///
    /// - Parameter read: throws an error about the line.
    /// - Returns: what it returns.
    /// - Throws: ``CommandError`` with status usage that names the line.
    func understood<Result>(_ read: (String) throws(ArgumentError) -> Result) throws(CommandError) -> Result {
      do throws(ArgumentError) {
        return try read(text)
      } catch {
        throw CommandError.usage("cannot read line \(number) of \(path): \(error)")
      }
    }
  }

  /// The bytes of one write, and the line of the file that they stand in.
  struct Payload {
    let bytes: [UInt8]
    /// Nil for what was typed.
    var line: Int?
  }

  /// The values to write, one write each: all VALUEs joined, or the lines of a file.
  ///
  /// - Parameters:
  ///   - values: what was typed.
  ///   - path: a file of values; `-` is standard input.
  ///   - uuid: what is written, for `auto:`; nil where it is not known before the device is.
  /// - Returns: what each write is.
  /// - Throws: ``CommandError`` with status usage: nothing has been sent yet.
  static func payloads(
    _ values: [ValueArgument], from path: String?, for uuid: BluetoothUUID?
  ) throws -> [Payload] {
    let payloads =
      try path.map { path in
        try lines(of: path).map { line in
          // Files of thousands of values have nothing but digits in a line.
          let digits = line.bytes.withUnsafeBufferPointer { Hex.bytes(utf8: $0) }
          let bytes =
            try digits
            ?? line.understood { text throws(ArgumentError) in try typedBytes(text, for: uuid) }
          return Payload(bytes: bytes, line: line.number)
        }
      } ?? [Payload(bytes: try bytes(values, for: uuid))]
    for payload in payloads where payload.bytes.count > longestValue {
      let place = payload.line.map { " of line \($0)" } ?? ""
      throw CommandError.usage(
        "cannot write the \(payload.bytes.count) bytes\(place): a value has \(longestValue) at most")
    }
    return payloads
  }

  /// The bytes of all VALUEs, joined.
  ///
  /// - Parameters:
  ///   - values: what was typed.
  ///   - uuid: what they are values of, for `auto:`.
  ///   - most: how many bytes a file may have; no more are read, since a file may have no end.
  /// - Returns: the bytes.
  /// - Throws: ``CommandError`` with status usage; `CancellationError` when a signal ends waiting for standard input.
  static func bytes(
    _ values: [ValueArgument], for uuid: BluetoothUUID?, most: Int = longestValue
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values {
      bytes += try value.bytes(
        standard: { text in
          do throws(ArgumentError) {
            return try standardBytes(text, for: uuid)
          } catch { throw CommandError.usage("cannot make a value: \(error)", hint: "man blectl-values") }
        },
        standardInput: { try read(STDIN_FILENO, "stdin", most: most) }, file: { try readFile($0, most: most) }
      )
    }
    return bytes
  }

  /// The bytes of one VALUE that is neither a file nor standard input.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - uuid: what it is a value of, for `auto:`.
  /// - Returns: the bytes.
  /// - Throws: an error about the text.
  static func typedBytes(_ text: String, for uuid: BluetoothUUID?) throws(ArgumentError) -> [UInt8] {
    switch try ValueArgument(parsing: text) {
    case .bytes(let bytes): return bytes
    case .standard(let text): return try standardBytes(text, for: uuid)
    case .standardInput, .file: throw ArgumentError(text, "is not a value in a list")
    }
  }

  /// The bytes that a text stands for as a value of a standard characteristic or descriptor.
  private static func standardBytes(_ text: String, for uuid: BluetoothUUID?) throws(ArgumentError) -> [UInt8]
  {
    guard let uuid else {
      throw ArgumentError("auto:\(text)", "needs the characteristic as a UUID or a name, not as a handle")
    }
    guard let layout = ValueLayout(for: uuid) else {
      throw ArgumentError(
        "auto:\(text)", "needs a characteristic whose values are known, which \(uuid) is not")
    }
    do throws(FormatError) {
      return try layout.encode(text, at: .now)
    } catch {
      throw ArgumentError(error)
    }
  }

  /// The lines of a file that are neither empty nor comments, which begin with `#`.
  ///
  /// - Parameter path: the file; `-` is standard input.
  /// - Returns: the lines, at least one.
  /// - Throws: ``CommandError`` with status usage; `CancellationError` when a signal ends waiting for standard input.
  static func lines(of path: String) throws -> [Line] {
    let bytes = try path == "-" ? read(STDIN_FILENO, "stdin") : readFile(path)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw CommandError.usage("cannot read values from \(path): it is not text")
    }
    var lines: [Line] = []
    var (rest, number) = (bytes[...], 0)
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      number += 1
      if let first = rest[..<end].first(where: { !isBlank($0) }), first != UInt8(ascii: "#") {
        lines.append(Line(bytes: rest[..<end], number: number, path: path))
      }
      rest = rest[end...].dropFirst()
    }
    if lines.isEmpty { throw CommandError.usage("cannot read values from \(path): there are none") }
    return lines
  }

  /// The words of a line with one space between them; a carriage return at its end is none.
  fileprivate static func singleSpaced(_ line: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(line.count)
    var isBehindBlank = false
    for byte in line {
      if isBlank(byte) {
        isBehindBlank = !text.isEmpty
      } else {
        if isBehindBlank { text.append(UInt8(ascii: " ")) }
        isBehindBlank = false
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func readFile(_ path: String, most: Int? = nil) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    return try read(descriptor, path, most: most)
  }

  /// Reads to the end; a pipe or a terminal may never come to it, so that a signal ends waiting.
  ///
  /// - Parameters:
  ///   - descriptor: where to read.
  ///   - name: what people call it.
  ///   - most: how many bytes it may have; nil reads text, however long.
  /// - Returns: all that there is.
  /// - Throws: ``CommandError`` with status usage; `CancellationError` when a signal ends waiting.
  private static func read(_ descriptor: Int32, _ name: String, most: Int? = nil) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
        if let most {
          guard bytes.count <= most else {
            throw CommandError.usage(
              "cannot read \(name): it is longer than the limit of \(most) bytes")
          }
        } else if buffer[..<count].contains(0) {
          // Text has no zeros; what has may have no end, as /dev/zero.
          throw CommandError.usage("cannot read values from \(name): it is not text")
        }
      } else if errno != EINTR {
        throw failure(name)
      } else if EndRequest.signal != nil {
        throw CancellationError()
      }
    }
  }

  private static func failure(_ name: String) -> CommandError {
    .usage("cannot read \(name): \(String(cString: strerror(errno)))")
  }
}
