// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Values that are sent to the centrals that have subscribed.
extension PeripheralManager {
  /// How long a central may take to confirm an indication; bluetoothd gives up after the same time.
  private static let confirmationTime = Duration.seconds(30)

  func value(of characteristic: PublishedCharacteristic) -> [UInt8] { attribute(characteristic)?.value ?? [] }

  /// The handle of the value, at once.
  package func handle(of characteristic: PublishedCharacteristic) -> UInt16? {
    guard publications[characteristic.service]?.registration != nil else { return nil }
    return attribute(characteristic)?.handle
  }

  func isSubscribed(_ characteristic: PublishedCharacteristic) -> Bool {
    attribute(characteristic)?.isSubscribed ?? false
  }

  func attribute(_ characteristic: PublishedCharacteristic) -> ServedAttribute? {
    guard let publication = publications[characteristic.service] else { return nil }
    return publication.numbered[characteristic.index]
  }

  /// Does what ``PublishedCharacteristic/update(_:)`` does, at once.
  package func update(
    _ characteristic: PublishedCharacteristic, to value: [UInt8]
  ) throws(BLEError) -> Bool {
    let attribute = try checked(characteristic, value, for: .update(characteristic.uuid, for: nil))
    if attribute.sendAtOnce(value) { return true }
    guard attribute.isSubscribed else {
      attribute.value = value
      return true
    }
    if let socket = attribute.socket(for: value) {
      if let isSent = send(value, over: socket, of: attribute, characteristic) {
        if isSent { attribute.value = value }
        return isSent
      }
      // bluetoothd has closed it; the loop reports that later.
      attribute.window.refuse()
      return false
    }
    guard isDrained(attribute, characteristic), attribute.window.take() else { return false }
    attribute.value = value
    signal(value, of: attribute, characteristic)
    return true
  }

  /// The attribute that takes a value.
  func checked(
    _ characteristic: PublishedCharacteristic, _ value: [UInt8], for action: BLEError.Action
  ) throws(BLEError) -> ServedAttribute {
    guard value.count <= LocalCharacteristic.maximumLength else {
      throw BLEError(
        .invalidLength, during: action,
        "\(value.count) bytes are too many: \(LocalCharacteristic.maximumLength) at most")
    }
    guard let attribute = attribute(characteristic) else {
      throw BLEError(.notFound, during: action, "its service is not published any more")
    }
    return attribute
  }

  private func signal(
    _ value: [UInt8], of attribute: ServedAttribute, _ characteristic: PublishedCharacteristic
  ) {
    let message = attribute.signal(of: value)
    client.connection.assumeIsolated { _ = try? $0.send(message) }
    if attribute.window.isConfirmed {
      let generation = attribute.window.generation
      let deadline = LoopClock.now + Self.confirmationTime
      attribute.window.confirmationTimer = loop.schedule(at: deadline) { [weak self] in
        self?.assumeIsolated { $0.arrived(1, of: generation, characteristic) }
      }
    } else if let count = attribute.window.sent() {
      cover(count, of: attribute, characteristic)
    }
  }

  /// Makes the round trip that shows that so many values have arrived.
  func cover(_ count: Int, of attribute: ServedAttribute, _ characteristic: PublishedCharacteristic) {
    let generation = attribute.window.generation
    // Without a limit: while bluetoothd hangs, there is no room.
    client.begin(BlueZ.ping, timeout: nil) { [weak self] _ in
      self?.assumeIsolated { $0.arrived(count, of: generation, characteristic) }
    }
  }

  private func arrived(_ count: Int, of generation: Int, _ characteristic: PublishedCharacteristic) {
    guard let attribute = attribute(characteristic) else { return }
    if attribute.window.arrived(count, of: generation) { report(.isReady(characteristic)) }
  }

  /// A central has confirmed an indication.
  func confirmed(_ attribute: ServedAttribute, _ characteristic: PublishedCharacteristic) {
    guard attribute.window.isConfirmed else { return }
    if let timer = attribute.window.confirmationTimer { loop.cancel(timer) }
    attribute.window.confirmationTimer = nil
    arrived(1, of: attribute.window.generation, characteristic)
  }

  // MARK: One after another

  /// Does what ``PublishedCharacteristic/update(_:)`` does, in a turn of its own.
  func updateInTurn(_ characteristic: PublishedCharacteristic, to value: [UInt8]) throws(BLEError) -> Bool {
    characteristic.served.beginTurn()
    return try update(characteristic, to: value)
  }

  func send(
    _ value: [UInt8], from characteristic: PublishedCharacteristic, timeout: Duration?
  ) async throws(BLEError) {
    if try updateInTurn(characteristic, to: value) { return }
    let operation = Operation(.update(characteristic.uuid, for: nil), timeout: timeout)
    repeat {
      try await waitForRoom(characteristic, operation)
    } while try !update(characteristic, to: value)
  }

  func send(
    contentsOf values: ArraySlice<[UInt8]>, from characteristic: PublishedCharacteristic, timeout: Duration?
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    characteristic.served.beginTurn()
    for index in values.indices {
      if !characteristic.served.takeTurn() {
        await Task.yield()
        characteristic.served.beginTurn()
      }
      do throws(BLEError) {
        while try !update(characteristic, to: values[index]) {
          try await waitForRoom(
            characteristic, Operation(.update(characteristic.uuid, for: nil), timeout: deadline.remaining))
        }
      } catch {
        throw BLEError(
          error.code, during: error.action,
          "\(error.message) (\(index) of \(values.endIndex) values were sent)")
      }
    }
  }

  /// Waits until there may be room.
  func waitForRoom(
    _ characteristic: PublishedCharacteristic, _ operation: Operation
  ) async throws(BLEError) {
    guard let wait = attribute(characteristic)?.window.wait() else { return }
    guard try await wait.value(for: operation, on: loop) != nil else {
      throw operation.error(.timedOut, "the values before it are still on their way")
    }
  }
}
