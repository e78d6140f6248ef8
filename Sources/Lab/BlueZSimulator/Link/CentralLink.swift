// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// The daemon's end of a link to a peripheral: one ATT request at a time, each with a time limit.
///
/// Like bluetoothd it has two queues: ATT's, in which commands precede the next request, and the kernel's,
/// which holds a limited number of packets and sends them one after another.
final class CentralLink: PeripheralLink {
  typealias Outcome = AttributeServer.Outcome

  private struct Request {
    let packets: Int
    /// Nil for a request that sends nothing and ends at its turn.
    let send: ((any AttributeAccess, @escaping ATTAnswer) -> Void)?
    let finish: ATTAnswer
  }

  private struct Command {
    let handle: UInt16
    let bytes: [UInt8]
  }

  /// The link of the device at the daemon's end.
  private unowned let owner: DeviceLink
  private unowned let daemon: DaemonContext
  private let peripheral: any RadioPeer
  private let timers: TimerQueue
  private let timing: SimulatorTiming
  private var queue: [Request] = []
  private var commands: ArraySlice<Command> = []
  private let outgoing: PacketQueue
  private let incoming: PacketQueue
  private var current: Request?
  private var currentNumber = 0
  private var deadline: TimerQueue.Token?
  /// True if requests can be sent: false after a timeout, although the link still stands.
  private(set) var isUsable = true
  private var isOpen = true
  private var isTerminating = false
  let mtu: UInt16
  /// The link as the other side sees it, which opened it; nil for a link that this side opened.
  weak var twin: (any PeripheralLink)?
  private var ownSecurity = LinkSecurity.plain
  var security: LinkSecurity {
    get { twin?.security ?? ownSecurity }
    set {
      ownSecurity = newValue
      twin?.security = newValue
    }
  }
  private var isSuspended = false
  /// The L2CAP channels of the link, which end with it.
  private var channels: [ChannelRelay] = []

  init(to peripheral: any RadioPeer, daemon: DaemonContext, of owner: DeviceLink) {
    self.peripheral = peripheral
    self.daemon = daemon
    self.owner = owner
    timers = daemon.timers
    timing = daemon.timing
    mtu = peripheral.mtu
    let packetTime = { [peripheral] in peripheral.packetTime }
    let packetsAtOnce = { [peripheral] in peripheral.packetsAtOnce }
    outgoing = PacketQueue(timers: timers, packetTime: packetTime, packetsAtOnce: packetsAtOnce)
    incoming = PacketQueue(timers: timers, packetTime: packetTime, packetsAtOnce: packetsAtOnce)
    outgoing.onRoom = { [weak self] in self?.sendNext() }
    peripheral.connect(self)
  }

  /// Carries a channel until it or the link ends.
  func carry(_ channel: ChannelRelay) {
    guard isOpen else { return channel.close() }
    channels = channels.filter(\.isOpen) + [channel]
  }

  // MARK: Requests

  func read(_ handle: UInt16, offset: Int = 0, then finish: @escaping ATTAnswer) {
    add(packets: 1, finish: finish) { [unowned self] server, answer in
      server.read(handle, offset: offset, over: self, then: answer)
    }
  }

  func write(_ handle: UInt16, _ bytes: [UInt8], offset: Int = 0, then finish: @escaping ATTAnswer) {
    // A long value takes one Prepare Write for each part and one Execute Write.
    let parts = bytes.count + 3 > Int(mtu) ? bytes.count / (Int(mtu) - 5) + 2 : 1
    let packets = max(parts, PacketQueue.packets(for: bytes.count))
    add(packets: packets, finish: finish) { [unowned self] server, answer in
      server.write(handle, bytes, offset: offset, over: self, then: answer)
    }
  }

  /// Writes without a response, after the packets that wait.
  func command(_ handle: UInt16, _ bytes: [UInt8]) {
    guard isOpen, isUsable else { return }
    commands.append(Command(handle: handle, bytes: bytes))
    sendNext()
  }

  func afterRequests(_ action: @escaping () -> Void) { add(packets: 0, finish: { _ in action() }, nil) }

  /// Calls `action` after the time that `count` requests and their answers take.
  func exchange(_ count: Int, then action: @escaping () -> Void) {
    guard count > 0, peripheral.packetTime > .zero else { return action() }
    let next: ATTAnswer = { [weak self] outcome in
      if case .success = outcome { self?.exchange(count - 1, then: action) }
    }
    add(packets: 1, finish: next) { _, answer in answer(.success([])) }
  }

  private func add(
    packets: Int, finish: @escaping ATTAnswer, _ send: ((any AttributeAccess, @escaping ATTAnswer) -> Void)?
  ) {
    guard isOpen, isUsable else { return finish(.failure(.unlikely)) }
    queue.append(Request(packets: packets, send: send, finish: finish))
    sendNext()
  }

