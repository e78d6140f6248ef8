// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

/// The record of a device, against which the steps of a script are checked: what they read, write and expect has to be there,
/// in this order.
///
/// A notification may have come before the step that expects it: it has waited. What is read or written has to come after all
/// that the script has met so far. Times are not checked. Commands that neither read, write nor expect a value do nothing.
final class RecordedDevice: ScriptDevice {
  private let events: [DeviceRecords.Event]
  /// The events that no step has used.
  private var isUsed: [Bool]
  /// Behind the last event that a step has used.
  private var position = 0

  init(_ events: [DeviceRecords.Event]) {
    self.events = events
    isUsed = events.map { _ in false }
  }

  func run(_ command: any DeviceCommand) async throws {
    if let command = command as? ReadCommand {
      for characteristic in command.characteristics { _ = try read(characteristic, command.descriptor) }
    } else if let command = command as? WriteCommand {
      try write(command)
    }
  }

  func value(of command: ReadCommand) async throws -> [UInt8] {
    var bytes: [UInt8]?
    for characteristic in command.characteristics { bytes = try read(characteristic, command.descriptor) }
    return bytes ?? []
  }

  func sleep(for duration: Duration) async throws {}
  func unsubscribe(_ characteristics: [CharacteristicArgument]) async throws {}
  func checkBackground() throws {}

  /// Takes the next event of a characteristic, or of a descriptor of it.
  private func take(
    _ kind: DeviceRecords.Kind, _ wanted: CharacteristicArgument, _ descriptor: BluetoothUUID? = nil
  ) -> DeviceRecords.Event? {
    for index in (kind == .notified ? 0 : position)..<events.count {
      let event = events[index]
      guard !isUsed[index], event.kind == kind, event.descriptor == descriptor, wanted.matches(event) else {
        continue
      }
      isUsed[index] = true
      position = max(position, index + 1)
      return event
    }
    return nil
  }

  private func read(
    _ characteristic: CharacteristicArgument, _ descriptor: BluetoothUUID?
  ) throws(CommandError) -> [UInt8] {
    if let event = take(.read, characteristic, descriptor) { return event.bytes }
    throw CommandError(
      status: .failed,
      message: "cannot read \(characteristic): the record has no more values that were read from it")
  }

  private func write(_ command: WriteCommand) throws {
    let characteristic = command.characteristic
    let payloads = try ValueSource.payloads(
      command.values, from: command.from, for: command.descriptor ?? characteristic.writtenUUID)
    for payload in payloads {
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
