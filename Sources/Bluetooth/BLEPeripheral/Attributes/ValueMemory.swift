// SPDX-License-Identifier: MIT

/// The value of an attribute, copied into separate memory.
///
/// Sharing the array would make the sender copy it for the next value, which costs as much as sending.
final class ValueMemory {
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ value: [UInt8]) {
    memory = .allocate(byteCount: max(LocalCharacteristic.maximumLength, value.count), alignment: 1)
    set(value)
  }

  deinit { memory.deallocate() }

  var bytes: [UInt8] { Array(memory[..<count]) }

  func set(_ value: [UInt8]) {
    if value.count > memory.count {
      memory.deallocate()
      memory = .allocate(byteCount: value.count, alignment: 1)
    }
    value.withUnsafeBytes { memory.copyMemory(from: $0) }
    count = value.count
  }
}