  /// Passes on what the kernel accepts: commands, then the next request if none is unanswered.
  private func sendNext() {
    while outgoing.hasRoom, !isTerminating {
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
    outgoing.send(packets: PacketQueue.packets(for: command.bytes.count)) { [unowned self] in
      peripheral.attributes.write(command.handle, command.bytes, offset: 0, over: self) { _ in }
    }
  }

  private func send(_ request: Request) {
    current = request
    currentNumber += 1
    let number = currentNumber
    let answer = { [weak self] (outcome: Outcome) in
      guard let self else { return }
      timers.schedule(after: timing.attResponse) { [weak self] in self?.respond(number, outcome) }
    }
    guard let send = request.send else { return answer(.success([])) }
    deadline = timers.schedule(after: timing.attTimeout) { [weak self] in self?.timedOut() }
    outgoing.send(packets: request.packets) { [peripheral] in send(peripheral.attributes, answer) }
  }

  /// Sends the peripheral's answer; a long value takes one packet for each part's answer.
  private func respond(_ number: Int, _ outcome: Outcome) {
    guard isOpen, number == currentNumber, let request = current else { return }
    guard request.send != nil else { return answered(number, outcome) }
    let size = if case .success(let value) = outcome { value.count } else { 0 }
    let parts = size / (Int(mtu) - 1)
    incoming.send(packets: max(request.packets, PacketQueue.packets(for: size)) + 2 * parts) { [weak self] in
      self?.answered(number, outcome)
    }
  }

  private func answered(_ number: Int, _ outcome: Outcome) {
    guard number == currentNumber, let request = current else { return }
    timers.cancel(deadline)
    if case .failure(let error) = outcome, let level = error.remedy(on: security) {
      isSuspended = true
      return owner.raiseSecurity(of: self, to: level) { [weak self] in self?.resume(number) }
    }
    current = nil
    request.finish(outcome)
    sendNext()
  }

  private func resume(_ number: Int) {
    guard isSuspended, number == currentNumber, let request = current else { return }
    isSuspended = false
    current = nil
    queue.insert(request, at: 0)
    sendNext()
  }

  /// Closes the ATT channel after an unanswered request, then the link.
  private func timedOut() {
    isUsable = false
    commands = []
    owner.attChannelLost()
    failRequests()
    timers.schedule(after: timing.attTeardown) { [weak self] in
      guard let self, isOpen else { return }
      peripheral.disconnect(self)
      lost(.timeout)
    }
  }

  /// Ends all waiting requests without an answer to their clients.
  func abandonRequests() { failRequests(.unanswered) }

  private func failRequests(_ error: ATTErrorCode = .unlikely) {
    timers.cancel(deadline)
    let isLost = isSuspended && daemon.behaviour.losesSuspendedRequest
    let waiting = [isLost ? nil : current].compactMap(\.self) + queue
    current = nil
    queue = []
    isSuspended = false
    currentNumber += 1
    for request in waiting { request.finish(.failure(error)) }
  }

  // MARK: The peripheral's side

  func received(_ value: [UInt8], from valueHandle: UInt16) {
    guard !isTerminating else { return }
    let sender = valueHandle &+ (peripheral.faults[MoveAttributes.self]?.distance ?? 0)
    incoming.send(packets: PacketQueue.packets(for: value.count)) { [weak self] in
      self?.owner.received(value, from: sender)
    }
  }

  func servicesChanged() { owner.servicesChanged() }

  var central: AdapterPeer { owner.central }

  func securityRequested(_ level: LinkSecurity) { owner.securityRequested(level, on: self) }

  func afterReceived(_ action: @escaping () -> Void) { incoming.afterAll(action) }

  func retime() {
    outgoing.retime()
    incoming.retime()
  }

  /// Returns whether the radio, the bus or a client's socket is backed up.
  func isCongested(_ valueHandle: UInt16) -> Bool {
    !incoming.hasRoom || daemon.outgoingByteCount > 1 << 20 || owner.isCongested
  }

  func lost(_ reason: LinkEnd) {
    guard isOpen else { return }
    end()
    owner.linkLost(reason) { self.failRequests() }
  }

  // MARK: Our side

  /// Lets the controller end the link: the end takes radio time, and nothing is exchanged meanwhile.
  func terminate(then ended: @escaping () -> Void) {
    isTerminating = true
    outgoing.clear()
    incoming.clear()
    let packets = min(peripheral.packetTime * 2, timing.supervision)
    timers.schedule(after: timing.linkTermination + packets, ended)
  }

  /// Closes the link and fails the waiting requests.
  func close() {
    guard isOpen else { return }
    end()
    peripheral.disconnect(self)
    failRequests()
  }

  private func end() {
    isOpen = false
    for channel in channels { channel.close() }
    channels = []
    commands = []
    outgoing.clear()
    incoming.clear()
  }
}
