// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

/// The record of a device, against which a script is checked.
///
/// What the steps read, write and expect must be in the record, in this order. A notification may be earlier than the step
/// that expects it, since values wait for `expect`; what is read or written must follow all that the steps have used so far.
/// Times are not compared, nor the sizes of the packets of a file. Commands that neither read, write nor expect a value do
/// nothing.
final class RecordedDevice: ScriptDevice {
  private let events: [DeviceRecords.Event]
  private let device: ProfileSubject
  private var isUsed: [Bool]
  /// The index behind the last event that a step has used.
  private var position = 0

  init(_ events: [DeviceRecords.Event], of device: ProfileSubject) {
    self.events = events
    self.device = device
    isUsed = events.map { _ in false }
  }

  func perform(_ step: ScriptStep) throws {
    switch step {
    case .read(let command): _ = try value(of: command)
    case .write(let command): try write(command)
    case .expect(let expectation): try expect(expectation)
    case .command(let command as any TransferringCommand):
      for write in try command.writes { try transfer(write) }
    case .subscribe, .disconnect, .command, .sleep, .unsubscribe: break
    }
  }

  func value(of command: any ReadingCommand) throws -> [UInt8] {
    var bytes: [UInt8]?
    for characteristic in command.characteristics {
      bytes = try read(characteristic, command.descriptor, from: command.offset)
    }
    return bytes ?? []
  }

  private func take(
    _ kind: DeviceRecords.Kind, _ wanted: CharacteristicArgument, _ descriptor: BluetoothUUID? = nil,
    from offset: Int = 0
  ) -> DeviceRecords.Event? {
    for index in (kind == .notified ? 0 : position)..<events.count {
      let event = events[index]
      guard !isUsed[index], event.kind == kind, event.descriptor == descriptor, event.offset == offset,
        wanted.matches(event)
      else { continue }
      isUsed[index] = true
      position = max(position, index + 1)
      return event
    }
    return nil
  }

  private func read(
    _ characteristic: CharacteristicArgument, _ descriptor: BluetoothUUID?, from offset: Int
  ) throws(CommandError) -> [UInt8] {
    if let event = take(.read, characteristic, descriptor, from: offset) { return event.bytes }
    throw CommandError(
      status: .failed,
      message: "cannot read \(characteristic): the record has no more values that were read from it")
  }

  private func write(_ command: any WritingCommand) throws {
    let characteristic = command.characteristic
    for payload in try command.payloads {
      guard let event = take(.written, characteristic, command.descriptor) else {
        throw CommandError(
          status: .failed,
          message: "cannot write \(characteristic): the record has no more values that were written to it")
      }
      guard event.bytes == payload.bytes else {
        throw CommandError(
          status: .failed,
          message:
            "cannot write \(Hex.string(payload.bytes)) to \(characteristic): the record has \(Hex.string(event.bytes)) there"
        )
      }
      guard let reply = command.reply, take(.notified, reply) == nil else { continue }
      throw CommandError(
        status: .failed, message: "cannot get a reply of \(reply): the record has no more values from it")
    }
  }

  /// Takes the values that a command has written, and those that have answered them.
  private func transfer(_ write: RecordedWrite) throws(CommandError) {
    let characteristic = write.characteristic
    var found: [UInt8] = []
    var count = 0
    while found.count < write.bytes.count || count == 0 && !write.arePackets {
      guard let event = take(.written, characteristic) else { break }
      found += event.bytes.dropFirst(write.prefix)
      count += 1
    }
    let isRight = write.isRest ? write.bytes.reversed().starts(with: found.reversed()) : found == write.bytes
    guard isRight else {
      let isShort = found.count < write.bytes.count && write.bytes.starts(with: found)
      throw CommandError(
        status: .failed,
        message: "cannot send to \(characteristic): the record has "
          + (isShort ? "\(found.count) of \(write.bytes.count) bytes there" : "other bytes there"))
    }
    guard let answer = write.answer else { return }
    for _ in 0..<count { _ = take(.notified, answer) }
  }

  private func meaning(of event: DeviceRecords.Event) -> ValueMeaning? {
    ValueMeaning(of: AttributeIdentity(found: event.uuid, in: event.service, of: device))
  }

  private func expect(_ expectation: Expectation) throws {
    let pattern = expectation.pattern
    var others: [DeviceRecords.Event] = []
    var matches = 0
    while let event = take(expectation.isRead ? .read : .notified, expectation.characteristic) {
      if pattern.matches(event.bytes, meaning(of: event)) {
        matches += 1
        if matches == expectation.count { return }
      } else {
        others.append(event)
        if expectation.isRead, expectation.within == nil { break }
      }
    }
    let last = others.last.map { "the last other value is \(pattern.shown($0.bytes, meaning(of: $0)))" }
    throw CommandError(
      status: .failed,
      message:
        "cannot get \(expectation.description) from \(expectation.characteristic.title): the record has "
        + (matches == 0 ? "no such value" : "\(matches)") + (last.map { "; \($0)" } ?? ""))
  }
}
