// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// The record of a device, against which the steps of a script are checked: what they read, write and expect has to be there,
/// in this order.
///
/// Times are not checked. Commands that neither read, write nor expect a value do nothing.
final class RecordedDevice: ScriptDevice {
  private let events: [DeviceRecords.Event]
  /// The events that no step has used.
  private var isUsed: [Bool]

  init(_ events: [DeviceRecords.Event]) {
    self.events = events
    isUsed = events.map { _ in false }
  }

  func run(_ command: any DeviceCommand) async throws {
    if let command = command as? ReadCommand {
      for characteristic in command.characteristics where command.descriptor == nil {
        _ = try read(characteristic)
      }
    } else if let command = command as? WriteCommand, command.descriptor == nil {
      try write(command)
    }
  }

  func value(of command: ReadCommand) async throws -> [UInt8] {
    var bytes: [UInt8]?
    for characteristic in command.characteristics { bytes = try read(characteristic) }
    return bytes ?? []
  }

  func sleep(for duration: Duration) async throws {}
  func unsubscribe(_ characteristics: [CharacteristicArgument]) async throws {}
  func checkBackground() throws {}

  /// Takes the first unused event of a characteristic.
  private func take(_ kind: DeviceRecords.Kind, _ wanted: CharacteristicArgument) -> DeviceRecords.Event? {
    for index in events.indices
    where !isUsed[index] && events[index].kind == kind && wanted.matches(events[index]) {
      isUsed[index] = true
      return events[index]
    }
    return nil
  }

  private func read(_ characteristic: CharacteristicArgument) throws(CommandError) -> [UInt8] {
    if let event = take(.read, characteristic) { return event.bytes }
    throw CommandError(
      status: .failed,
      message: "cannot read \(characteristic): the record has no more values that were read from it")
  }

  private func write(_ command: WriteCommand) throws {
    let characteristic = command.characteristic
    let payloads = try ValueSource.payloads(
      command.values, from: command.from, for: characteristic.writtenUUID)
    for payload in payloads {
      guard let event = take(.written, characteristic) else {
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

  func expect(_ step: ExpectStep) async throws {
    let pattern = try step.matcher
    let kind: DeviceRecords.Kind = step.read ? .read : .notified
    let wanted = step.count ?? 1
    var others: [DeviceRecords.Event] = []
    var matches = 0
    while let event = take(kind, step.characteristic) {
      if pattern.matches(event.bytes, ValueMeaning(of: event.uuid)) {
        matches += 1
        if matches == wanted { return }
      } else {
        others.append(event)
        if step.read, step.within == nil { break }
      }
    }
    let meaning = (others.first?.uuid ?? step.characteristic.writtenUUID).flatMap { ValueMeaning(of: $0) }
    let times = wanted == 1 ? "" : " \(wanted) times"
    let last = others.last.map { "the last other value is \(pattern.shown($0.bytes, meaning))" }
    throw CommandError(
      status: .failed,
      message: "cannot get \(pattern.text)\(times) from \(step.characteristic): the record has "
        + (matches == 0 ? "no such value" : "\(matches)") + (last.map { "; \($0)" } ?? ""))
  }
}
