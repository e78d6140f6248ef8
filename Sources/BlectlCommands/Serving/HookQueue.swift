// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

/// The written values for which the command of `--exec` still has to run, one at a time and in order.
///
/// Only tasks on the loop use it.
final class HookQueue: @unchecked Sendable {
  /// How many values may wait.
  private static let limit = 4096

  private let hook: EventHook
  private let records: AsyncStream<ServedRecord>
  private let continuation: AsyncStream<ServedRecord>.Continuation
  private var hasDropped = false

  init(_ hook: EventHook) {
    self.hook = hook
    (records, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
  }

  /// Adds a written value; says once that the command is too slow.
  func add(_ record: ServedRecord) {
    guard case .dropped = continuation.yield(record), !hasDropped else { return }
    hasDropped = true
    hook.session.console.warn("the command of --exec is too slow: it does not run for every written value")
  }

  /// Runs the command for each value, until it is cancelled.
  func run() async throws {
    for await record in records { try await hook.run(record) }
  }
}

extension ServedRecord: HookRecord {
  var hookEvent: String { event.rawValue }
  var hookAddress: BluetoothAddress? { address }
  var hookVariables: [String: String] {
    var variables = ["BLECTL_NAME": name ?? ""]
    variables["BLECTL_ADAPTER"] = adapter
    variables["BLECTL_SERVICE"] = attribute?.service.longForm
    variables["BLECTL_CHARACTERISTIC"] = attribute?.characteristic.longForm
    variables["BLECTL_DESCRIPTOR"] = attribute?.descriptor?.longForm
    variables["BLECTL_VALUE"] = value.map { Hex.string($0) }
    return variables
  }
}
