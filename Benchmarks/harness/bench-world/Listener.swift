// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZSimulator
internal import Glibc

/// A central that connects to each program that offers the characteristic 2A37, subscribes, and checks what it gets.
///
/// When all values have come, it unsubscribes, hangs up, and waits for the advertisement of another program.
struct Listener {
  private static let address = "F2:CE:17:00:00:01"
  private static let adapter = "00:1A:7D:DA:71:13"
  private static let characteristic = BluetoothUUID(0x2A37)
  private static let pause = Duration.milliseconds(5)

  let simulator: Simulator
  let count: Int
  /// A pipe that a byte is written to when all values have come, if somebody reads it.
  let done: String?

  /// Listens until the task is cancelled, or a value is wrong.
  ///
  /// - Returns: whether all values were right.
  func run() async -> Bool {
    var last: Int?
    while !Task.isCancelled {
      let newest = await simulator.newestAdvertisement(of: Self.adapter)
      guard newest != nil, newest != last, await isServed() else {
        await simulator.disconnectCentral(Self.address)
        try? await Task.sleep(for: Self.pause)
        continue
      }
      let values = await simulator.received(byCentral: Self.address, Self.characteristic, atLeast: count)
      guard values.count == count, values.indices.allSatisfy({ Self.isRight(values[$0], $0) }) else {
        let line = Array("bench-world: \(values.count) values came, of \(count), or a wrong one\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        return false
      }
      _ = await simulator.perform(.configure(Self.characteristic, 0), byCentral: Self.address)
      await simulator.disconnectCentral(Self.address)
      reportEnd()
      last = newest
    }
    return true
  }

  private func isServed() async -> Bool {
    guard await simulator.connectCentral(Self.address, to: Self.adapter) else { return false }
    return await simulator.perform(.configure(Self.characteristic, 1), byCentral: Self.address) == .done()
  }

  private func reportEnd() {
    guard let done else { return }
    let descriptor = open(done, O_WRONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, "\n", 1)
    close(descriptor)
  }

  private static func isRight(_ value: [UInt8], _ number: Int) -> Bool {
    value.count == 20 && (0..<4).allSatisfy { value[$0] == UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      && value[4...].allSatisfy { $0 == 0xA5 }
  }
}
