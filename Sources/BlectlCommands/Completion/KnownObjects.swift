// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import DBus
internal import Glibc
internal import TerminalOutput

/// The objects that BlueZ knows, requested within the time that a user waits after pressing Tab.
struct KnownObjects: Sendable {
  struct Device: Sendable, Hashable {
    var path: String
    var address: String
    var name: String?
    var isConnected: Bool
  }

  struct Characteristic: Sendable, Hashable {
    var path: String
    var uuid: BluetoothUUID
  }

  /// The time limit for the bus, so that completion takes less than 100 ms with the start of the program.
  static let patience = Duration.milliseconds(75)

  private(set) var adapters: [String] = []
  private(set) var devices: [Device] = []
  private(set) var characteristics: [Characteristic] = []

  init(_ objects: DBusValue) {
    guard case .dictionary(_, _, let objects) = objects else { return }
    for object in objects {
      guard let path = object.key.text else { continue }
      if object.value["org.bluez.Adapter1"] != nil {
        adapters.append(BlueZPath.lastPart(of: path))
      } else if let device = object.value["org.bluez.Device1"], let address = device["Address"]?.text {
        devices.append(
          Device(
            path: path, address: address, name: device["Name"]?.text,
            isConnected: device["Connected"] == .boolean(true)))
      } else if let uuid = object.value["org.bluez.GattCharacteristic1"]?["UUID"]?.text.flatMap({
        BluetoothUUID($0)
      }) {
        characteristics.append(Characteristic(path: path, uuid: uuid))
      }
    }
    adapters.sort()
    devices.sort { $0.address < $1.address }
    characteristics.sort { $0.path < $1.path }
  }

  /// The characteristics of a device.
  func characteristics(of device: Device) -> [Characteristic] {
    characteristics.filter { $0.path.hasPrefix(device.path + "/") }
  }

  /// Queries the bus of a command line; nil if it does not answer in time.
  static func ask(_ words: [String]) -> KnownObjects? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let (reader, writer) = (ends[0], ends[1])
    let answer = Lock<DBusValue?>(nil)
    let address = busAddress(words)
    // Abandoned if it takes too long: the process then ends.
    Task(executorPreference: EventLoop.shared) {
      let objects = await objects(on: address)
      answer.withLock { $0 = objects }
      _ = write(writer, [1], 1)
    }
    var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    _ = poll(&request, 1, Int32(patience / .milliseconds(1)))
    return answer.withLock { $0 }.map { KnownObjects($0) }
  }

  private static func objects(on address: BusAddress) async -> DBusValue? {
    do throws(DBusError) {
      let connection = try await Connection.open(address, on: .shared, timeout: patience)
      let call = Message(
        call: "GetManagedObjects", of: StandardInterface.objectManager, at: "/", to: "org.bluez")
      return try await connection.call(call, timeout: patience).values.first
    } catch {
      return nil
    }
  }

  private static func busAddress(_ words: [String]) -> BusAddress {
    for (index, word) in words.enumerated() {
      if word == "--bus", index + 1 < words.count { return BusAddress(words[index + 1]) }
      if word.hasPrefix("--bus=") { return BusAddress(String(word.dropFirst("--bus=".count))) }
    }
    return .system
  }
}

/// Paths of BlueZ's objects.
private enum BlueZPath {
  static func lastPart(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// A word for a shell to offer, with a description.
struct Candidate: Sendable, Hashable {
  var word: String
  var about: String?

  init(_ word: String, about: String? = nil) {
    self.word = word
    self.about = about
  }

  /// Whether the word is safe to offer: bash expands words such as `$(reboot)`.
  ///
  /// Names come from the air, so only characters without a meaning in any shell are allowed: letters, digits, spaces and a
  /// few signs.
  var isHarmless: Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || " -_.+@%,/:".unicodeScalars.contains(scalar)
      }
  }

  /// The form for a shell, or nil if it cannot complete the word.
  ///
  /// bash supports no descriptions, and ends a word at a colon: an address can be written without, a name cannot.
  func text(for shell: CompletionShell?) -> String? {
    let about = about.map { TerminalSafe.escaped($0) }
    switch shell {
    case .zsh:
      let escaped = word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
      return about.map { "\(escaped):\($0)" } ?? escaped
    case .fish: return about.map { "\(word)\t\($0)" } ?? word
    default:
      if !word.contains(":") { return word }
      return BluetoothAddress(word).map { _ in word.replacing(":", with: "-") }
    }
  }
}
