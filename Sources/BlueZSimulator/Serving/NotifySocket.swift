// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// The daemon's end of the socket that AcquireNotify of a client has returned: each packet is a notification.
final class NotifySocket {
  /// Whom its notifications are for.
  enum Audience: Hashable {
    case everybody
    /// The central with this address.
    case central(String)
  }

  private let source: PacketSource

  /// Fails if the reply has no descriptor.
  ///
  /// - Parameters:
  ///   - reply: the reply of AcquireNotify.
  ///   - loop: the loop of the simulation.
  ///   - received: called with the packets, in order.
  ///   - ended: called when the client has closed its end.
  init?(
    _ reply: Message, on loop: EventLoop, received: @escaping ([[UInt8]]) -> Void,
    ended: @escaping () -> Void
  ) {
    guard let descriptor = reply.takeDescriptor(at: 0) else { return nil }
    nonisolated(unsafe) let received = received  // called on the loop, where all of this lives
    nonisolated(unsafe) let ended = ended
    source = PacketSource(
      adopting: descriptor, on: loop, received: { received($0) }, ended: { ended() })
  }

  /// While true, the daemon takes nothing from it.
  var isPaused: Bool {
    get { source.isPaused }
    set { source.isPaused = newValue }
  }

  func close() { source.close() }
}
