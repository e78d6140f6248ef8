// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import BlueZSimulator
internal import ValueStreams

extension PeripheralServer {
  /// What is printed about an event; nil for nothing.
  func record(of event: PeripheralEvent) -> ServedRecord? {
    let adapter = manager.assumeIsolated { $0.adapterInUse }
    func record(_ name: ServedRecord.Event, _ central: Central? = nil) -> ServedRecord {
      var record = ServedRecord(name, time: event.time)
      record.adapter = adapter?.name
      (record.address, record.name) = (central?.address, central?.name)
      return record
    }
    switch event.kind {
    case .advertisingStarted(let advertising):
      var record = record(.advertising)
      (record.address, record.name) = (adapter?.address, advertising.advertisement.name)
      return record
    case .connected(let central): return record(.connected, central)
    case .disconnected(let central): return record(.disconnected, central)
    case .subscribed(let characteristic):
      var record = record(.subscribed)
      record.attribute = attribute(characteristic)
      return record
    case .unsubscribed(let characteristic):
      var record = record(.unsubscribed)
      record.attribute = attribute(characteristic)
      return record
    case .read(let access), .wrote(let access), .refused(let access, _):
      var record = record(event.kind.word, access.central)
      record.attribute = ServedRecord.Attribute(access)
      record.offset = access.offset
      if case .refused(_, let error) = event.kind {
        record.error = error
      } else {
        record.value = access.value
      }
      return record
    case .state, .advertisingEnded, .isReady, .failed, .missed: return nil
    }
  }

  private func attribute(_ characteristic: PublishedCharacteristic) -> ServedRecord.Attribute? {
    candidates.first { $0.playedHandle == served(characteristic)?.handle }.map {
      ServedRecord.Attribute(
        service: $0.service, characteristic: $0.uuid, handle: $0.handle == 0 ? nil : $0.handle)
    }
  }

  /// The characteristics that CHAR may mean, with the handles that centrals see.
  var candidates: [ServedCandidate] {
    let services = played.services
    return characteristics.compactMap { characteristic in
      let service = services.first { service in
        service.characteristics.contains { $0.handle == characteristic.handle }
      }
      let published = characteristic.published
      let value = manager.assumeIsolated { $0.handle(of: published) }
      return service.map {
        ServedCandidate(
          service: $0.spec.uuid, uuid: characteristic.published.uuid, handle: value.map { $0 &- 1 } ?? 0,
          playedHandle: characteristic.handle)
      }
    }
  }
}

extension PeripheralEvent.Kind {
  /// What happened to an attribute.
  fileprivate var word: ServedRecord.Event {
    switch self {
    case .wrote: .written
    case .refused: .refused
    default: .read
    }
  }
}

extension ServedRecord.Attribute {
  /// The attribute of a request; a characteristic has the handle of its declaration, as `services` prints it.
  fileprivate init(_ access: AnsweredRequest) {
    self.init(
      service: access.service, characteristic: access.characteristic, descriptor: access.descriptor,
      handle: access.descriptor == nil ? access.handle.map { $0 &- 1 } : access.handle)
  }
}

// MARK: Control

extension PeripheralServer: ControlTarget {
  func perform(_ command: ControlCommand) async throws(ControlError) {
    let played = played
    try await Task(executorPreference: session.loop) { () -> Result<Void, ControlError> in
      do throws(ControlError) {
        return .success(try played.perform(command))
      } catch {
        return .failure(error)
      }
    }.value.get()
  }

  var state: SimulatorState {
    get async { await Task(executorPreference: session.loop) { self.currentState }.value }
  }

  private var currentState: SimulatorState {
    let (state, adapter) = manager.assumeIsolated { ($0.state, $0.adapterInUse) }
    return played.state(
      adapter: adapter.map {
        ($0.name, $0.address.map { "\($0)" } ?? "", state == .poweredOn, state == .blocked)
      }, isRunning: state != .serviceUnavailable && state != .busUnavailable)
  }
}
