// SPDX-License-Identifier: MIT
internal import Glibc

enum HostName {
  /// The name of this machine without its domain; nil if it has none.
  static var current: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: ".").first.map(String.init)
  }
}
