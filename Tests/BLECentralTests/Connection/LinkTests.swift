// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import Glibc
import TestSupport
import Testing

@testable import BLECentral

@Suite("Connecting in turns")
struct ConnectingOrderTests {
  /// bluetoothd closes the socket of an attempt that is cancelled, but watches its number a moment longer: when the next
  /// Connect comes then, it takes the new socket for the old one, and two devices share a link.
  @Test("An attempt that failed is cancelled in bluetoothd before another device has its turn")
  func cancelled() async throws {
    let calls = Lock<[String]>([])
    let second = Promise<Void>()
    let fake = try FakeBlueZ(
      [FakeBlueZ.adapter]
        + (1...2).map { (FakeBlueZ.devicePath($0), [("org.bluez.Device1", FakeBlueZ.device($0))]) },
      answer: { call in
        let path = call.path ?? ""
        guard path.contains("/dev_") else { return nil }
        let number = path == FakeBlueZ.devicePath(1) ? 1 : 2
        calls.withLock { $0.append("\(call.member ?? "") \(number)") }
        guard call.member == "Connect" else { return nil }
        if number == 2 { second.fulfil(()) }
        return Message(
          errorTo: call, name: "org.bluez.Error.Failed", text: "le-connection-abort-by-local")
      })
    let central = try await CentralManager(bus: .address(fake.address))
    let attempts = try await central.knownPeripherals().sorted { $0.address < $1.address }.map { info in
      Task(executorPreference: central.taskExecutor) { try await info.peripheral.connect(timeout: nil) }
    }
    await second.value
    for attempt in attempts { attempt.cancel() }
    for attempt in attempts { _ = await attempt.result }
    await central.close()
    // Disconnect wants no reply, and is not seen; Get is the round trip behind it.
    #expect(calls.withLock { Array($0.prefix(3)) } == ["Connect 1", "Get 1", "Connect 2"])
  }
}

@Suite("A device that BlueZ forgets")
struct ForgottenDeviceTests {
  /// BlueZ forgets a device that accepts no connections when a scan ends, and the scan goes on behind the attempt: an
  /// attempt that went on too would find the device again, and lose it again, until its time is over.
  @Test("An attempt ends at once when BlueZ forgets the device, before the call is answered")
  func forgotten() async throws {
    let calls = Lock<[String]>([])
    let path = FakeBlueZ.devicePath(1)
    let fake = try FakeBlueZ(
      [FakeBlueZ.adapter, (path, [("org.bluez.Device1", FakeBlueZ.device(1))])],
      answer: { call in
        guard call.path == path else { return nil }
        calls.withLock { $0.append(call.member ?? "") }
        return call.member == "Connect" ? FakeBlueZ.removed(path) : nil
      })
    let central = try await CentralManager(bus: .address(fake.address))
    let info = try #require(try await central.knownPeripherals().first)
    let error = await #expect(throws: BLEError.self) { try await info.peripheral.connect(timeout: nil) }
    #expect(error?.code == .notFound)
    #expect(calls.withLock { $0 } == ["Connect"])
    await central.close()
  }
}

@Suite("LinkLock")
struct LinkLockTests {
  private static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  /// Runs a test with locks on one file, as so many programs would have them.
  private func with(_ count: Int, _ body: ([LinkLock], String) throws -> Void) async throws {
    try await TemporaryFile.with([], named: "unused") { file in
      let directory = String(file.path.dropLast("/unused".count))
      let locks = (0..<count).map { _ in LinkLock(bus: "0aF9", device: Self.device, directory: directory) }
      try body(locks, "\(directory)/link-0aF9-hci0-dev_F0_F1_F2_F3_F4_F5")
      for lock in locks { lock.abandon() }
    }
  }

  @Test("The only user is alone, closes what it opened, and leaves no file")
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

  @Test("A link that is to stay is closed by nobody")
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

  @Test("Nobody enters while a link is being closed")
  func closing() async throws {
    try await with(2) { locks, _ in
      _ = locks[0].enter()
      #expect(locks[0].leave() == .last(isOurs: false))
      #expect(locks[1].enter() == .busy)
      locks[0].unlock()
      #expect(locks[1].enter() == .alone)
    }
  }

  @Test("What a program that crashed has left in the file is not believed")
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

  @Test("Without a directory a program closes what it opened, and nothing else")
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

extension SentCommands {
  /// Whether commands may still be on their way, or were lost without a report.
  fileprivate var areUnconfirmed: Bool { firstUnreported < count }
}

@Suite("SentCommands")
struct SentCommandsTests {
  @Test("Commands are on their way until a request that was sent behind them is answered")
  func confirmed() {
    var commands = SentCommands()
    #expect(!commands.areUnconfirmed)
    commands.add(3)
    let before = commands.count
    commands.add(1)
    commands.confirm(before)
    #expect(commands.areUnconfirmed)
    commands.confirm(commands.count)
    #expect(!commands.areUnconfirmed)
  }

  @Test("Commands that a lost link took with it are not confirmed by an answer over the next one")
  func lost() {
    let device = DeviceSession(
      path: "/org/bluez/hci0/dev_1", lock: LinkLock(bus: "", device: "/dev_1", directory: nil))
    device.link.hold(.opened)
    device.commands.add(3)
    device.lost(at: nil)
    #expect(device.link.isLost && device.commands.areLost)
    device.link.hold(.opened)
    device.commands.confirm(device.commands.count)
    #expect(device.commands.areLost && device.commands.areUnconfirmed)
    device.commands.report(0..<3)
    #expect(!device.commands.areLost && !device.commands.areUnconfirmed)
  }

  @Test("Each of several tasks learns what became of its own commands, whatever was reported to the others")
  func several() {
    var commands = SentCommands()
    commands.add(2)
    commands.add(3)
    #expect(commands.fate(of: 0..<2) == nil)
    commands.confirm(2)
    #expect(commands.fate(of: 0..<2) == .arrived && commands.fate(of: 2..<5) == nil)
    commands.linkLost()
    commands.add(1)
    commands.confirm(6)
    for task in [0..<2, 2..<5, 2..<4, 5..<6] {
      #expect(commands.fate(of: task) == (task.overlaps(2..<5) ? .lost : .arrived))
      commands.report(task)
    }
  }

  @Test("Commands on their way are lost for their task when another one gives up the link")
  func abandoned() {
    var commands = SentCommands()
    commands.add(4)
    commands.abandon()
    #expect(commands.fate(of: 0..<4) == .lost)
    #expect(!commands.areLost && !commands.areUnconfirmed)
  }

  @Test("A link that is lost after all was confirmed has lost no command")
  func lostLater() {
    var commands = SentCommands()
    commands.add(2)
    commands.confirm(2)
    commands.linkLost()
    #expect(!commands.areLost)
  }
}

@Suite("WriteWindow")
struct WriteWindowTests {
  @Test("A window grows on a fast link and shrinks on a slow one, within its bounds")
  func size() {
    var window = WriteWindow()
    let first = window.size
    window.confirmed(after: .seconds(1))
    #expect(window.size == first)
    for _ in 0..<20 { window.confirmed(after: .milliseconds(1)) }
    #expect(window.size == 128)
    for _ in 0..<20 { window.confirmed(after: .seconds(20)) }
    #expect(window.size == 4)
  }
}
