// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The requests of a client over its link, one at a time and in their order; confined to the loop's thread.
final class LinkRequests {
  enum Request {
    case attribute(ClientMessage, RemoteAttribute)
    case pair
    case unpair

    /// True for a write without an answer, with which clients stream.
    var isCommand: Bool {
      if case .attribute(.write(_, _, withResponse: false), _) = self { true } else { false }
    }

    /// True for a value that no attribute takes, and that should not wait.
    var isTooLong: Bool {
      if case .attribute(.write(_, let value, _), _) = self { value.count > 512 } else { false }
    }
  }

  /// Clients wait for 30 s.
  static let time = Duration.seconds(25)
  /// More do not wait: clients send one after the other, or a few.
  static let most = 64
  /// Of those without an answer, a client sends as many as it has at once.
  static let mostCommands = 1024
  /// Insufficient resources.
  private static let tooMany = ATTError(code: 0x11)

  private let peripheral: Peripheral
  private let table: HandleTable
  private unowned let link: ProxyLink
  private let links: ProxyLinks
  private let loop: EventLoop
  private var waiting: [Request] = []
  private var task: Task<Void, Never>?
  /// The tasks that pass on the notifications of characteristics, by handle.
  private var notifying: [UInt16: Task<Void, Never>] = [:]
  private var unpairing: Promise<Void>?
  private var isOver = false

  init(
    _ peripheral: Peripheral, _ table: HandleTable, of link: ProxyLink, in links: ProxyLinks,
    on loop: EventLoop
  ) {
    (self.peripheral, self.table, self.link, self.links, self.loop) = (peripheral, table, link, links, loop)
  }

  private func send(_ message: ServerMessage) {
    if !isOver { link.owner.send(message) }
  }

  func take(_ request: Request) {
    if request.isTooLong { return refuse(request, with: .invalidAttributeValueLength) }
    let isCommand = request.isCommand
    guard waiting.count(where: { $0.isCommand == isCommand }) < (isCommand ? Self.mostCommands : Self.most)
    else { return refuse(request, with: Self.tooMany) }
    waiting.append(request)
    if task == nil { task = loop.spawn { [self] in await serve() } }
  }

  private func refuse(_ request: Request, with error: ATTError) {
    let number = Int32(error.code)
    switch request {
    case .attribute(_, let attribute): send(.failed(attribute, error: number))
    case .pair: send(.paired(link.address, isPaired: false, error: number))
    case .unpair: send(.unpaired(link.address, isDone: false, error: number))
    }
  }

  /// Ends the requests, of which none is answered any more, and the notifications.
  func end() {
    isOver = true
    waiting = []
    task?.cancel()
    for task in notifying.values { task.cancel() }
    notifying = [:]
  }

  /// Returns when the answer about a bond that is being deleted was sent: it ends the link.
  func finishUnpairing() async { await unpairing?.value(ifCancelled: ()) }

  private func serve() async {
    while !waiting.isEmpty, !isOver {
      switch waiting.removeFirst() {
      case .attribute(let message, let attribute): await perform(message, attribute)
      case .pair: await pair()
      case .unpair: await unpair()
      }
    }
    task = nil
  }

  // MARK: Attributes

  private func perform(_ message: ClientMessage, _ attribute: RemoteAttribute) async {
    var isRead = false
    do {
      let handle = attribute.handle
      switch message {
      case .read:
        isRead = true
        let value = try await peripheral.readValue(for: table.characteristic(handle), timeout: Self.time)
        send(.read(attribute, value))
      case .readDescriptor:
        isRead = true
        let value = try await peripheral.readValue(for: table.descriptor(handle), timeout: Self.time)
        send(.read(attribute, value))
      case .write(_, let value, let withResponse):
        try await peripheral.writeValue(
          value, for: table.characteristic(handle), type: withResponse ? .withResponse : .withoutResponse,
          timeout: Self.time)
        if withResponse { send(.written(attribute)) }
      case .writeDescriptor(_, let value):
        let descriptor = try table.descriptor(handle)
        // BlueZ writes it itself, when notifications are enabled, and refuses to do so for others.
        if descriptor.uuid != .clientCharacteristicConfiguration {
          try await peripheral.writeValue(value, for: descriptor, timeout: Self.time)
        }
        send(.written(attribute))
      case .notify(_, let isEnabled):
        try await notify(table.characteristic(handle), attribute, isEnabled)
        send(.notifying(attribute))
      default: break
      }
    } catch {
      send(.failed(attribute, error: LinkFailure.ofRequest(error, isRead: isRead)))
    }
  }

  private func notify(
    _ characteristic: GATTCharacteristic, _ attribute: RemoteAttribute, _ isEnabled: Bool
  ) async throws(BLEError) {
    guard isEnabled else {
      notifying.removeValue(forKey: attribute.handle)?.cancel()
      return
    }
    guard notifying[attribute.handle] == nil else { return }
    let values = try await peripheral.notifications(for: characteristic, timeout: Self.time)
    guard !isOver else { return }
    notifying[attribute.handle] = loop.spawn { [weak self] in
      var iterator = values.makeAsyncIterator()
      // It throws when the link is lost, of which the client learns otherwise.
      while let batch = try? await iterator.nextBatch() {
        for value in batch.elements { self?.send(.notification(attribute, value.value)) }
      }
      // A client that asks again must not be told that they still come.
      if !Task.isCancelled { self?.notifying[attribute.handle] = nil }
    }
  }

  // MARK: The bond

  private func pair() async {
    let address = link.address
    do throws(BLEError) {
      // Nobody is here to compare numbers.
      try await peripheral.pair(using: .justWorks, timeout: Self.time)
      links.wasPaired(address)
      send(.paired(address, isPaired: true, error: 0))
    } catch {
      let isPaired = error.code == .alreadyPaired
      send(.paired(address, isPaired: isPaired, error: isPaired ? 0 : LinkFailure.ofPairing(error)))
    }
  }

  private func unpair() async {
    let address = link.address
    let answered = Promise<Void>()
    unpairing = answered
    defer { answered.fulfil(()) }
    do throws(BLEError) {
      try await peripheral.unpair(timeout: Self.time)
      links.wasUnpaired(address)
      send(.unpaired(address, isDone: true, error: 0))
    } catch {
      send(.unpaired(address, isDone: false, error: LinkFailure.ofPairing(error)))
    }
  }
}
