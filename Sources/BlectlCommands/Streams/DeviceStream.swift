// SPDX-License-Identifier: MIT
internal import BLECentral

/// The values of some characteristics of one device, on their way to the outputs.
final class DeviceStream: Sendable {
  private let wanted: [CharacteristicArgument]
  private let path: NotificationPath
  private let left: Countdown
  private let outputs: StreamOutputs
  private let session: Session

  init(
    _ wanted: [CharacteristicArgument], via path: NotificationPath, left: Countdown, outputs: StreamOutputs,
    session: Session
  ) {
    self.wanted = wanted
    self.path = path
    self.left = left
    self.outputs = outputs
    self.session = session
  }

  /// Subscribes, and sends what comes to the outputs, until enough have come, or the link is lost.
  ///
  /// - Throws: why it ended early.
  func run(over link: Link) async throws {
    var event = LinkRecord.Event.connected
    while true {
      do {
        return try await listen(to: link, event)
      } catch let error as BLEError where error.code == .disconnected {
        // A link that was going down when we joined it: nothing was promised over it yet.
        if try await link.reopen() {
          event = .reconnected
          continue
        }
        throw error
      } catch {
        if let error = error as? BLEError {
          outputs.send(
            .link(LinkRecord(event: .disconnected, address: link.info.address, reason: error.message)))
        }
        throw error
      }
    }
  }

  private func listen(to link: Link, _ event: LinkRecord.Event) async throws {
    var sources: [(GATTCharacteristic, Notifications)] = []
    for characteristic in try await link.characteristics(wanted) {
      sources.append((characteristic, try await subscribe(characteristic, link)))
    }
    outputs.send(.link(LinkRecord(event: event, address: link.info.address)))
    let (info, loop) = (link.info, session.loop)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (characteristic, notifications) in sources {
        group.addTask(executorPreference: loop) {
          try await self.forward(notifications, of: characteristic, info)
        }
      }
      defer { group.cancelAll() }
      try await group.next()  // the first to end, by its count or its error, ends all
    }
  }

  private func subscribe(_ characteristic: GATTCharacteristic, _ link: Link) async throws -> Notifications {
    let (path, timeout) = (path, session.timeout)
    return try await session.showingProgress("subscribing to \(characteristic.uuid)") {
      try await link.perform { peripheral throws(BLEError) in
        try await peripheral.notifications(for: characteristic, via: path, timeout: timeout)
      }
    }
  }

  /// Sends what comes, batch by batch, until the count is reached or the link is lost.
  private func forward(
    _ notifications: Notifications, of characteristic: GATTCharacteristic, _ info: PeripheralInfo
  ) async throws {
    let meaning = ValueMeaning(of: characteristic.uuid)
    while let batch = try await notifications.nextBatch() {
      let count = left.take(batch.notifications.count)
      outputs.send(
        .values(
          ValueBatch(
            address: info.address, name: info.name, characteristic: characteristic, meaning: meaning,
            way: notifications.path == .socket ? .socket : .signal,
            notifications: batch.notifications.prefix(count))))
      if left.isOver { return }
    }
  }
}
