// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import ValueStreams

/// Events as a subscription makes them.
enum SampleStream {
  static let address: BluetoothAddress = {
    guard let address = BluetoothAddress("F0:F1:F2:F3:F4:F5") else { preconditionFailure("an address") }
    return address
  }()

  static func characteristic(_ uuid: BluetoothUUID = .heartRateMeasurement) -> GATTCharacteristic {
    GATTCharacteristic(
      path: "/c", devicePath: "/d", uuid: uuid, service: .heartRate, handle: 7, properties: [.notify],
      mtu: nil,
      descriptors: [])
  }

  /// Values of one characteristic, a second apart.
  static func values(
    _ values: [[UInt8]], uuid: BluetoothUUID = .heartRateMeasurement, address: BluetoothAddress = address,
    name: String = "Strap, \"=1\"", second: Int = 0
  ) -> StreamEvent {
    .values(batch(values, of: origin(uuid, address: address, name: name), second: second))
  }

  static func batch(_ values: [[UInt8]], of origin: ValueOrigin, second: Int = 0) -> ValueBatch {
    let received = values.enumerated().map { index, bytes in
      ReceivedValue(
        time: Timestamp(seconds: 1_795_247_928 + second + index, nanoseconds: 626_505_000), bytes: bytes)
    }
    return ValueBatch(received, of: origin)
  }

  static func origin(
    _ uuid: BluetoothUUID = .heartRateMeasurement, address: BluetoothAddress = address,
    name: String? = "Strap, \"=1\"", transport: ValueOrigin.Transport = .signal
  ) -> ValueOrigin {
    ValueOrigin(address: address, name: name, characteristic: characteristic(uuid), transport: transport)
  }

  static func lost(_ reason: String) -> StreamEvent {
    .link(
      LinkRecord(
        event: .disconnected, time: Timestamp(seconds: 1_795_247_930, nanoseconds: 0), address: address,
        reason: reason))
  }
}

/// A directory that is removed with everything in it.
final class ScratchDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/blectl-test-XXXXXX\0".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names of the files in it, sorted.
  var names: [String] { names("") }

  /// The names of the files in a directory of it, sorted.
  func names(_ subdirectory: String) -> [String] {
    guard let directory = opendir("\(path)/\(subdirectory)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func read(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  /// What is in a file; nothing where there is none.
  func bytes(_ name: String) -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen("\(path)/\(name)", "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}

/// What was reported to a person.
final class Remarks: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  @Sendable func add(_ text: String) { texts.withLock { $0.append(text) } }
}
