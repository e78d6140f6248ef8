// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
package import BLEWorld

/// The GATT server of a peripheral: stores values, checks permissions and follows the behaviour of each characteristic.
package final class AttributeServer {
  package typealias Outcome = Result<[UInt8], ATTErrorCode>

  /// The longest attribute value, in bytes.
  package static let maximumLength = 512

  package private(set) var layout: AttributeLayout
  private let timers: TimerQueue
  private var mtu: Int
  /// The delay of a response, which notifications do not overtake.
  private let responseDelay: Duration
  private var values: [UInt16: [UInt8]] = [:]
  private var characteristics: [UInt16: (service: Int, characteristic: AttributeLayout.Characteristic)] = [:]
  private var descriptors: [UInt16: (owner: UInt16, spec: DescriptorSpec)] = [:]
  private var sequences: [UInt16: ValueSequence] = [:]
  private var serialPort: EmulatedSerialPort?
  private var operationsOnLink = 0
  /// The values written to each characteristic, by value handle; nil while they are not recorded.
  package var written: [UInt16: [[UInt8]]]?
  /// True if the link is closing after its last operation; further operations are ignored.
  private var isAtLimit = false
  package var answerFaults = AnswerFaults()
  /// Called with the number of each read and write on a link, from 1.
  package var onOperation = Observers<Int>()
  /// The number of operations after which the link is closed.
  package var dropsAfterOperations: () -> Int? = { nil }
  private lazy var notifier = Notifier(timers: timers) { [weak self] handle, value in
    self?.values[handle] = value
  } link: { [weak self] in
    self?.link
  }
  /// The firmware that centrals can update, if any.
  package let firmware: EmulatedFirmware?
  private lazy var updates = EffectQueue(timers: timers) { [weak self] in self?.perform($0) }
  /// Restarts a boot loader that nothing arrives at.
  private var idleness: TimerQueue.Token?
  /// The time until which writes without a response are lost.
  private var deafUntil: ContinuousClock.Instant?
  /// True while the device restarts: it ignores everything.
  package var isAway = false
  /// Called when the firmware restarts the device.
  package var onRestart: () -> Void = {}
  package weak var link: (any AttributeLink)?
  package var closeLink: () -> Void = {}

  package init(
    _ spec: PeripheralSpec, timers: TimerQueue, responseDelay: Duration = .zero,
    firmware: EmulatedFirmware? = nil
  ) {
    self.responseDelay = responseDelay
    self.firmware = firmware
    layout = AttributeLayout(spec)
    mtu = Int(spec.mtu)
    self.timers = timers
    fill(spec)
  }

  /// Takes the attributes of other firmware, all with their first values; no link exists, or the handles stay.
  package func reload(_ spec: PeripheralSpec) {
    layout = AttributeLayout(spec)
    mtu = Int(spec.mtu)
    (values, characteristics, descriptors, sequences) = ([:], [:], [:], [:])
    answerFaults.removeAll()
    if written != nil { written = [:] }
    fill(spec)
    awaitActivity()
  }

  private func fill(_ spec: PeripheralSpec) {
    serialPort = EmulatedSerialPort(spec, in: layout)
    subscribable = layout.services.flatMap(\.characteristics).filter { $0.spec.properties.isSubscribable }
      .map(\.valueHandle)
    for (index, service) in layout.services.enumerated() {
      for characteristic in service.characteristics {
        characteristics[characteristic.valueHandle] = (index, characteristic)
        values[characteristic.valueHandle] = characteristic.spec.initialValue
        for fault in characteristic.spec.faults.compactMap(\.answerFault) {
          answerFaults.add(fault, to: characteristic.valueHandle)
        }
        for descriptor in characteristic.descriptors {
          descriptors[descriptor.handle] = (characteristic.valueHandle, descriptor.spec)
          values[descriptor.handle] = descriptor.spec.value
        }
      }
    }
  }

  // MARK: Requests, answered now, later or never

  package func read(_ handle: UInt16, offset: Int, then answer: @escaping (Outcome) -> Void) {
    guard countOperation() else { return }
    answerFaulty(.read, of: handle, then: answer) { $0.readNormally(handle, offset: offset, then: answer) }
  }

  private func readNormally(_ handle: UInt16, offset: Int, then answer: @escaping (Outcome) -> Void) {
    guard let value = values[handle] else { return answer(.failure(.invalidHandle)) }
    let reading: ReadBehaviour
    if let spec = characteristics[handle]?.characteristic.spec {
      guard spec.properties.contains(.read) else { return answer(.failure(.readNotPermitted)) }
      if let refusal = refusal(spec.security) { return answer(.failure(refusal)) }
      reading = spec.reading
    } else {
      let descriptor = descriptors[handle]?.spec
      // A client configuration can be read without security.
      if descriptor?.uuid != AttributeLayout.clientConfiguration, let refusal = refusal(descriptor?.security)
      {
        return answer(.failure(refusal))
      }
      reading = descriptors[handle]?.spec.reading ?? .value
    }
    let rest = part(of: value, from: offset)
    switch reading {
    case .value: answer(rest)
    case .slow(let delay): timers.schedule(after: delay) { answer(rest) }
    case .stall: break
    case .fails(let code): answer(.failure(ATTErrorCode(code: code)))
    case .next(let generator):
      // The rest of a long value belongs to the part that was read first.
      answer(offset == 0 ? .success(next(generator, of: handle)) : rest)
    }
  }

  private func next(_ generator: ValueGenerator, of handle: UInt16) -> [UInt8] {
    let value = sequences[handle, default: ValueSequence(generator)].next() ?? []
    values[handle] = value
    return value
  }

  /// Returns the error if the link is not secure enough for an attribute.
  private func refusal(_ security: AttributeSecurity?) -> ATTErrorCode? {
    security.flatMap { (link?.security ?? .plain).refusal($0) }
  }

  /// Returns the value from an offset, which is refused if the whole value fits into one response.
  private func part(of value: [UInt8], from offset: Int) -> Outcome {
    if offset == 0 { return .success(value) }
    if offset > value.count { return .failure(.invalidOffset) }
    return value.count < mtu ? .failure(.attributeNotLong) : .success(Array(value[offset...]))
  }

  /// Replaces an attribute's value; an offset is refused.
  package func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, then answer: @escaping (Outcome) -> Void
  ) {
    guard countOperation() else { return }
    if characteristics[handle] != nil { written?[handle, default: []].append(bytes) }
    let isConfiguration = descriptors[handle]?.spec.uuid == AttributeLayout.clientConfiguration
    let target = isConfiguration ? descriptors[handle]?.owner ?? handle : handle
    answerFaulty(isConfiguration ? .subscribe : .write, of: target, then: answer) {
      $0.writeNormally(handle, bytes, offset: offset, then: answer)
    }
  }

  private func answerFaulty(
    _ operation: AnswerFault.Operation, of handle: UInt16, then answer: @escaping (Outcome) -> Void,
    otherwise proceed: @escaping (AttributeServer) -> Void
  ) {
    switch answerFaults.take(operation, of: handle) {
    case nil: proceed(self)
    case .late(let delay): timers.schedule(after: delay) { [weak self] in self.map(proceed) }
    case .never: break
    case .error(let code): answer(.failure(ATTErrorCode(code: code)))
    }
  }

  private func writeNormally(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, then answer: @escaping (Outcome) -> Void
  ) {
    guard offset == 0 else { return answer(.failure(.invalidOffset)) }
    if let characteristic = characteristics[handle] {
      writeCharacteristic(characteristic, bytes, then: answer)
    } else if let descriptor = descriptors[handle] {
      answer(writeDescriptor(handle, descriptor, bytes))
    } else {
      answer(.failure(.invalidHandle))
    }
  }

  private func writeDescriptor(
    _ handle: UInt16, _ descriptor: (owner: UInt16, spec: DescriptorSpec), _ bytes: [UInt8]
  ) -> Outcome {
    guard descriptor.spec.isWritable else { return .failure(.writeNotPermitted) }
    if let refusal = refusal(descriptor.spec.security) { return .failure(refusal) }
    if let refusal = store(bytes, at: handle) { return .failure(refusal) }
    if descriptor.spec.uuid == AttributeLayout.clientConfiguration {
      setSubscribed(bytes.contains { $0 != 0 }, descriptor.owner)
    }
    return .success([])
  }

  private func writeCharacteristic(
    _ target: (service: Int, characteristic: AttributeLayout.Characteristic), _ bytes: [UInt8],
    then answer: @escaping (Outcome) -> Void
  ) {
    let spec = target.characteristic.spec
    guard !spec.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      return answer(.failure(.writeNotPermitted))
    }
    if let refusal = refusal(spec.security) { return answer(.failure(refusal)) }
    guard bytes.count <= spec.maximumLength else { return answer(.failure(.invalidLength)) }
    if target.characteristic.valueHandle == serialPort?.rx {
      answer(.success([]))
      return receive(bytes)
    }
    if firmware?.takes(spec.uuid) == true { return update(bytes, at: spec, then: answer) }
    switch spec.writing {
    case .store:
      let refusal = store(bytes, at: target.characteristic.valueHandle)
      answer(refusal.map { .failure($0) } ?? .success([]))
    case .discard: answer(.success([]))
    case .fails(let code): answer(.failure(ATTErrorCode(code: code)))
    case .echo(let other):
      answer(.success([]))
      if let handle = find(other, near: target.service) { notifyAfterAnswer(handle, bytes) }
    case .burst(let other):
      answer(.success([]))
      let count = bytes.prefix(2).enumerated().reduce(0) { $0 + Int($1.element) << (8 * $1.offset) }
      if let handle = find(other, near: target.service) { notifier.burst(count, from: handle) }
    case .answer(let answers):
      answer(.success([]))
      for candidate in answers {
        guard let response = candidate.response(to: bytes) else { continue }
        if let handle = find(candidate.source, near: target.service) { notifyAfterAnswer(handle, response) }
      }
    case .hangUp:
      answer(.success([]))
      hangUp()
    case .stall: break
    }
  }

  /// Takes what a central sends to the serial port.
  private func receive(_ bytes: [UInt8]) {
    guard let output = serialPort?.dialogue.output(for: bytes), let tx = serialPort?.tx else { return }
    notifier.send(output, from: tx, after: responseDelay)
  }

  /// Passes what a central has written on to the firmware.
  private func update(_ bytes: [UInt8], at spec: CharacteristicSpec, then answer: (Outcome) -> Void) {
    if spec.properties == .writeWithoutResponse, let deafUntil, LoopClock.now < deafUntil {
      return answer(.success([]))
    }
    let effects = firmware?.receive(bytes, at: spec.uuid, waiting: updates.waitingAnswers) ?? []
    if effects.first != .unanswered { answer(.success([])) }
    awaitActivity()
    updates.add(effects)
  }

  private func awaitActivity() {
    timers.cancel(idleness)
    guard let time = firmware?.idleTime else { return }
    idleness = timers.schedule(after: time) { [weak self] in self?.perform(.restart) }
  }

  private func perform(_ effect: UpdateEffect) {
    switch effect {
    case .unanswered, .pause: break
    case .send(let bytes, let uuid):
      if let handle = find(uuid) { notifier.sendWhole(bytes, from: handle, after: responseDelay) }
    case .loseWrites(let time): deafUntil = LoopClock.now + time
    case .hangUp:
      isAtLimit = true
      hangUp()
    case .restart:
      timers.cancel(idleness)
      onRestart()
    }
  }

  private func store(_ bytes: [UInt8], at handle: UInt16) -> ATTErrorCode? {
    guard bytes.count <= AttributeServer.maximumLength else { return .invalidLength }
    values[handle] = bytes
    return nil
  }

  package func setSubscribed(_ isOn: Bool, _ valueHandle: UInt16) {
    guard let spec = characteristics[valueHandle]?.characteristic.spec else { return }
    notifier.setEnabled(isOn, valueHandle, spec.notifying)
    if isOn, valueHandle == serialPort?.tx, let greeting = serialPort?.dialogue.begin() {
      notifier.send(greeting, from: valueHandle, after: Notifier.subscriptionTime)
    }
  }

  package func isSubscribed(_ valueHandle: UInt16) -> Bool { notifier.isEnabled(valueHandle) }

  /// Returns the number of notifications and indications of a characteristic on all links so far.
  package func sentCount(_ valueHandle: UInt16) -> Int { notifier.sent[valueHandle] ?? 0 }

  /// The handles of the values that centrals can subscribe to.
  private(set) var subscribable: [UInt16] = []

  // MARK: Commands

  /// Sets a value and notifies it if a client is subscribed.
  package func setAndNotify(_ valueHandle: UInt16, _ bytes: [UInt8]) {
    values[valueHandle] = bytes
    notifier.notify(valueHandle, bytes)
  }

  private func notifyAfterAnswer(_ valueHandle: UInt16, _ bytes: [UInt8]) {
    values[valueHandle] = bytes
    timers.schedule(after: responseDelay) { [weak self] in self?.setAndNotify(valueHandle, bytes) }
  }

  /// Returns the value handle of the first characteristic with a UUID, preferably in a given service.
  package func find(_ uuid: BluetoothUUID, near service: Int? = nil) -> UInt16? {
    let preferred = service.map { [layout.services[$0]] } ?? []
    return (preferred + layout.services).lazy.flatMap(\.characteristics).first { $0.spec.uuid == uuid }?
      .valueHandle
  }

  /// Returns the value handle of the first characteristic with a UUID, in the services with a UUID or in all.
  package func find(_ uuid: BluetoothUUID, in service: BluetoothUUID?) -> UInt16? {
    layout.services.lazy.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
      .first { $0.spec.uuid == uuid }?.valueHandle
  }

  package var subscribed: [BluetoothUUID] {
    layout.services.flatMap(\.characteristics).filter { isSubscribed($0.valueHandle) }.map(\.spec.uuid)
  }

  // MARK: The link

  /// Counts a read or write on the link, and returns whether to execute it: not while the link closes.
  @discardableResult
  package func countOperation() -> Bool {
    guard !isAtLimit, !isAway else { return false }
    operationsOnLink += 1
    onOperation.notify(operationsOnLink)
    guard let limit = dropsAfterOperations(), operationsOnLink >= limit else { return true }
    isAtLimit = true
    hangUp()
    return true
  }

  /// Closes the link after the answers to earlier requests have arrived.
  private func hangUp() {
    timers.schedule(after: .milliseconds(5)) { [weak self, weak link] in
      link?.afterReceived {
        if let self, let link, self.link === link { self.closeLink() }
      }
    }
  }

  package func linkClosed() {
    link = nil
    operationsOnLink = 0
    isAtLimit = false
    notifier.disableAll()
    deafUntil = nil
    firmware?.linkEnded()
    if firmware != nil { updates.linkEnded() }
    for (handle, descriptor) in descriptors where descriptor.spec.uuid == AttributeLayout.clientConfiguration
    {
      values[handle] = [0, 0]
    }
  }
}

extension AttributeServer {
  /// Applies a command to the characteristic whose value has a handle.
  ///
  /// `signalAgain` makes the daemon signal all its properties again.
  package func apply(
    _ action: CharacteristicAction, to handle: UInt16, signalAgain: () -> Void = {}
  ) {
    switch action.effect {
    case .setValue(let value): setAndNotify(handle, value)
    case .repeatProperties: signalAgain()
    case .begin(let fault): answerFaults.add(fault, to: handle)
    case .heal: answerFaults.removeAll(of: handle)
    case nil: break
    }
  }
}
