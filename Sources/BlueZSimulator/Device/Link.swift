// SPDX-License-Identifier: MIT

/// The daemon's end of a link to a peripheral: one ATT request at a time, and a time limit for each.
final class Link: PeripheralLink {
  typealias Outcome = AttributeServer.Outcome

  private struct Request {
    let send: (AttributeServer, @escaping (Outcome) -> Void) -> Void
    let finish: (Outcome) -> Void
    /// Whether it was refused for want of a key, and is sent anew.
    var isRepeated = false
  }

  private unowned let device: DeviceObject
  private let peripheral: Peripheral
  private let agenda: Agenda
  private let timing: SimulatorTiming
  private var queue: [Request] = []
  private var current: Request?
  private var currentNumber = 0
  private var deadline: Agenda.Token?
  /// Whether requests can be sent: false once one was not answered in time, though the link is still there.
  private(set) var isUsable = true
  private var isOpen = true
  let mtu: UInt16
  /// Whether the two ends have paired, and agreed on a key for this link.
  var isEncrypted = false

  init(_ device: DeviceObject) {
    self.device = device
    peripheral = device.peripheral
    agenda = device.daemon.agenda
    timing = device.daemon.timing
    mtu = peripheral.spec.mtu
    peripheral.connect(self)
  }

  // MARK: Requests

  func read(_ handle: UInt16, offset: Int = 0, then finish: @escaping (Outcome) -> Void) {
    add { server, answer in
      server.read(handle, offset: offset, then: answer)
    } finish: {
      finish($0)
    }
  }

  func write(_ handle: UInt16, _ bytes: [UInt8], offset: Int = 0, then finish: @escaping (Outcome) -> Void) {
    add { server, answer in
      server.write(handle, bytes, offset: offset, then: answer)
    } finish: {
      finish($0)
    }
  }

  /// A write that is not answered, and waits for nothing.
  func command(_ handle: UInt16, _ bytes: [UInt8]) {
    guard isOpen, isUsable else { return }
    peripheral.server.write(handle, bytes, offset: 0) { _ in }
  }

  /// Calls `action` when the requests that wait now have been answered.
  func afterRequests(_ action: @escaping () -> Void) {
    add { _, answer in
      answer(.success([]))
    } finish: { _ in
      action()
    }
  }

  private func add(
    _ send: @escaping (AttributeServer, @escaping (Outcome) -> Void) -> Void,
    finish: @escaping (Outcome) -> Void
  ) {
    guard isOpen, isUsable else { return finish(.failure(.unlikely)) }
    queue.append(Request(send: send, finish: finish))
    sendNext()
  }

  private func sendNext() {
    guard current == nil, !queue.isEmpty else { return }
    let request = queue.removeFirst()
    current = request
    currentNumber += 1
    let number = currentNumber
    deadline = agenda.schedule(after: timing.attTimeout) { [weak self] in self?.timedOut() }
    request.send(peripheral.server) { [weak self] outcome in
      guard let self else { return }
      agenda.schedule(after: timing.attResponse) { [weak self] in self?.answered(number, outcome) }
    }
  }

  private func answered(_ number: Int, _ outcome: Outcome) {
    guard number == currentNumber, let request = current else { return }
    agenda.cancel(deadline)
    if case .failure(let error) = outcome, error.asksForKey, !isEncrypted, !request.isRepeated {
      return device.raiseSecurity(of: self) { [weak self] isEncrypted in
        self?.repeatRequest(number, isEncrypted, outcome)
      }
    }
    current = nil
    request.finish(outcome)
    sendNext()
  }

  /// Sends a request again, now that there is a key; or ends it as refused.
  private func repeatRequest(_ number: Int, _ isEncrypted: Bool, _ outcome: Outcome) {
    guard number == currentNumber, var request = current else { return }
    current = nil
    guard isEncrypted else {
      request.finish(outcome)
      return sendNext()
    }
    request.isRepeated = true
    queue.insert(request, at: 0)
    sendNext()
  }

  /// The channel is useless after an unanswered request; the link follows.
  private func timedOut() {
    isUsable = false
    device.attChannelLost()
    failRequests()
    agenda.schedule(after: timing.attTeardown) { [weak self] in
      guard let self, isOpen else { return }
      peripheral.disconnect()
      lost()
    }
  }

  private func failRequests() {
    agenda.cancel(deadline)
    let waiting = [current].compactMap(\.self) + queue
    current = nil
    queue = []
    currentNumber += 1
    for request in waiting { request.finish(.failure(.unlikely)) }
  }

  // MARK: The peripheral's side

  func received(_ value: [UInt8], from valueHandle: UInt16) { device.gatt.received(value, from: valueHandle) }

  /// Much waits for the bus, or for who reads a socket: the rest had better wait, too.
  var isCongested: Bool { device.daemon.outgoingByteCount > 1 << 20 || device.gatt.isCongested }

  func lost() {
    guard isOpen else { return }
    isOpen = false
    device.linkLost { self.failRequests() }
  }

  // MARK: Our side

  /// Closes the link; requests that wait fail.
  func close() {
    guard isOpen else { return }
    isOpen = false
    peripheral.disconnect()
    failRequests()
  }
}
