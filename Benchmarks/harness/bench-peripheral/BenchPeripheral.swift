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
      if batch == 1 {
        for number in 0..<count { try await characteristic.send(BenchPeripheral.value(number)) }
      } else {
        for first in stride(from: 0, to: count, by: batch) {
          let numbers = first..<min(first + batch, count)
          try await characteristic.send(contentsOf: numbers.map { BenchPeripheral.value($0) })
        }
      }
      while let event = try await events.next() {
        if case .unsubscribed = event.kind { break }
      }
    }
    try await sending.value
    await manager.close()
  }

  /// The value with a number: four bytes little-endian, and sixteen bytes `a5`.
  private static func value(_ number: Int) -> [UInt8] {
    var value = [UInt8](repeating: 0xA5, count: 20)
    for index in 0..<4 { value[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return value
  }
}
