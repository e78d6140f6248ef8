// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import TerminalOutput
package import ValueStreams

/// The sources of bytes to write: arguments, files, standard input.
package enum ValueSource {
  package static let longestValue = 512

  /// A non-empty line of a file.
  package struct Line {
    fileprivate let bytes: ArraySlice<UInt8>
    /// Starts at 1.
    package let number: Int
    package let path: String

    /// The line, trimmed.
    package var text: String { String(decoding: ValueSource.trimmed(bytes), as: UTF8.self) }

    /// Parses the line; errors have status usage and name the line.
    package func parsed<Result>(
      _ read: (String) throws(ArgumentError) -> Result
    ) throws(CommandError) -> Result {
      do throws(ArgumentError) {
        return try read(text)
      } catch {
        throw CommandError.usage("cannot read line \(number) of \(path): \(error)")
      }
    }
  }

  /// The bytes of one write, and their line in the file.
  package struct Payload {
    package let bytes: [UInt8]
    /// Nil for arguments.
    package var line: Int?
  }

  /// The values to write, one per write: all VALUEs joined, or the lines of a file (`-` is standard input).
  package static func payloads(
    _ values: [ValueArgument], from path: String?, for attribute: AttributeIdentity?
  ) throws -> [Payload] {
    // An error is a usage error: nothing was sent yet.
    let payloads =
      try path.map { path in
        try lines(of: path).map { line in
          // Fast path for long files, whose lines are usually plain digits.
          let digits = line.bytes.withUnsafeBufferPointer { Hex.bytes(utf8: $0) }
          let bytes =
            try digits
            ?? line.parsed { text throws(ArgumentError) in try typedBytes(text, for: attribute) }
          return Payload(bytes: bytes, line: line.number)
        }
      } ?? [Payload(bytes: try bytes(values, for: attribute))]
    for payload in payloads where payload.bytes.count > longestValue {
      let place = payload.line.map { " of line \($0)" } ?? ""
      throw CommandError.usage(
        "cannot write \(payload.bytes.count) bytes\(place): a value has at most \(longestValue)")
    }
    return payloads
  }

  /// The bytes of all VALUEs, joined; reading a file stops at `most` bytes, since a file may be endless.
  package static func bytes(
    _ values: [ValueArgument], for attribute: AttributeIdentity?, most: Int = longestValue
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for value in joined(values) {
      bytes += try value.bytes(
        checksum: { checksum in
          do throws(ArgumentError) {
            return try self.bytes(of: checksum, behind: bytes)
          } catch {
            throw CommandError.usage("cannot encode the value: \(error)")
          }
        },
        standard: { text in
          do throws(ArgumentError) {
            return try standardBytes(text, for: attribute)
          } catch {
            throw CommandError.usage(
              "cannot encode the value: \(error)", hint: "blectl help formats")
          }
        },
        standardInput: { try read(STDIN_FILENO, "stdin", most: most) }, file: { try readFile($0, most: most) }
      )
    }
    return bytes
  }

  /// Makes one value of the fields that stand side by side, as a shell splits `rate=100 mode=fast`.
  private static func joined(_ values: [ValueArgument]) -> [ValueArgument] {
    values.reduce(into: []) { joined, value in
      guard case .fields(let next) = value, case .fields(let text) = joined.last else {
        joined.append(value)
        return
      }
      joined[joined.count - 1] = .fields(text + " " + next)
    }
  }

  /// The bytes of one VALUE that is neither a file nor standard input; `attribute` is for `auto:`.
  package static func typedBytes(
    _ text: String, for attribute: AttributeIdentity?
  ) throws(ArgumentError) -> [UInt8] {
    switch try ValueArgument(parsing: text) {
    case .bytes(let bytes): return bytes
    case .standard(let text), .fields(let text): return try standardBytes(text, for: attribute)
    case .checksum(let checksum): return try bytes(of: checksum, behind: [])
    case .standardInput, .file: throw ArgumentError(text, "is not allowed in a list of values")
    }
  }

  private static func bytes(
    of checksum: TrailingChecksum, behind bytes: [UInt8]
  ) throws(ArgumentError) -> [UInt8] {
    do throws(FormatError) {
      return try checksum.bytes(behind: bytes)
    } catch {
      throw ArgumentError(error)
    }
  }

  private static func standardBytes(
    _ text: String, for attribute: AttributeIdentity?
  ) throws(ArgumentError) -> [UInt8] {
    guard let attribute else {
      throw ArgumentError(text, "needs a characteristic with a UUID or a name, not a handle")
    }
    guard let layout = Vocabulary.known.layout(of: attribute) else {
      throw ArgumentError(
        text, "needs a characteristic whose fields are known, and those of \(attribute.title) are not")
    }
    do throws(FormatError) {
      return try layout.encode(text, at: .now)
    } catch {
      throw ArgumentError(error)
    }
  }

  /// The lines of a file (`-` is standard input), at least one, without empty lines and `#` comments.
  package static func lines(of path: String) throws -> [Line] {
    let bytes = try path == "-" ? read(STDIN_FILENO, "stdin") : readFile(path)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw noText(path)
    }
    var (lines, number): ([Line], Int) = ([], 0)
    _ = split(bytes[...], path, &number, isLast: true) { lines.append($0) }
    if lines.isEmpty { throw none(in: path) }
    return lines
  }

  /// Gives each line of a file (`-` is standard input) to `body` as soon as it is there: the file may never end.
  ///
  /// - Throws: ``CommandError`` if there is no line, one is not text, or it is longer than `most` bytes.
  package static func eachLine(
    of path: String, atMost most: Int, _ body: (Line) throws -> Void
  ) throws {
    var rest: [UInt8] = []
    var (number, isEmpty) = (0, true)
    func take(isLast: Bool) throws {
      let count = try split(rest[...], path, &number, isLast: isLast) { line in
        isEmpty = false
        guard String(validating: line.bytes, as: UTF8.self) != nil else { throw noText(path) }
        try body(line)
      }
      rest.removeFirst(count)
      if rest.count > most {
        throw CommandError.usage("cannot read line \(number + 1) of \(path): it is too long for a value")
      }
    }
    try withDescriptor(of: path) { descriptor, name in
      try readParts(descriptor, name) { part in
        rest += part
        try take(isLast: false)
      }
    }
    try take(isLast: true)
    if isEmpty { throw none(in: path) }
  }

  /// Gives the whole lines of some bytes to `body`, without empty ones and `#` comments; returns how many bytes they have.
  ///
  /// `number` is how many lines came before; with `isLast`, the rest is a line.
  private static func split(
    _ bytes: ArraySlice<UInt8>, _ path: String, _ number: inout Int, isLast: Bool,
    _ body: (Line) throws -> Void
  ) rethrows -> Int {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    var rest = bytes
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      if end == nil, !isLast { break }
      var line = rest[..<(end ?? rest.endIndex)]
      if number == 0, line.starts(with: mark) { line = line.dropFirst(mark.count) }
      number += 1
      if let first = line.first(where: { !isBlank($0) }), first != UInt8(ascii: "#") {
        try body(Line(bytes: line, number: number, path: path))
      }
      rest = rest[(end ?? rest.endIndex)...].dropFirst()
    }
    return bytes.count - rest.count
  }

  private static func none(in path: String) -> CommandError {
    .usage("cannot read values from \(path): it contains none")
  }

  private static func noText(_ path: String) -> CommandError {
    .usage("cannot read values from \(path): it is not text")
  }

  /// All bytes of a file that is not a list of values, such as a script; `-` is standard input.
  package static func content(of path: String, most: Int) throws -> [UInt8] {
    try path == "-" ? read(STDIN_FILENO, "stdin", most: most) : readFile(path, most: most)
  }

  /// Removes blanks, and a carriage return, from both ends.
  fileprivate static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = (line.lastIndex { !isBlank($0) }).map { $0 + 1 } ?? line.startIndex
    return line[..<end].drop(while: isBlank)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func readFile(_ path: String, most: Int? = nil) throws -> [UInt8] {
    try withFile(path) { try read($0, path, most: most) }
  }

  private static func withDescriptor(of path: String, _ body: (Int32, String) throws -> Void) throws {
    if path == "-" { try body(STDIN_FILENO, "stdin") } else { try withFile(path) { try body($0, path) } }
  }

  private static func withFile<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
    var descriptor = open(path, O_RDONLY | O_CLOEXEC)
    // A pipe waits for its writer.
    while descriptor < 0, errno == EINTR {
      if TerminationRequest.signal != nil { throw CancellationError() }
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  /// Gives what can be read to `body` as it comes, to the end; a signal ends it.
  private static func readParts(
    _ descriptor: Int32, _ name: String, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    if descriptor == STDIN_FILENO, StandardInput.isClosed { throw failure(name, EBADF) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return }
      if count < 0, errno != EINTR { throw failure(name, errno) }
      if count < 0, TerminationRequest.signal != nil { throw CancellationError() }
      if count > 0 { try body(buffer[..<count]) }
    }
  }

  /// Reads to the end; a signal interrupts it, since a pipe or a terminal may never end.
  private static func read(_ descriptor: Int32, _ name: String, most: Int? = nil) throws -> [UInt8] {
    if descriptor == STDIN_FILENO, StandardInput.isClosed { throw failure(name, EBADF) }
    let bytes = try WholeFile.read(descriptor, atMost: most ?? .max) { part in
      if part.isEmpty, TerminationRequest.signal != nil { throw CancellationError() }
      // Text has no zeros; data with zeros may be endless, such as /dev/zero.
      if most == nil, part.contains(0) {
        throw CommandError.usage("cannot read values from \(name): it is not text")
      }
    }
    switch bytes {
    case .success(let bytes): return bytes
    case .failure(.system(let number)): throw failure(name, number)
    case .failure(.tooLong):
      throw CommandError.usage(
        "cannot read \(name): it is longer than the limit of \(most ?? 0) bytes",
        hint: most == longestValue ? "blectl send DEVICE CHAR FILE, which divides it" : nil)
    }
  }

  private static func failure(_ name: String, _ number: Int32) -> CommandError {
    .usage("cannot read \(name): \(String(cString: strerror(number)))")
  }
}
