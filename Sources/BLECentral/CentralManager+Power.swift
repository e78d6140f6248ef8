// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

extension CentralManager {
  /// Switches an adapter on or off, and waits until it is.
  ///
  /// BlueZ: sets Adapter1.Powered. Switching off ends every link and scan of every program.
  ///
  /// - Parameters:
  ///   - isOn: whether to switch it on.
  ///   - adapter: the adapter.
  ///   - timeout: how long it may take; nil is without limit.
  /// - Throws: ``BLEError``: `blocked` by rfkill, `accessDenied`, `noAdapter` when it is gone, `timedOut` …
  public func setPowered(
    _ isOn: Bool, adapter: Adapter, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) {
    let operation = Operation(.setPower(adapter: adapter.id, isOn: isOn), timeout: timeout)
    let path = BlueZ.rootPath + "/" + adapter.id
    let gone = operation.error(.noAdapter, "there is no Bluetooth adapter \(adapter.id)")
    guard let record = model.adapters[path] else { throw gone }
    if record.isPowered == isOn { return }
    try await call(BlueZ.call(toSet: "Powered", of: BlueZ.adapter, at: path, to: isOn), for: operation)
    let isDone: Bool? = try await wait(for: operation) { model in
      guard let adapter = model.adapters[path] else { return .failure(gone) }
      return adapter.isPowered == isOn ? .success(true) : nil
    }
    if isDone == nil {
      throw operation.error(.timedOut, "the adapter does not follow")
    }
  }
}
