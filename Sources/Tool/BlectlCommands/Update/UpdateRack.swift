// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlSession

/// The updates of several devices: what became of each.
final class UpdateRack: Sendable {
  private struct State {
    /// The boards of the devices that are being updated.
    var boards: [DeviceArgument: UpdateBoard] = [:]
    /// The devices that are done, with their failures; nil for success.
    var ended: [DeviceArgument: CommandError?] = [:]
    var alreadyThere: Set<DeviceArgument> = []
    /// The addresses of all devices that were found.
    var addresses: Set<BluetoothAddress> = []
  }

  /// The devices that a progress line has room for.
  private static let shownCount = 3

  private let state = Lock(State())

  /// The devices that are not tried again.
  var ended: Set<DeviceArgument> { state.withLock { Set($0.ended.keys) } }
  var endedCount: Int { state.withLock { $0.ended.count } }

  func begin(_ devices: [DeviceArgument]) {
    let boards = devices.map { ($0, UpdateBoard()) }
    state.withLock { state in
      state.boards = Dictionary(uniqueKeysWithValues: boards)
      state.addresses.formUnion(devices.compactMap(\.address))
    }
  }

  /// The addresses of the other devices.
  func addresses(without device: DeviceArgument) -> Set<BluetoothAddress> {
    state.withLock(\.addresses).subtracting([device.address].compactMap(\.self))
  }

  func board(of device: DeviceArgument) -> UpdateBoard {
    state.withLock { $0.boards[device] } ?? UpdateBoard()
  }

  /// Takes the result of an update; nil is that of a dry run.
  func note(_ result: UpdateResult?, of device: DeviceArgument) {
    state.withLock { state in
      state.boards[device] = nil
      if result?.proof == .already { state.alreadyThere.insert(device) }
    }
  }

  /// Takes the end of the work with a device, unless it is tried again.
  func end(_ device: DeviceArgument, _ failure: CommandError?, isFinal: Bool) {
    state.withLock { state in
      state.boards[device] = nil
      if isFinal { state.ended.updateValue(failure, forKey: device) }
    }
  }

  // MARK: Words

  /// `updating 4 devices: F0:F1:F2:F3:F4:F5 48 %, F0:F1:F2:F3:F4:F6 waiting`.
  var text: String {
    let boards = state.withLock(\.boards).sorted { "\($0.key)" < "\($1.key)" }
    let busy = boards.filter { $0.value.stage != nil }
    let shown = busy.prefix(Self.shownCount).map { "\($0.key) \($0.value.shortText)" }
    let more = busy.count > shown.count ? ", …" : ""
    let list = shown.isEmpty ? "" : ": \(shown.joined(separator: ", "))\(more)"
    return "updating \(boards.count) device\(boards.count == 1 ? "" : "s")\(list)"
  }

  func waitingText(for device: DeviceArgument) -> String {
    let count = endedCount
    return count == 0 ? "looking for \(device)" : "\(count) done; waiting for \(device)"
  }

  /// `updated 3 of 4 devices; 1 ran the firmware before`.
  func summary(isDryRun: Bool) -> String {
    let (ended, there) = state.withLock { ($0.ended, $0.alreadyThere) }
    let good = ended.values.count { $0 == nil }
    let verb = isDryRun ? "examined" : "updated"
    let before =
      there.isEmpty ? "" : "; \(there.count) of them ran the firmware before"
    return "\(verb) \(good) of \(ended.count) device\(ended.count == 1 ? "" : "s")\(before)"
  }

  /// One error for all devices; nil if all succeeded.
  var failure: CommandError? {
    let ended = state.withLock(\.ended).sorted { "\($0.key)" < "\($1.key)" }
    return DeviceJobs.summary(of: "update", ended.map { ("\($0.key)", $0.value) })
  }
}
