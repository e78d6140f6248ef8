// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import TestSupport
import Testing

@Suite("ListeningStream")
struct ListeningStreamTests {
  @Test("Without free descriptors, a client is hung up on, and the listener is not ready again and again")
  func shortage() async throws {
    // In a process of its own, which runs out of them.
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchDirectory()
      let listener = try UnixListener("\(scratch.path)/socket")
      let clients = [connect(to: listener.path), connect(to: listener.path), connect(to: listener.path)]
      let first = listener.accept()
      guard first != nil else { exit(1) }
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var others: [Int32] = []
      while let other = Optional(dup(0)), other >= 0 { others.append(other) }
      guard listener.accept() == nil, !isReady(listener.descriptor) else { exit(2) }
      var byte: UInt8 = 0
      for client in clients[1...] {
        guard recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0 else { exit(3) }
      }
      for other in others { close(other) }
      let later = connect(to: listener.path)
      guard later >= 0, listener.accept() != nil else { exit(4) }
      withExtendedLifetime(first) {}
      exit(0)
    }
  }
}

private func connect(to path: String) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  let status = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  return status == 0 ? client : -1
}

private func isReady(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, 0) > 0
}
