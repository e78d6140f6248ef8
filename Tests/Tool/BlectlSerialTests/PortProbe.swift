// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import Testing

@testable internal import BlectlSerial

/// A program that is connected to a ``ServerPort``, or reads a file, at the speed of the tests; used only on their loop.
final class PortProbe: Sendable {
  private let stream: ByteStream
  private let descriptor: Int32

  /// Connects to a TCP port of this machine, or to a Unix socket.
  init(_ place: String, on loop: EventLoop) throws {
    let isTCP = place.hasPrefix("127.0.0.1:")
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = OwnedDescriptor(adopting: socket(isTCP ? AF_INET : AF_UNIX, kind, 0))
    var address = sockaddr_storage()
    withUnsafeMutableBytes(of: &address) { bytes in
      if isTCP {
        let port = UInt16(place.dropFirst("127.0.0.1:".count)) ?? 0
        bytes.storeBytes(
          of: sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: UInt32(0x7f00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)),
          as: sockaddr_in.self)
      } else {
        bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
        bytes[MemoryLayout<sa_family_t>.size...].copyBytes(from: place.utf8)
      }
    }
    let length = isTCP ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_un>.size
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor.raw, $0, socklen_t(length))
      }
    }
    try #require(status == 0, "\(String(cString: strerror(errno)))")
    _ = fcntl(descriptor.raw, F_SETFL, O_NONBLOCK)
    self.descriptor = descriptor.raw
    stream = ByteStream(adopting: descriptor, on: loop)
  }

  /// Reads until `isEnough`, or the end.
  func read(until isEnough: ([UInt8]) -> Bool) async -> [UInt8] {
    var bytes: [UInt8] = []
    while !isEnough(bytes), let more = await stream.read(16 << 10) { bytes += more }
    return bytes
  }

  /// Reads up to `most` bytes of those that are there.
  func readNow(_ most: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(descriptor, &buffer, most)
    return Array(buffer.prefix(max(0, count)))
  }

  func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

  /// Sends nothing more, and goes on to read.
  func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close() { stream.close() }
}

extension SerialPort {
  /// Writes all of the bytes.
  func writeAll(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try await write(rest)) }
  }

  /// Reads until `isEnough`, or the end.
  func read(until isEnough: ([UInt8]) -> Bool) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while !isEnough(bytes), let more = try await read(16 << 10) { bytes += more }
    return bytes
  }
}
