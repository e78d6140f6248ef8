// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// Counts notifications with the library, the way that a program of its user does.
@main
struct BenchLibrary: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-library", abstract: "Subscribe, count so many notifications, and print what came.")

  @Argument(help: "The device, which must be known to BlueZ.")
  var address: String
  @Argument(help: "The characteristic.")
  var characteristic: String
  @Argument(help: "How many notifications to wait for.")
  var count: Int
  @Flag(help: "Over a socket of our own, in the place of signals.")
  var socket = false
  @Flag(
    help: "Take the first eight bytes of a value for the time of its sending, and print how long they took.")
  var latency = false

  func run() async throws {
    let central = try await CentralManager()
    guard let address = BluetoothAddress(address), let uuid = BluetoothUUID(characteristic),
      let device = try await central.knownPeripheral(withAddress: address)?.peripheral
    else { throw ValidationError("there is no device \(address)") }
    try await device.connect()
    let notifications = try await device.notifications(
      for: try await device.characteristic(uuid), via: socket ? .socket : .signal)
    let (count, latency) = (count, latency)
    let tally = Task(executorPreference: central.taskExecutor) {
      var tally = Tally()
      var values = notifications.makeAsyncIterator()
      while tally.values < count, let batch = try await values.nextBatch() {
        for notification in batch.elements { tally.add(notification.value, latency: latency) }
      }
      return tally
    }
    let result = try await tally.value
    await central.close()
    print(result.values, result.bytes, result.sum)
    if latency { print(result.latencies.quantile(0.5), result.latencies.quantile(0.99)) }
  }
}

/// What came.
private struct Tally {
  var values = 0
  var bytes = 0
  var sum = 0
  var latencies = Latencies()

  mutating func add(_ value: [UInt8], latency: Bool) {
    values += 1
    bytes += value.count
    for byte in value { sum += Int(byte) }
    if latency { latencies.add(value) }
  }
}
