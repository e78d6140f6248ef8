// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// Everything that happens from now on: devices found, lost, connected, disconnected, changed; values; adapters.
  ///
  /// Devices are found while this manager, or another program, scans: the events do not start a scan. If the manager
  /// was made for one adapter, only events of that adapter are reported. Existing objects cause no events.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped, and their number is reported.
  /// - Returns: the events.
  public func events(capacity: Int = 65_536) -> CentralEvents {
    let source = BatchSource<CentralEvent>(capacity: capacity, loop: loop) {
      CentralEvent(kind: .missed($0), time: .now)
    }
    let lease = Lease { [weak self, loop] in
      loop.submit { [weak self] in self?.assumeIsolated { $0.reporter.remove(source) } }
    }
    reporter.add(source, in: self)
    return CentralEvents(source) { () throws(BLEError) in lease }
  }

  /// A change of a device, as a library on top of this one follows it.
  package enum DeviceChange: Sendable {
    /// A device was found, or is linked, named or paired in another way; or, if it is not known, was forgotten.
    case changed(PeripheralInfo, isKnown: Bool)
    /// Services of the device were found, or have gone.
    case services(Peripheral.ID)
  }

  /// Follows the devices more cheaply than ``events(capacity:)``: values and signal strengths are no changes here.
  ///
  /// - Parameter observer: called on the loop's thread; replaces the one before.
  package func followDevices(by observer: @escaping @Sendable (DeviceChange) -> Void) {
    reporter.deviceObserver = observer
  }
}
