// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import Glibc
internal import JSON

/// A file beside the one that is sent, which says how much of it a device has, so that another run can go on.
///
/// Each note is one small write: a process that is killed leaves the last one.
final class SendJournal: Sendable {
  /// The part of the file that may be on the device.
  struct Place: Sendable, Hashable {
    /// The number of bytes that have certainly arrived.
    var certain = 0
    /// The maximum number of bytes that may have arrived.
    var possible = 0
  }

  /// The way in which a file is sent to a device.
  ///
  /// Another run can continue only in the same way.
  struct Way: Sendable {
    var device: BluetoothAddress
    var characteristic: GATTCharacteristic
    /// The wanted size of the chunks; nil for as many bytes as fit, which may change from link to link.
    var chunk: Int?
    var offsetFormat: ValueFormat?
  }

  /// The bytes of a note, padded, so that the next one replaces it as a whole.
  private static let length = 512
  /// That of the keys of a note.
  private static let version = 1

  let path: String
  private let descriptor: Int32
  private let way: Way
  private let size: Int
  private let checksum: String
  private struct State {
    /// The number of bytes that earlier runs may have sent.
    var earlier = 0
    /// The number of bytes that any run may have sent, according to the file.
    var noted = 0
    /// True if the file says nothing worth keeping.
    var isEmpty: Bool
  }

  private let state: Lock<State>

  /// Opens the journal of sending a file to a device, or creates it.
  ///
  /// - Throws: ``CommandError`` if another transfer has it, or it cannot be written.
  init(ofFile file: String, _ content: [UInt8], _ way: Way) throws(CommandError) {
    path = "\(file).\("\(way.device)".replacing(":", with: "-")).sending"
    (self.way, size) = (way, content.count)
    checksum = try Checksum(.crc32, of: content).text
    descriptor = try Self.open(path)
    var status = stat()
    state = Lock(State(isEmpty: fstat(descriptor, &status) == 0 && status.st_size == 0))
  }

  /// A transfer of which nothing can be on the device leaves no file.
  deinit {
    if state.withLock(\.isEmpty) { unlink(path) }
    close(descriptor)
  }

  private static func open(_ path: String) throws(CommandError) -> Int32 {
    while true {
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
      guard descriptor >= 0 else { throw failure(path, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        throw CommandError(status: .failed, message: "cannot use \(path): another 'send' uses it")
      }
      // The one that had it may have removed it before we had the lock.
      var (own, current) = (stat(), stat())
      if fstat(descriptor, &own) == 0, stat(path, &current) == 0, own.st_ino == current.st_ino {
        return descriptor
      }
      close(descriptor)
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(path): \(String(cString: strerror(number)))")
  }

  /// Returns the place where the last run ended, or the beginning if there was none.
  ///
  /// - Throws: ``CommandError`` if it sent something else, or in another way.
  func place() throws(CommandError) -> Place {
    var buffer = [UInt8](repeating: 0, count: Self.length)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return Place() }
    guard let note = try? JSONReader.read(buffer[..<count]), note["version"]?.integer == Self.version,
      note["address"]?.string == "\(way.device)",
      let certain = note["certain"]?.integer, let possible = note["possible"]?.integer,
      (0...possible).contains(certain), possible <= size || note["size"]?.integer != size
    else {
      throw CommandError(
        status: .failed, message: "cannot resume: \(path) is not the note of an earlier 'send'")
    }
    if let difference = difference(from: note) {
      throw CommandError(
        status: .failed, message: "cannot resume: the earlier 'send' was \(difference)",
        hint: "rm \(path), to begin again")
    }
    state.withLock { ($0.earlier, $0.noted) = (possible, possible) }
    return Place(certain: certain, possible: possible)
  }

  private func difference(from note: JSONNode) -> String? {
    if note["size"]?.integer != size || note["crc32"]?.string != checksum { return "of another file" }
    let isSame =
      note["characteristic"]?.string == "\(way.characteristic.uuid.longForm)"
      && note["handle"]?.integer == Int(way.characteristic.handle)
    if !isSame { return "to another characteristic" }
    if note["offset_format"]?.string != way.offsetFormat?.word { return "with another --offset-format" }
    // With offsets, a device does not mind.
    if way.offsetFormat == nil, note["chunk"]?.integer != way.chunk { return "with another --chunk" }
    return nil
  }

  /// Records the bytes that may be on the device.
  func note(_ place: Place) throws(CommandError) {
    let possible = state.withLock { state in
      state.noted = max(place.possible, state.earlier)
      state.isEmpty = state.noted == 0
      return state.noted
    }
    var json = JSONWriter()
    json.object { json in
      json.field("version", Self.version)
      json.field("address", "\(way.device)")
      json.field("characteristic", way.characteristic.uuid.longForm)
      json.field("handle", Int(way.characteristic.handle))
      json.field("offset_format", way.offsetFormat?.word)
      json.field("chunk", way.chunk)
      json.field("size", size)
      json.field("crc32", checksum)
      json.field("certain", place.certain)
      json.field("possible", possible)
    }
    var bytes = json.bytes
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: max(0, Self.length - 1 - bytes.count)) + [0x0a]
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Self.failure(path, errno) }
  }

  /// Returns the number of bytes of any run that may be on the device but are not certain.
  func uncertain(after certain: Int) -> Int { max(0, state.withLock(\.noted) - certain) }

  /// Removes the journal: the file was sent, or what the device has is to be sent again.
  func remove() { unlink(path) }
}
