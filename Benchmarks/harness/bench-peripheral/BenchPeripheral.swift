// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEPeripheral

/// Sends values with the library to a central that subscribes, the way that a program of its user does.
@main
struct BenchPeripheral: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-peripheral",
    abstract: "Publish 2A37, send so many values to the first subscriber, and wait until it has left.")

  @Argument(help: "How many values to send.")
  var count: Int
  @Flag(help: "Over the socket of AcquireNotify, in the place of signals.")
  var socket = false
  @Option(help: "How many values are passed to the library at once.")
  var batch = 1

  func validate() throws {
    if batch < 1 { throw ValidationError("--batch begins at 1.") }
  }

  func run() async throws {
    let manager = try await PeripheralManager()
    let measurement = LocalCharacteristic(
      .heartRateMeasurement, .notify, updateTransport: socket ? .acquireNotify : .signals)
    let events = await manager.events()
    let service = try await manager.add(LocalService(.heartRate, [measurement]))
    try await manager.startAdvertising(Advertisement(services: [.heartRate]))
    let (characteristic, count, batch) = (service.characteristics[0], count, batch)
    let sending = Task(executorPreference: manager.taskExecutor) {
      var events = events.makeAsyncIterator()
      while let event = try await events.next() {
        if case .subscribed = event.kind { break }
      }
      // The memory of a value is used again for the next one, as in the C program.
      var values = [[UInt8]](repeating: [UInt8](repeating: 0xA5, count: 20), count: min(batch, count))
      if batch == 1 {
        for number in 0..<count {
          BenchPeripheral.set(number, in: &values[0])
          try await characteristic.send(values[0])
        }
      } else {
        for first in stride(from: 0, to: count, by: batch) {
          values.removeLast(max(0, first + values.count - count))
          for index in values.indices { BenchPeripheral.set(first + index, in: &values[index]) }
          try await characteristic.send(contentsOf: values)
        }
      }
      while let event = try await events.next() {
        if case .unsubscribed = event.kind { break }
      }
    }
    try await sending.value
    await manager.close()
  }

  /// Puts a number into the first four bytes of a value, little-endian; the other sixteen are `a5`.
  private static func set(_ number: Int, in value: inout [UInt8]) {
    for index in 0..<4 { value[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }
}
