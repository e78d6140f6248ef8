// SPDX-License-Identifier: MIT
package import BlectlArguments

/// The secret that clients of the page have to know.
package enum WebSecret {
  private static let shortest = 16
  private static let longest = 4096

  /// Reads a token: the first line of a file that only its owner may read.
  package static func token(in path: String) throws(CommandError) -> String {
    guard let bytes = try PrivateFile(path, of: "the token").read(atMost: longest) else {
      throw .usage("cannot use the token in \(path): there is no such file", hint: hint(path))
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard line.count >= shortest, line.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .usage(
        "cannot use the token in \(path): it must have \(shortest) or more letters, digits or signs, without spaces",
        hint: hint(path))
    }
    return String(decoding: line, as: UTF8.self)
  }

  private static func hint(_ path: String) -> String {
    "(umask 077; openssl rand -hex 16 >\(ShellWord.quoted(path)))"
  }
}
