// SPDX-License-Identifier: MIT
internal import DBus

extension Peripheral {
  /// Writes values to a characteristic in their order, and returns when the device has received them all.
  ///
  /// BlueZ: with a response WriteValue, one after the other, each confirmed by the device before the next is sent.
  /// Without, the socket of AcquireWrite, which is by far the cheapest; nobody else can write to the characteristic
  /// meanwhile, and a program that holds the socket already is waited for. Where BlueZ gives none, WriteValue with up to
  /// four calls under way, whose order BlueZ keeps.
  ///
  /// bluetoothd takes writes without response long before the link has carried them. They are therefore sent in windows
  /// of up to 128, with a small read behind each, whose answer proves that they arrived. Whether the device accepted the
  /// values is not known.
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
    let target = characteristic.target(of: self, verb: "write")
    if type == .withoutResponse, let mtu = characteristic.mtu,
      let longest = values.lazy.map({ $0.count }).max(), longest > mtu - 3
    {
      throw BLEError(
        .invalidLength, operation: target.operation,
        message: "\(longest) bytes do not fit a write without response: \(mtu - 3) at most")
    }
    try await central.write(values, target, type, timeout, progress)
  }

  /// Waits until the device has received every write without response that this manager has sent to it.
  ///
  /// Returns at once when an answer of the device has proved that already.
  ///
  /// BlueZ: ReadValue of a harmless attribute: ATT sends it only behind the writes that are queued.
  ///
  /// - Parameter timeout: how long the device may take; nil is without limit.
  /// - Throws: ``BLEError``: `disconnected` when the link was lost before, so that it is not known how many arrived;
  ///   `timedOut` …
  public func confirmWrites(timeout: Duration? = .seconds(35)) async throws(BLEError) {
    try await central.confirmWrites(self, Deadline(after: timeout))
  }
}
