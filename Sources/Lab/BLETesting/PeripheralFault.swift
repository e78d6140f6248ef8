// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A fault of a peripheral, which lasts until it is healed.
///
/// `times` limits the number of times that it applies; nil sets no limit.
public struct PeripheralFault: Sendable, Equatable {
  let action: PeripheralAction

  private init(_ action: PeripheralAction) { self.action = action }

  /// Makes attempts to connect fail, with the error that bluetoothd returns for a peripheral that refuses.
  public static func refuseConnections(times: Int? = nil) -> Self { Self(.refuseConnect(times: times)) }

  /// Makes attempts to connect hang until bluetoothd gives up after 40 seconds.
  public static func hangConnections(times: Int? = nil) -> Self { Self(.hangConnect(times: times)) }

  /// Hides from clients that a link was opened, as a busy bluetoothd does now and then: it does not signal `Connected`.
  public static func hideConnections(times: Int? = nil) -> Self { Self(.hideConnected(times: times)) }

  /// Closes each link after a number of reads and writes, including those of bluetoothd itself; 0 is never.
  public static func dropLinks(afterOperations count: Int) -> Self { Self(.dropAfterOperations(count)) }

  /// Closes each link after some time.
  public static func dropLinks(after time: Duration) -> Self { Self(.dropAfterTime(time)) }

  /// Slows links down to one packet at a time in each direction, each of which takes `packetTime`.
  public static func slowLinks(packetTime: Duration) -> Self { Self(.slowLink(packetTime)) }

  /// Delays the discovery of its services.
  public static func delayServices(by delay: Duration) -> Self { Self(.delayServices(delay)) }

  /// Moves its characteristics to other handles within their services, as a change of its firmware may: bluetoothd
  /// goes on with those that it has cached.
  public static func moveAttributes(by distance: UInt16) -> Self { Self(.moveAttributes(by: distance)) }

  /// Loses its advertisements: it can be neither found nor connected to, but an open link stays.
  public static let loseAdvertisements = PeripheralFault(.loseAdverts())

  /// Removes its name from its advertisements.
  public static func loseNames(times: Int? = nil) -> Self { Self(.loseNames(times: times)) }
}
