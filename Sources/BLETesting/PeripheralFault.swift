// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A fault of a peripheral, which lasts until it is healed.
///
/// `times` limits how often it happens; nil is without limit.
public struct PeripheralFault: Sendable, Hashable {
  let action: PeripheralAction

  /// Attempts to connect fail, with the error that bluetoothd returns for a peripheral that refuses.
  public static func refuseConnections(times: Int? = nil) -> PeripheralFault {
    PeripheralFault(action: .refuseConnect(times: times))
  }

  /// Attempts to connect hang, until bluetoothd gives up after 40 seconds.
  public static func hangConnections(times: Int? = nil) -> PeripheralFault {
    PeripheralFault(action: .hangConnect(times: times))
  }

  /// It closes each link after a number of reads and writes, at least 1; those of bluetoothd itself count too.
  public static func dropLinks(afterOperations count: Int) -> PeripheralFault {
    PeripheralFault(action: .dropAfterOperations(count))
  }

  /// It closes each link after some time.
  public static func dropLinks(after time: Duration) -> PeripheralFault {
    PeripheralFault(action: .dropAfterTime(time))
  }

  /// Each packet of its links takes some time, one at a time in each direction.
  public static func slowLinks(packetTime: Duration) -> PeripheralFault {
    PeripheralFault(action: .slowLink(packetTime))
  }

  /// The discovery of its services takes longer.
  public static func delayServices(by delay: Duration) -> PeripheralFault {
    PeripheralFault(action: .delayServices(delay))
  }

  /// Its advertisements are lost: it can be neither found nor connected to.
  ///
  /// An open link stays.
  public static let loseAdvertisements = PeripheralFault(action: .loseAdverts())

  /// Its advertisements arrive without its name.
  public static func loseNames(times: Int? = nil) -> PeripheralFault {
    PeripheralFault(action: .loseNames(times: times))
  }
}
