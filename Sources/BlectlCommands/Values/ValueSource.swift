// SPDX-License-Identifier: MIT
internal import Glibc

/// Where the bytes to write come from: arguments, files, standard input.
enum ValueSource {
  /// The longest attribute value there is.
  static let longestValue = 512

  /// The values to write, one write each: all VALUEs joined, or the lines of a file.
  ///
  /// - Throws: ``CommandError`` with status usage: nothing has been sent yet.
  static func payloads(_ values: [ValueArgument], from path: String?) throws -> [[UInt8]] {
    let payloads = try path.map { try lines(of: $0) } ?? [values.flatMap { try bytes(of: $0) }]
    for payload in payloads where payload.count > longestValue {
      throw CommandError.usage(
        "cannot write \(payload.count) bytes: a value has \(longestValue) at most")
    }
    return payloads
  }

  private static func bytes(of value: ValueArgument) throws(CommandError) -> [UInt8] {
    try value.bytes(
      standardInput: { () throws(CommandError) in try read(STDIN_FILENO, "stdin") }, file: readFile)
  }

  /// One VALUE a line; empty lines are left out.
  private static func lines(of path: String) throws -> [[UInt8]] {
    let bytes = try path == "-" ? read(STDIN_FILENO, "stdin") : readFile(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.usage("cannot read values from \(path): it is not text")
    }
    var payloads: [[UInt8]] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      if words.isEmpty { continue }
      do throws(ArgumentError) {
        let value = try ValueArgument(parsing: words.joined(separator: " "))
        guard case .bytes(let bytes) = value else { throw ArgumentError(line, "is not a value in a list") }
        payloads.append(bytes)
      } catch {
        throw CommandError.usage("cannot read line \(index + 1) of \(path): \(error)")
      }
    }
    if payloads.isEmpty { throw CommandError.usage("cannot read values from \(path): there are none") }
    return payloads
  }

  private static func readFile(_ path: String) throws(CommandError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    return try read(descriptor, path)
  }

  private static func read(_ descriptor: Int32, _ name: String) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        throw failure(name)
      }
    }
  }

  private static func failure(_ name: String) -> CommandError {
    .usage("cannot read \(name): \(String(cString: strerror(errno)))")
  }
}
