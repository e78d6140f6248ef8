// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The TCP sockets of this machine, as the kernel lists them.
enum LocalSockets {
  /// The most that is read of a list.
  private static let limit = 1 << 20

  /// Whether a program has the other end of a TCP connection open; nil if that end is not listed: another machine has it.
  static func hasPeer(of descriptor: Int32) -> Bool? {
    guard let near = SocketPort.local(of: descriptor), let far = SocketPort.peer(of: descriptor) else {
      return nil
    }
    for list in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let text = WholeFile.text(list, atMost: limit) else { continue }
      if let isOpen = isOpen(from: far, to: near, in: text) { return isOpen }
    }
    return nil
  }

  /// Whether the connection from one port to another is open at its beginning, in a list of the kernel.
  ///
  /// A connection that its program has closed has no inode, while the kernel still waits for the other end.
  static func isOpen(from near: UInt16, to far: UInt16, in list: String) -> Bool? {
    for line in list.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: " ")
      guard columns.count > 9, port(columns[1]) == near, port(columns[2]) == far else { continue }
      return columns[9] != "0"
    }
    return nil
  }

  /// The port of `0100007F:1E61`.
  private static func port(_ column: Substring) -> UInt16? {
    column.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
  }
}
