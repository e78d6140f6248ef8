// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZSimulator
internal import Glibc

/// Lets the bench device notify its second characteristic a thousand times a second.
///
/// A value is the time of CLOCK_MONOTONIC in nanoseconds, eight bytes little-endian, and twelve bytes `a5`: who receives
/// it knows how long it was on its way.
struct SteadyStream {
  static let characteristic = BluetoothUUID(0x2A38)
  private static let interval = Duration.milliseconds(1)

  let simulator: Simulator
  let address: String

  /// Notifies until the task is cancelled.
  func run() async {
    var next = ContinuousClock.now
    while !Task.isCancelled {
      await simulator.notify(address, SteadyStream.characteristic, value: SteadyStream.value)
      next = max(next + SteadyStream.interval, .now)
      try? await Task.sleep(until: next, tolerance: .zero)
    }
  }

  private static var value: [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let nanoseconds = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    return withUnsafeBytes(of: nanoseconds.littleEndian) { Array($0) } + [UInt8](repeating: 0xA5, count: 12)
  }
}
