// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

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

  @Test("Commands that may wait in a socket are not before a request, nor are those of others behind them")
  func sockets() {
    var commands = SentCommands()
    commands.add(2)
    let first = commands.beginSocket()
    commands.add(3)
    let second = commands.beginSocket()
    commands.add(4)
    #expect(commands.count == 9 && commands.countBeforeRequest == 2)
    commands.endSocket(from: first)
    #expect(commands.countBeforeRequest == 5)
    commands.confirm(commands.countBeforeRequest)
    #expect(commands.fate(of: 0..<5) == .arrived && commands.fate(of: 5..<9) == nil)
    commands.endSocket(from: second)
    #expect(commands.countBeforeRequest == 9)
  }

  @Test("Commands that a lost link took with it are not confirmed by an answer over the next one")
  func lost() async throws {
    try await withIdleCentral { central in
      await central.perform { core in
        let device = DeviceSession(
          path: "/org/bluez/hci0/dev_1", lock: LinkLock(bus: "", device: "/dev_1", directory: nil), core: core
        )
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
    }
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

  @Test(
    "Commands in a socket that was given up before it was read have not arrived, whatever is confirmed behind them"
  )
  func unread() {
    var commands = SentCommands()
    commands.add(1)
    let socket = commands.beginSocket()
    commands.add(3)
    commands.abandonSocket(from: socket)
    #expect(commands.countBeforeRequest == 4)
    commands.add(1)
    commands.confirm(5)
    #expect(commands.areLost)
    #expect(commands.fate(of: 0..<1) == .arrived && commands.fate(of: 4..<5) == .arrived)
    #expect(commands.fate(of: 0..<5) == .unread && commands.fate(of: 2..<3) == .unread)
    commands.report(0..<5)
    #expect(!commands.areLost && commands.firstUnreported == 5)
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
