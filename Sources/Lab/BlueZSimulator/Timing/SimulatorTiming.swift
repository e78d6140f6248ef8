// SPDX-License-Identifier: MIT

/// The durations of a simulation: those that bluetoothd fixes are its own, those of the radio are short.
package struct SimulatorTiming: Sendable, Hashable {
  /// The time from StartDiscovery to a running scan.
  package var scanStart = Duration.milliseconds(5)
  /// From Connect to the link, for a peripheral that advertises.
  package var connect = Duration.milliseconds(30)
  /// The time from a request to pair to the peripheral's answer.
  package var pairing = Duration.milliseconds(30)
  /// The timeout of a pairing in which nothing happens.
  package var pairingTimeout = Duration.seconds(30)
  /// The time from the link to the discovered services.
  package var serviceDiscovery = Duration.milliseconds(40)
  /// The time from an ATT request to its response.
  package var attResponse = Duration.zero
  /// The time per packet in each direction of a link.
  package var packetTime = Duration.zero
  /// The longest time that an attempt to connect to an advertising peripheral may block others.
  package var controllerAttempt = Duration.seconds(4)
  /// The time to power an adapter on or off.
  package var power = Duration.milliseconds(20)
  /// The timeout of an attempt to connect.
  package var connectTimeout = Duration.seconds(40)
  /// The timeout of an ATT request.
  package var attTimeout = Duration.seconds(30)
  /// The longest time that a client may take to answer a request of a central.
  package var applicationTimeout = Duration.seconds(5)
  /// The time from an unanswered ATT request to the end of the link.
  package var attTeardown = Duration.seconds(2)
  /// The time from `Disconnect` to the controller's request to end the link.
  package var disconnect = Duration.seconds(2)
  /// From that request to the end of the services, besides two packets; no property shows it.
  package var linkTermination = Duration.milliseconds(20)
  /// The longest time for those two packets: the kernel's supervision timeout.
  package var supervision = Duration.milliseconds(420)
  /// The time from the end of the services to the end of the link.
  package var linkTeardown = Duration.milliseconds(5)
  /// The time for which a temporary device is kept without advertisements.
  package var temporaryDevice = Duration.seconds(30)

  package init() {}

  /// Shorter waits of the daemon, for tests.
  package static let brisk: SimulatorTiming = {
    var timing = SimulatorTiming()
    timing.connect = .milliseconds(5)
    timing.pairing = .milliseconds(2)
    timing.serviceDiscovery = .milliseconds(5)
    timing.power = .milliseconds(2)
    timing.disconnect = .milliseconds(50)
    timing.linkTermination = .milliseconds(2)
    timing.attTeardown = .milliseconds(50)
    return timing
  }()
}
