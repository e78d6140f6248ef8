// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BLECentral

@Suite("LinkLock")
struct LinkLockTests {
  private static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  /// Runs a test with locks on one file, as that many programs would have them.
  private func with(_ count: Int, _ body: ([LinkLock], String) throws -> Void) async throws {
    try await TemporaryFile.with([], named: "unused") { file in
      let directory = String(file.path.dropLast("/unused".count))
      let locks = (0..<count).map { _ in LinkLock(bus: "0aF9", device: Self.device, directory: directory) }
      try body(locks, "\(directory)/link-0aF9-hci0-dev_F0_F1_F2_F3_F4_F5")
      for lock in locks { lock.abandon() }
    }
  }

  @Test("A sole user is alone, closes the link that it opened, and leaves no file")
  func alone() async throws {
    try await with(1) { locks, path in
      #expect(locks[0].enter() == .alone)
      locks[0].mark(isOurs: true)
      #expect(access(path, F_OK) == 0)
      #expect(locks[0].leave() == .last(isOurs: true))
      locks[0].unlock()
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test("The last of several users closes the link, even if another one opened it")
  func last() async throws {
    try await with(3) { locks, _ in
      #expect(locks[0].enter() == .alone)
      locks[0].mark(isOurs: true)
      #expect(locks[1].enter() == .shared(isOurs: true))
      #expect(locks[2].enter() == .shared(isOurs: true))
      #expect(locks[0].leave() == .others)
      #expect(locks[2].leave() == .others)
      #expect(locks[1].leave() == .last(isOurs: true))
    }
  }

  @Test("A user knows whether there are others")
  func others() async throws {
    try await with(2) { locks, _ in
      #expect(!locks[0].hasOtherUsers)
      _ = locks[0].enter()
      #expect(!locks[0].hasOtherUsers)
      _ = locks[1].enter()
      #expect(locks[0].hasOtherUsers && locks[1].hasOtherUsers)
      _ = locks[1].leave()
      #expect(!locks[0].hasOtherUsers)
    }
  }

  @Test("No program closes a link that must stay open")
  func kept() async throws {
    try await with(2) { locks, _ in
      _ = locks[0].enter()
      locks[0].mark(isOurs: true)
      _ = locks[1].enter()
      locks[1].mark(isOurs: false)
      #expect(locks[1].leave() == .others)
      #expect(locks[0].leave() == .last(isOurs: false))
    }
  }

  @Test("No program enters while a link is being closed")
  func closing() async throws {
    try await with(2) { locks, _ in
      _ = locks[0].enter()
      #expect(locks[0].leave() == .last(isOurs: false))
      #expect(locks[1].enter() == .busy)
      locks[0].unlock()
      #expect(locks[1].enter() == .alone)
    }
  }

  @Test("An entry that a crashed program left in the file is ignored")
  func crash() async throws {
    try await with(1) { locks, path in
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      #expect(write(descriptor, "a number", 8) == 8)
      close(descriptor)
      #expect(locks[0].enter() == .alone)
      #expect(locks[0].leave() == .last(isOurs: false))
    }
  }

  @Test("One program at a time opens the link, and a crash gives the turn back")
  func opening() async throws {
    try await with(1) { locks, path in
      _ = locks[0].enter()
      do {
        let crashing = LinkLock(bus: "0aF9", device: Self.device, directory: directory(of: path))
        #expect(crashing.enter() == .shared(isOurs: false))
        #expect(crashing.beginOpening())
        #expect(!locks[0].beginOpening())
        crashing.endOpening()
        #expect(locks[0].beginOpening())
        locks[0].endOpening()
        #expect(crashing.beginOpening())
      }
      #expect(locks[0].beginOpening())
    }
  }

  private func directory(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }

  @Test("The turn to open the link does not keep other programs from using it, or from leaving")
  func openingBesideUsers() async throws {
    try await with(3) { locks, _ in
      _ = locks[0].enter()
      #expect(locks[0].beginOpening())
      #expect(locks[1].enter() == .shared(isOurs: false))
      #expect(locks[1].leave() == .others)
      locks[0].mark(isOurs: true)
      #expect(locks[2].enter() == .shared(isOurs: true))
      locks[0].endOpening()
      #expect(locks[0].leave() == .others)
      #expect(locks[2].leave() == .last(isOurs: true))
    }
  }

  @Test("A link that ended is not taken for the next one, which another program opened")
  func ended() async throws {
    try await with(2) { locks, _ in
      _ = locks[0].enter()
      locks[0].mark(isOurs: true)
      _ = locks[1].enter()
      locks[0].linkEnded()
      #expect(locks[0].leave() == .others)
      #expect(locks[1].leave() == .last(isOurs: false))
    }
  }

  @Test("A program that learns late of the end of a link forgets that one, not the next one")
  func endedLate() async throws {
    try await with(2) { locks, _ in
      _ = locks[0].enter()
      locks[0].mark(isOurs: true)
      _ = locks[1].enter()
      locks[0].linkEnded()
      locks[0].mark(isOurs: true)
      locks[1].linkEnded()
      #expect(locks[0].leave() == .others)
      #expect(locks[1].leave() == .last(isOurs: true))
    }
  }

  @Test(
    "A directory of another user is not used, and a program without the variable finds that of the session")
  func directories() async throws {
    let (user, other) = (geteuid(), uid_t(4_100_000_000))
    try await TemporaryFile.with([], named: "unused") { file in
      let runtime = directory(of: file.path)
      chmod(runtime, 0o700)
      let common = "/tmp/blectl-\(other)"
      #expect(LinkLock.directories(of: other, runtime: runtime) == [common])
      #expect(LinkLock.directories(of: other, runtime: "relative") == [common])
      #expect(LinkLock.directories(of: 0, runtime: runtime).first == "/run/blectl")
      if user != 0 { #expect(LinkLock.directories(of: user, runtime: runtime).first == "\(runtime)/blectl") }
    }
  }

  @Test("Without a directory, a program closes only the links that it opened")
  func noDirectory() {
    let lock = LinkLock(bus: "", device: Self.device, directory: nil)
    #expect(lock.enter() == .alone)
    #expect(lock.leave() == .last(isOurs: false))
    #expect(lock.enter() == .alone)
    lock.mark(isOurs: true)
    #expect(lock.leave() == .last(isOurs: true))
    lock.unlock()
    #expect(lock.leave() == .last(isOurs: false))
  }

  @Test("A manager that lost the bus keeps its links for a successor, until it is closed for good")
  func leftLinks() async throws {
    try await TemporaryFile.with([], named: "unused") { file in
      let (directory, path) = (String(file.path.dropLast("/unused".count)), Self.device)
      func isUsed() -> Bool {
        let lock = LinkLock(bus: "0aF9", device: path, directory: directory)
        defer { lock.abandon() }
        return lock.enter() != .alone
      }
      try await withIdleCentral { central in
        await central.perform { core in
          let lock = LinkLock(bus: "0aF9", device: path, directory: directory)
          _ = lock.enter()
          let device = DeviceSession(path: path, lock: lock, core: core)
          device.link.hold(.opened)
          core.sessions.devices[path] = device
          core.sessions.end(because: .busLost)
        }
        await central.close(because: .busLost)
        #expect(isUsed())
        await central.close()
        #expect(!isUsed())
      }
    }
  }

  @Test("An identifier of a bus cannot lead out of the directory")
  func hostileIdentifier() async throws {
    try await TemporaryFile.with([], named: "unused") { file in
      let directory = String(file.path.dropLast("/unused".count))
      let lock = LinkLock(bus: "../../a/1", device: Self.device, directory: directory)
      _ = lock.enter()
      #expect(access("\(directory)/link-a1-hci0-dev_F0_F1_F2_F3_F4_F5", F_OK) == 0)
      lock.abandon()
    }
  }
}
