// SPDX-License-Identifier: MIT

/// How long things take.
///
/// What the daemon fixes is as long as there; what radio decides is short.
package struct SimulatorTiming: Sendable, Hashable {
  /// From the call to a running scan.
  package var scanStart = Duration.milliseconds(5)
  /// From the call to the link, for a peripheral that advertises.
  package var connect = Duration.milliseconds(30)
  /// From the link to the services.
  package var serviceDiscovery = Duration.milliseconds(40)
  /// From an ATT request to its response.
  package var attResponse = Duration.zero
  /// How long a packet of a link is under way, one at a time in each direction.
  package var packetTime = Duration.zero
  /// How long the kernel lets a controller try to connect to a peripheral that was heard, while others wait.
  package var controllerAttempt = Duration.seconds(4)
  /// For powering an adapter on or off.
  package var power = Duration.milliseconds(20)
  /// How long an attempt to connect lasts when nobody answers.
  package var connectTimeout = Duration.seconds(40)
  /// How long an ATT request may go unanswered.
  package var attTimeout = Duration.seconds(30)
  /// From an unanswered ATT request to the end of the link.
  package var attTeardown = Duration.seconds(2)
  /// What the daemon waits in `Disconnect` before it acts.
  package var disconnect = Duration.seconds(2)
  /// From the end of the services to the end of the link.
  package var linkTeardown = Duration.milliseconds(5)
  /// How long a device that is only heard of is remembered.
  package var temporaryDevice = Duration.seconds(30)

  package init() {}

  /// Like the real one but with the daemon's long waits cut short, for tests.
  package static let brisk: SimulatorTiming = {
    var timing = SimulatorTiming()
    timing.connect = .milliseconds(5)
    timing.serviceDiscovery = .milliseconds(5)
    timing.power = .milliseconds(2)
    timing.disconnect = .milliseconds(50)
    timing.attTeardown = .milliseconds(50)
    return timing
  }()
}
