// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

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
    device.held(.opened)
    device.commands.add(3)
    device.lost(at: nil)
    #expect(device.use == .lost && device.commands.areLost)
    device.held(.opened)
    device.commands.confirm(device.commands.count)
    #expect(device.commands.areLost && device.commands.areUnconfirmed)
    device.commands.settle()
    #expect(!device.commands.areLost && !device.commands.areUnconfirmed)
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
