// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// Returns all events from now on: devices found, lost, connected, disconnected, changed; values; adapters.
  ///
  /// This does not start a scan: devices are found while this manager or another program scans. A manager
  /// made for one adapter reports only events of that adapter. Existing objects cause no events. The events keep the
  /// manager, until it is closed or they are released.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped and counted.
  /// - Returns: the events.
  public func events(capacity: Int = 65_536) -> CentralEvents {
    let source = BatchSource<CentralEvent>(capacity: capacity, loop: loop) {
      CentralEvent(kind: .missed($0), time: .now)
    }
    let lease = Lease(on: loop) { [weak core] in core?.reporter.remove(source) }
    core.reporter.add(source)
    core.inBackground { [core] in await core.sessions.followLinkEnds() }
    // Devices refer to their manager, so events that wait would keep it anyway: then always.
    return CentralEvents(source) { [self] () throws(BLEError) in withExtendedLifetime(self) { lease } }
  }

  /// A change of a device, reported to a library on top of this one.
  package enum DeviceChange: Sendable {
    /// A device was found, or its link, name or pairing changed; `isKnown` is false when BlueZ forgot it.
    case changed(PeripheralInfo, isKnown: Bool)
    /// Services of the device appeared or disappeared.
    case services(Peripheral.ID)
  }

  /// Follows the devices on the loop's thread, without values and signal strengths; replaces an earlier
  /// observer.
  package func followDevices(by observer: @escaping @Sendable (DeviceChange) -> Void) {
    core.reporter.deviceObserver = observer
  }
}
