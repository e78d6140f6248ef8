// SPDX-License-Identifier: MIT
internal import DBus

extension Peripheral {
  /// Writes many values to a characteristic, in their order.
  ///
  /// BlueZ: with a response WriteValue, one after the other, each confirmed by the device before the next is sent.
  /// Without, the socket of AcquireWrite, which is by far the cheapest; nobody else can write to the characteristic
  /// meanwhile. Where BlueZ gives none, WriteValue with up to four calls under way, whose order BlueZ keeps.
  ///
  /// Without a response nobody tells whether the device took a value: those counted have been taken by bluetoothd, which
  /// sends them as fast as the link allows.
  ///
  /// - Parameters:
  ///   - values: up to 512 bytes each; without a response no more than the MTU less 3, which is looked at before
  ///     anything is sent.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response.
  ///   - timeout: how long each value may take; nil is without limit.
  ///   - progress: called on the manager's executor with the number of values written so far, as it grows: by one with a
  ///     response, by what the socket takes at once without.
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
}
