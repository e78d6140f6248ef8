// SPDX-License-Identifier: MIT
internal import BlueZClient

extension CentralManager {
  /// Switches an adapter on or off, and waits for the new state.
  ///
  /// BlueZ: sets Adapter1.Powered. Switching an adapter off ends the links and scans of all programs.
  ///
  /// - Parameters:
  ///   - isOn: whether to switch it on.
  ///   - adapter: the adapter.
  ///   - timeout: how long it may take; nil sets no limit.
  /// - Throws: ``BLEError``: `blocked` by rfkill, `accessDenied`, `noAdapter` when the adapter is gone,
  ///   `timedOut` …
  public func setPowered(
    _ isOn: Bool, adapter: Adapter, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) {
    let operation = Operation(.setPower(adapter: adapter.id, isOn: isOn), timeout: timeout)
    try await perform { (core) throws(BLEError) in
      try await core.setPowered(isOn, adapter: adapter.id, operation)
    }
  }

}

extension CentralCore {
  fileprivate func setPowered(
    _ isOn: Bool, adapter: String, _ operation: Operation
  ) async throws(BLEError) {
    let path = BlueZ.rootPath + "/" + adapter
    let gone = operation.error(.noAdapter, "there is no Bluetooth adapter \(adapter)")
    guard let record = client.model.adapters[path] else { throw gone }
    if record.isPowered == isOn { return }
    try await client.call(BlueZ.call(toSet: "Powered", of: BlueZ.adapter, at: path, to: isOn), for: operation)
    let isDone: Bool? = try await wait(for: operation) { model in
      guard let adapter = model.adapters[path] else { return .failure(gone) }
      return adapter.isPowered == isOn ? .success(true) : nil
    }
    if isDone == nil {
      throw operation.error(.timedOut, "the adapter does not follow")
    }
  }
}
