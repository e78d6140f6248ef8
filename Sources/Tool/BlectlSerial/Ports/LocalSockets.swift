// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The TCP sockets of this machine, as the kernel lists them.
enum LocalSockets {
  /// The most that is read of a list.
  private static let limit = 1 << 20

  /// Returns whether a program has the other end of a TCP connection open; nil if that end is not listed:
  /// another machine has it.
  static func hasPeer(of descriptor: Int32) -> Bool? { entry(behind: descriptor, isOpen) }

  /// Returns the number of bytes that wait for the program at the other end of a TCP connection; nil if
  /// another machine has that end.
  static func unreadCount(behind descriptor: Int32) -> Int? { entry(behind: descriptor, unreadCount) }

  /// Returns a fact from a list about the other end of a TCP connection.
  private static func entry<Fact>(
    behind descriptor: Int32, _ fact: (UInt16, UInt16, String) -> Fact?
  ) -> Fact? {
    guard let near = SocketPort.local(of: descriptor), let far = SocketPort.peer(of: descriptor) else {
      return nil
    }
    for list in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let text = WholeFile.text(list, atMost: limit) else { continue }
      if let fact = fact(far, near, text) { return fact }
    }
    return nil
  }

  /// Returns whether the connection from one port to another is open at its beginning, in a list of the
  /// kernel.
  ///
  /// A connection that its program has closed has no inode, while the kernel still waits for the other end.
  static func isOpen(from near: UInt16, to far: UInt16, in list: String) -> Bool? {
    columns(from: near, to: far, in: list).map { $0[9] != "0" }
  }

  /// Returns the number of bytes that wait at the near end of a connection for the program there, according
  /// to a list of the kernel.
  static func unreadCount(from near: UInt16, to far: UInt16, in list: String) -> Int? {
    columns(from: near, to: far, in: list).flatMap { columns in
      columns[4].split(separator: ":").last.flatMap { Int($0, radix: 16) }
    }
  }

  private static func columns(from near: UInt16, to far: UInt16, in list: String) -> [Substring]? {
    for line in list.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: " ")
      if columns.count > 9, port(columns[1]) == near, port(columns[2]) == far { return columns }
    }
    return nil
  }

  /// The port of `0100007F:1E61`.
  private static func port(_ column: Substring) -> UInt16? {
    column.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
  }
}
