// SPDX-License-Identifier: MIT

/// The daemon's end of a link to a peripheral: one ATT request at a time, and a time limit for each.
///
/// What is sent goes through two queues, as in bluetoothd: ATT's, in which what is not answered goes first and the next
/// request behind it, and the kernel's, which takes so many packets and sends them one after another.
final class Link: PeripheralLink {
  typealias Outcome = AttributeServer.Outcome

  private struct Request {
    /// How many packets it takes.
    let packets: Int
    /// Nil is nothing to be sent: it ends when it is its turn.
    let send: ((AttributeServer, @escaping (Outcome) -> Void) -> Void)?
    let finish: (Outcome) -> Void
    /// Whether it was refused for want of a key, and is sent anew.
    var isRepeated = false
  }

  private struct Command {
    let handle: UInt16
    let bytes: [UInt8]
  }

  private unowned let device: DeviceObject
  private let peripheral: Peripheral
  private let agenda: Agenda
  private let timing: SimulatorTiming
  private var queue: [Request] = []
  private var commands: ArraySlice<Command> = []
  private let outgoing: PacketLane
  private let incoming: PacketLane
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
    let packetTime = { [peripheral] in peripheral.packetTime }
    outgoing = PacketLane(agenda: agenda, packetTime: packetTime)
    incoming = PacketLane(agenda: agenda, packetTime: packetTime)
    outgoing.onRoom = { [weak self] in self?.sendNext() }
    peripheral.connect(self)
  }

  // MARK: Requests

  func read(_ handle: UInt16, offset: Int = 0, then finish: @escaping (Outcome) -> Void) {
    add(packets: 1) { server, answer in
      server.read(handle, offset: offset, then: answer)
    } finish: {
      finish($0)
    }
  }

  func write(_ handle: UInt16, _ bytes: [UInt8], offset: Int = 0, then finish: @escaping (Outcome) -> Void) {
    // What does not fit is prepared in parts, and executed.
    let parts = bytes.count + 3 > Int(mtu) ? bytes.count / (Int(mtu) - 5) + 2 : 1
    add(packets: max(parts, PacketLane.packets(for: bytes.count))) { server, answer in
      server.write(handle, bytes, offset: offset, then: answer)
    } finish: {
      finish($0)
    }
  }

  /// A write that is not answered: it waits for nothing but the packets before it.
  func command(_ handle: UInt16, _ bytes: [UInt8]) {
    guard isOpen, isUsable else { return }
    commands.append(Command(handle: handle, bytes: bytes))
    sendNext()
  }

  /// Calls `action` when the requests that wait now have been answered.
  func afterRequests(_ action: @escaping () -> Void) {
    add(packets: 0, nil) { _ in action() }
  }

  /// Calls `action` when so many questions have been asked and answered, of which nothing is seen but their time.
  func exchange(_ count: Int, then action: @escaping () -> Void) {
    guard count > 0, peripheral.packetTime > .zero else { return action() }
    add(packets: 1) { _, answer in
      answer(.success([]))
    } finish: { [weak self] outcome in
      if case .success = outcome { self?.exchange(count - 1, then: action) }
    }
  }

  private func add(
    packets: Int, _ send: ((AttributeServer, @escaping (Outcome) -> Void) -> Void)?,
    finish: @escaping (Outcome) -> Void
  ) {
    guard isOpen, isUsable else { return finish(.failure(.unlikely)) }
    queue.append(Request(packets: packets, send: send, finish: finish))
    sendNext()
  }

  /// Hands over to the kernel what it takes: commands, then the next request, if none waits for its answer.
  private func sendNext() {
    while outgoing.hasRoom {
      if let command = commands.popFirst() {
        send(command)
      } else if current == nil, !queue.isEmpty {
        send(queue.removeFirst())
      } else {
        return
      }
    }
  }

  private func send(_ command: Command) {
    outgoing.send(packets: PacketLane.packets(for: command.bytes.count)) { [peripheral] in
      peripheral.server.write(command.handle, command.bytes, offset: 0) { _ in }
    }
  }

  private func send(_ request: Request) {
    current = request
    currentNumber += 1
    let number = currentNumber
    let answer = { [weak self] (outcome: Outcome) in
      guard let self else { return }
      agenda.schedule(after: timing.attResponse) { [weak self] in self?.respond(number, outcome) }
    }
    guard let send = request.send else { return answer(.success([])) }
    deadline = agenda.schedule(after: timing.attTimeout) { [weak self] in self?.timedOut() }
    outgoing.send(packets: request.packets) { [peripheral] in send(peripheral.server, answer) }
  }

  /// The peripheral sends its answer: as long a one as many as the answers to its parts.
  private func respond(_ number: Int, _ outcome: Outcome) {
    guard isOpen, number == currentNumber, let request = current else { return }
    guard request.send != nil else { return answered(number, outcome) }
    let size = if case .success(let value) = outcome { value.count } else { 0 }
    let parts = size / (Int(mtu) - 1)
    incoming.send(packets: max(request.packets, PacketLane.packets(for: size)) + 2 * parts) { [weak self] in
      self?.answered(number, outcome)
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
    commands = []
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

  func received(_ value: [UInt8], from valueHandle: UInt16) {
    incoming.send(packets: PacketLane.packets(for: value.count)) { [weak self] in
      self?.device.gatt.received(value, from: valueHandle)
    }
  }

  func afterReceived(_ action: @escaping () -> Void) { incoming.afterAll(action) }

  func retime() {
    outgoing.retime()
    incoming.retime()
  }

  /// Much waits for the bus, or for who reads a socket: the rest had better wait, too.
  var isCongested: Bool {
    !incoming.hasRoom || device.daemon.outgoingByteCount > 1 << 20 || device.gatt.isCongested
  }

  func lost() {
    guard isOpen else { return }
    end()
    device.linkLost { self.failRequests() }
  }

  // MARK: Our side

  /// Closes the link; requests that wait fail.
  func close() {
    guard isOpen else { return }
    end()
    peripheral.disconnect()
    failRequests()
  }

  /// What is on its way arrives nowhere.
  private func end() {
    isOpen = false
    commands = []
    outgoing.clear()
    incoming.clear()
  }
}
