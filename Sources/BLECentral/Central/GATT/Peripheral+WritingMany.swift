// SPDX-License-Identifier: MIT

extension Peripheral {
  /// Writes values to a characteristic in order, and returns when the device has received all of them.
  ///
  /// BlueZ: with a response WriteValue, one after the other, each confirmed by the device before the next is sent.
  /// Without, the socket of AcquireWrite, which is by far the cheapest. No other program can write to the
  /// characteristic meanwhile; if one holds the socket already, this waits for it. Where BlueZ gives no socket,
  /// WriteValue with up to four calls under way, whose order BlueZ keeps.
  ///
  /// bluetoothd accepts writes without response long before the link has carried them. They are therefore sent in
  /// windows of up to 128, each followed by a small read whose answer proves that they arrived. Whether the device
  /// accepted the values is unknown.
  ///
  /// - Parameters:
  ///   - values: up to 512 bytes each; without a response no more than the MTU less 3, which is checked before anything
  ///     is sent.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response.
  ///   - timeout: how long each value may take; nil is without limit.
  ///   - progress: called on the manager's executor with the number of values that are certain to have arrived, as it
  ///     grows: by one with a response, by a window without.
  /// - Throws: ``BLEError`` as the write of one value does; when a value was written before,
  ///   ``BLEError/mayHaveTakenEffect`` is set.
  public func writeValues(
    _ values: [[UInt8]], for characteristic: GATTCharacteristic, type: WriteType = .withResponse,
    timeout: Duration? = .seconds(35), progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, verb: "write", nil)
    if type == .withoutResponse, let mtu = characteristic.mtu,
      let longest = values.lazy.map({ $0.count }).max(), longest > mtu - 3
    {
      throw target.operation.error(
        .invalidLength, "\(longest) bytes do not fit a write without response: \(mtu - 3) at most")
    }
    try await central.write(values, target, type, each: timeout, progress)
  }

  /// Waits until the device has received every write without response that this manager has sent to it.
  ///
  /// Returns at once when an answer of the device has already proved it.
  ///
  /// BlueZ: ReadValue of a harmless attribute: ATT sends it only behind the writes that are queued.
  ///
  /// - Parameter timeout: how long the device may take; nil is without limit.
  /// - Throws: ``BLEError``: `disconnected` when the link was lost before, so that it is not known how many arrived;
  ///   `timedOut` …
  public func confirmWrites(timeout: Duration? = .seconds(35)) async throws(BLEError) {
    try await central.confirmWrites(self, timeout)
  }
}
