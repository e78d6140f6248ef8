// SPDX-License-Identifier: MIT
internal import DBus

/// What the manager does with one characteristic or descriptor: its requests, one at a time, and its subscription.
///
/// Lives from its first use until BlueZ forgets the attribute. Confined to the manager, which passes itself to what
/// calls BlueZ.
final class AttributeSession {
  let path: String
  let interface: String
  let device: DeviceSession
  /// The turns of requests, of which BlueZ does one at a time.
  let requests = SerialQueue()
  let subscribing = SerialQueue()
  /// The subscription of a characteristic.
  var notifications: NotifySession?
  /// Whether another program had notifications on when this manager last called StartNotify.
  var hadOtherSubscribers = false
  /// How many calls of StopNotify bluetoothd has not answered: `Notifying` may be ours until then.
  private(set) var stopsUnderWay = 0
  /// How many reads BlueZ has not answered yet, whether or not their callers still wait.
  var readsUnderWay = 0

  init(path: String, interface: String, device: DeviceSession) {
    self.path = path
    self.interface = interface
    self.device = device
  }

  func message(_ member: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: member, of: interface, at: path, to: BlueZ.service, body)
  }

  // MARK: The end of the subscription

  /// Calls StopNotify without waiting.
  func postStopNotify(in central: isolated CentralManager) {
    stopsUnderWay += 1
    central.begin(message("StopNotify"), timeout: CentralManager.lateReplyTime) { [weak central, path] _ in
      central?.assumeIsolated { central in
        central.attributeSessions[path]?.stopsUnderWay -= 1
        central.conditions.look(at: central.model, outage: central.outage)
      }
    }
  }

  /// The link is lost: what waits in a socket is still read.
  func linkLost(in central: isolated CentralManager) {
    notifications?.stopSignals(in: central)
    endNotifications(in: central)
  }

  func linkReleased(in central: isolated CentralManager) {
    notifications?.stop(in: central)
    end(.notificationsStopped(.disconnected, "the link was released"))
  }

  func attributeRemoved() { end(.notificationsStopped(.notFound, "the characteristic is gone")) }

  private func end(_ error: BLEError) {
    notifications?.end(error)
    notifications = nil
  }

  /// Ends the subscription, with a reason that is known already or becomes known in a moment.
  func endNotifications(because reason: BLEError? = nil, in central: isolated CentralManager) {
    guard let session = notifications else { return }
    notifications = nil
    if let reason, !session.hasSocket {
      session.end(reason)
    } else {
      session.endLater(because: reason, in: central)
    }
  }
}

/// An attribute that an operation is about.
struct AttributeTarget: Sendable {
  let path: String
  let devicePath: String
  let interface: String
  let operation: Operation
}

extension CentralManager {
  func attributeSession(_ target: AttributeTarget) -> AttributeSession {
    attributeSession(target.path, target.interface, of: deviceSession(target.devicePath))
  }

  func attributeSession(_ path: String, _ interface: String, of device: DeviceSession) -> AttributeSession {
    if let session = attributeSessions[path] { return session }
    let session = AttributeSession(path: path, interface: interface, device: device)
    attributeSessions[path] = session
    return session
  }

  /// Whether bluetoothd has not yet answered a StopNotify for the device.
  func isStoppingNotifications(of devicePath: String) -> Bool {
    attributeSessions.values.contains { $0.device.path == devicePath && $0.stopsUnderWay > 0 }
  }

  func attributes(of device: DeviceSession) -> [AttributeSession] {
    attributeSessions.values.filter { $0.device === device }
  }
}
