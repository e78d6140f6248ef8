// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlueZSimulator
internal import Glibc

/// Starts a private bus with a simulated BlueZ in a known state: what the benchmarks run on.
@main
struct BenchWorld: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-world", abstract: "Run a simulated BlueZ that is prepared for a benchmark.",
    discussion: """
      bench-world known --devices 20 -- blectl devices
      bench-world heard --devices 1000 -- blectl scan --count 1000

      Without a command the address of the bus is printed, and the world lasts until standard input ends.
      """)

  @Argument(
    help: """
      known: BlueZ knows the devices, and is connected to one. heard: it knows none, they advertise. sensors: the same, with \
      other values each time. served: a central waits \
      for programs that offer the characteristic 2a37. updated: as known, beside the devices of the world 'update'.
      """)
  var world: Stage.Kind
  @Option(help: "How many devices there are.")
  var devices = 20
  @Option(help: "How many notifications the connected device sends to each subscriber.")
  var notifications = 100_000
  @Option(help: "How many of them it sends a second; as fast as it can without this.")
  var rate: Int?
  @Option(help: "How many microseconds pass between two advertisements of a device.")
  var interval = 1_000_000
  @Option(
    help: "How many packets the link carries every 30 ms in each direction; any number at once without this.")
  var packets: Int?
  @Option(help: "With --packets, the MTU of the links.")
  var mtu: UInt16 = 247
  @Flag(help: "Let the characteristic 2a38 notify a thousand times a second, with the time of sending.")
  var steady = false
  @Option(
    help: "updated: the size of the firmware that is written as smp.bin, secure-dfu.zip and legacy-dfu.zip.")
  var firmwareSize = 200_000
  @Option(help: "updated: the folder for that firmware.")
  var firmware: String?
  @Option(help: "served: a named pipe to write to when all values have come, if somebody reads it.")
  var done: String?
  @Flag(
    help: "Print what the simulation cost on stderr: CPU in µs and memory in KiB, without the bus.")
  var cost = false
  @Argument(parsing: .postTerminator, help: "A command to run with DBUS_SYSTEM_BUS_ADDRESS set.")
  var command: [String] = []

  func validate() throws {
    if interval < 1 { throw ValidationError("--interval begins at 1.") }
    if devices < 1 { throw ValidationError("--devices begins at 1.") }
    if let rate, rate < 1 { throw ValidationError("--rate begins at 1.") }
    if let packets, packets < 1 { throw ValidationError("--packets begins at 1.") }
    if mtu < 23 { throw ValidationError("--mtu begins at 23.") }
  }

  func run() async throws {
    let stage = Stage(
      kind: world, devices: devices, interval: .microseconds(interval), notifications: notifications,
      rate: rate, packets: packets, mtu: mtu)
    if let firmware { try FirmwareFiles.write(to: firmware, size: firmwareSize) }
    let bus = try await stage.build()
    let before = ProcessCost.now
    let stream = SteadyStream(simulator: bus.simulator, address: Stage.benchAddress)
    let streaming = steady ? Task { await stream.run() } : nil
    let listener = Listener(simulator: bus.simulator, count: notifications, done: done)
    let listening = world == .served ? Task { await listener.run() } : nil
    var status = command.isEmpty ? waitForEndOfInput(bus.address) : try runCommand(bus.address)
    streaming?.cancel()
    listening?.cancel()
    if cost {
      let after = ProcessCost.now
      let line = Array("cost \(after.cpu - before.cpu) \(after.memory)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }
    await bus.stop()
    if let listening, await !listening.value { status = 1 }
    throw ExitCode(status)
  }

  private func waitForEndOfInput(_ address: String) -> Int32 {
    print("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
    fflush(nil)
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) > 0 {}
    return 0
  }

  private func runCommand(_ address: String) throws -> Int32 {
    setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This thread of the pool blocks signals; the child must not inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child = pid_t()
    let failure = posix_spawnp(&child, command[0], nil, &attributes, &words, environ)
    guard failure == 0 else {
      throw ValidationError("cannot run \(command[0]): \(String(cString: strerror(failure)))")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }
}

extension Stage.Kind: ExpressibleByArgument {}
