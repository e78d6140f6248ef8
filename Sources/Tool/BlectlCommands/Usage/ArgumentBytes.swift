// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import Glibc

/// The words of the command line as bytes.
///
/// A text of Swift cannot hold bytes that are not UTF-8, and gets U+FFFD in their place: a value would go out, or a file be
/// written, that nobody has asked for.
enum ArgumentBytes {
  /// The words of this process, without its name.
  static var ofProcess: [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in (0..<strlen(word)).map { UInt8(bitPattern: word[$0]) } }
    }
  }

  /// The error about the first word that is not UTF-8; nil if all are.
  static func problem(in words: [[UInt8]]) -> CommandError? {
    guard let word = words.first(where: { String(validating: $0, as: UTF8.self) == nil }) else { return nil }
    return .usage(
      "cannot read the command line: '\(shown(word))' is not UTF-8",
      hint: "for other bytes, use hexadecimal digits, or - and standard input")
  }

  /// The word, with each byte that is not ASCII as `\xe9`.
  private static func shown(_ word: [UInt8]) -> String {
    word.map { byte in
      byte < 0x80 ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
    }.joined()
  }
}
