// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import BlueZClient
internal import DBus
internal import Glibc
internal import TerminalOutput

/// The objects that BlueZ knows, requested within the time that a user waits after pressing Tab.
struct KnownObjects: Sendable {
  struct Device: Sendable {
    var path: String
    var address: BluetoothAddress
    var name: String?
    var isConnected: Bool
  }

  static let limitVariable = "BLECTL_COMPLETION_LIMIT"

  /// The time limit for the bus; by default so that completion, including the program's start, takes less than 100 ms.
  static let limit: Duration = {
    let given = Console.environment(limitVariable)
    return given.flatMap { try? DurationArgument(parsing: $0).limit } ?? .milliseconds(75)
  }()

  let adapters: [String]
  /// Those with an address.
  let devices: [Device]
  private let model: ObjectModel

  init(_ model: ObjectModel, naming: (any DeviceNaming)? = nil) {
    self.model = model
    adapters = model.adapters.values.map(\.identifier).sorted()
    var (all, devices) = (model.devices, [Device]())
    all.forEach { device in
      guard let address = device.address else { return }
      devices.append(
        Device(
          path: device.path, address: address,
          name: naming?.label(of: address, device.addressType)?.name ?? device.displayName,
          isConnected: device.isConnected))
    }
    self.devices = devices.sorted { $0.address < $1.address }
  }

  /// Returns the characteristics of a device, in the order of its attributes.
  func characteristics(of device: Device) -> [BluetoothUUID] {
    model.characteristics(of: device.path).sorted { $0.path < $1.path }.compactMap(\.uuid)
  }

  /// Queries the bus of a command line; nil if it does not answer in time, or only through a program, which Tab does not start.
  static func ask(_ words: [String]) -> KnownObjects? {
    let address = busAddress(words)
    if address.runsProgram { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let (reader, writer) = (ends[0], ends[1])
    let answer = Lock<ObjectModel?>(nil)
    // Abandoned if it takes too long: the process then ends.
    Task(executorPreference: EventLoop.shared) {
      let model = await objects(on: address)
      answer.withLock { $0 = model }
      _ = write(writer, [1], 1)
    }
    var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    _ = poll(&request, 1, Int32(limit / .milliseconds(1)))
    return answer.withLock { $0 }.map { KnownObjects($0, naming: names(words)) }
  }

  private static func objects(on address: BusAddress) async -> ObjectModel? {
    do throws(DBusError) {
      let connection = try await Connection.open(address, on: .shared, timeout: limit)
      return ObjectModel(answer: try await connection.call(BlueZ.getManagedObjects, timeout: limit))
    } catch {
      return nil
    }
  }

  private static func busAddress(_ words: [String]) -> BusAddress {
    GivenOption.values(of: "--bus", in: words).first.map { BusAddress($0) } ?? .system
  }

  /// The names that the user gave to devices; a file that cannot be used names none.
  private static func names(_ words: [String]) -> DeviceNames {
    let file = KeysFile(
      given: GivenOption.values(of: "--keys", in: words).first, environment: Console.environment)
    return DeviceNames(keys: KeyStore(file: file) { _ in }) { _ in }
  }
}

/// A word for a shell to offer, with a description.
struct Candidate: Sendable, Hashable {
  var word: String
  var about: String?

  init(_ word: String, about: String? = nil) {
    self.word = word
    self.about = about
  }

  /// True if the word is safe to offer: bash expands words such as `$(reboot)`.
  ///
  /// Names come from the air, so only characters without a meaning in any shell are allowed: letters, digits,
  /// spaces and a few signs.
  var isHarmless: Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || " -_.+@%,/:".unicodeScalars.contains(scalar)
      }
  }

  /// The form for a shell, or nil if it cannot complete the word.
  ///
  /// bash supports no descriptions, and ends a word at a colon: only an address can do without.
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
