// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import Glibc
internal import JSON

/// A file beside the one that is sent, which says how much of it has arrived, so that another run can go on.
///
/// Each note is one small write: a process that is killed leaves the last one.
final class SendJournal: Sendable {
  /// What may be on the device.
  struct Place: Sendable, Hashable {
    /// How many bytes have certainly arrived.
    var certain = 0
    /// How many may have, at most.
    var possible = 0
  }

  /// The bytes of a note, padded, so that the next one replaces it as a whole.
  private static let length = 256

  let path: String
  private let descriptor: Int32
  private let device: BluetoothAddress
  private let size: Int
  private let checksum: String

  /// Opens the journal of sending a file to a device, or creates it.
  ///
  /// - Throws: ``CommandError`` if another process has it, or it cannot be written.
  init(
    ofFile file: String, _ content: [UInt8], to device: BluetoothAddress
  ) throws(CommandError) {
    path = file + ".sending"
    (self.device, size) = (device, content.count)
    checksum = try Checksum(.crc32, of: content).text
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw CommandError(status: .failed, message: "cannot use \(path): another process sends the file")
    }
  }

  deinit { close(descriptor) }

  private static func failure(_ path: String, _ number: Int32) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(path): \(String(cString: strerror(number)))")
  }

  /// Where the last run ended; the beginning, if there was none.
  ///
  /// - Throws: ``CommandError`` if it sent another file, or to another device.
  func place() throws(CommandError) -> Place {
    var buffer = [UInt8](repeating: 0, count: Self.length)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return Place() }
    guard let note = try? JSONReader.read(buffer[..<count]), note["address"]?.string != nil,
      let certain = note["certain"]?.integer, let possible = note["possible"]?.integer,
      (0...possible).contains(certain), possible <= size || note["size"]?.integer != size
    else {
      throw CommandError(
        status: .failed, message: "cannot resume: \(path) is not the note of an earlier 'send'")
    }
    func other(_ what: String) -> CommandError {
      CommandError(
        status: .failed, message: "cannot resume: the earlier 'send' was of another \(what)",
        hint: "rm \(path), to begin again")
    }
    guard note["size"]?.integer == size, note["crc32"]?.string == checksum else { throw other("file") }
    guard note["address"]?.string == "\(device)" else { throw other("device") }
    return Place(certain: certain, possible: possible)
  }

  /// Notes what may be on the device.
  func note(_ place: Place) throws(CommandError) {
    var json = JSONWriter()
    json.object { json in
      json.field("address", "\(device)")
      json.field("size", size)
      json.field("crc32", checksum)
      json.field("certain", place.certain)
      json.field("possible", place.possible)
    }
    var bytes = json.bytes
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: max(0, Self.length - 1 - bytes.count)) + [0x0a]
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Self.failure(path, errno) }
  }

  /// Removes the journal of a file that was sent.
  func remove() { unlink(path) }
}
