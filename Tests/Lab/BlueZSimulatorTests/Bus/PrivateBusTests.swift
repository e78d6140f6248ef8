// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import Glibc
import TestSupport
import Testing

@testable import BlueZSimulator

@Suite("Private bus")
struct PrivateBusTests {
  @Test("The bus takes connections until it stops")
  func busTakesConnections() async throws {
    let bus = try await PrivateBus.start()
    let connection = try await Connection.open(BusAddress(bus.address))
    #expect(await connection.uniqueName.hasPrefix(":1."))
    let lost = Promise<Void>()
    await connection.onLoss { lost.fulfil(()) }
    await bus.stop()
    await lost.value
    await #expect(throws: DBusError.self) { try await Connection.open(BusAddress(bus.address)) }
  }

  @Test("Stopping twice does no harm and leaves nothing")
  func stoppingTwiceDoes() async throws {
    let bus = try await PrivateBus.start()
    let folder = try #require(directory(of: bus.address))
    #expect(access(folder, F_OK) == 0)
    await bus.stop()
    await bus.stop()
    #expect(access(folder, F_OK) != 0)
  }

  @Test("The socket is in a directory that is only ours")
  func socketDirectoryOnly() async throws {
    let bus = try await PrivateBus.start()
    var status = stat()
    #expect(stat(try #require(directory(of: bus.address)), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    await bus.stop()
  }

  @Test("Files that a killed owner left are removed by the next bus")
  func whatKilledOwner() async throws {
    let parent = try PrivateDirectory.make()
    let alive = try PrivateDirectory.make(in: parent.path)
    let starting = try PrivateDirectory.make(in: parent.path)
    try alive.write("", to: "bus.conf")
    let dead = parent.file(PrivateDirectory.prefix + "dead")
    #expect(mkdir(dead, 0o700) == 0)
    close(open(dead + "/bus.conf", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    AbandonedBuses.remove(from: parent.path, files: ["bus.conf", "bus"])
    #expect(access(dead, F_OK) != 0)
    #expect(access(alive.file("bus.conf"), F_OK) == 0)
    #expect(access(starting.path, F_OK) == 0)
    alive.remove(files: ["bus.conf"])
    starting.remove(files: [])
    parent.remove(files: [])
  }

  @Test("A missing daemon is reported")
  func missingDaemonReported() async {
    await #expect(throws: SimulatorError.busDaemonMissing) {
      try await PrivateBus.start(program: "no-such-dbus-daemon")
    }
    #expect(SimulatorError.busDaemonMissing.description.contains("dbus-daemon is not installed"))
  }

  @Test("A daemon that gives no address is an error")
  func daemonGivesNo() async {
    await #expect(throws: SimulatorError.self) { try await PrivateBus.start(program: "false") }
  }

  @Test("A slow daemon is awaited even if idle time is skipped")
  func slowDaemonAwaited() async throws {
    VirtualTime.begin()
    let folder = try PrivateDirectory.make()
    let script = "#!/bin/sh\ni=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exec dbus-daemon \"$@\"\n"
    try folder.write(script, to: "slow")
    #expect(chmod(folder.file("slow"), 0o700) == 0)
    defer { folder.remove(files: ["slow"]) }
    // Programs are looked up in folders: from there, up to the root, and down.
    let bus = try await PrivateBus.start(program: String(repeating: "../", count: 16) + folder.file("slow"))
    await bus.stop()
  }

  private func directory(of address: String) -> String? {
    guard address.hasPrefix("unix:path=") else { return nil }
    let path = address.dropFirst("unix:path=".count).prefix { $0 != "," }
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
