// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

/// Passes on a value only if it differs enough from the last one of its source that was passed on.
///
/// A number has to differ by its change, which is 0 for fields without one: any difference. Everything else has to be
/// another. A field that comes for the first time is of interest, one that is missing is not.
struct DeadBand {
  private struct Passed {
    var bytes: [UInt8] = []
    var fields: [String: DecodedValue] = [:]
  }

  private let general: Double
  private let special: [String: Double]
  private var passed = RecentMemory<StreamSample.Source, Passed>(limit: 16_384)

  init(_ changes: [ChangeArgument]) {
    general = changes.last { $0.field == nil }?.change ?? 0
    special = Dictionary(changes.compactMap { change in change.field.map { ($0, change.change) } }) { $1 }
  }

  /// Returns whether a value is passed on; `decoded` stands for its own fields, if there is something else to
  /// compare.
  mutating func passes(_ sample: StreamSample, _ decoded: DecodedFields? = nil) -> Bool {
    let fields = (decoded?.fields ?? sample.fields).filter { isValue($0, of: sample.origin) }
    // Taken out while it changes, so that it is not copied.
    guard var last = passed.take(sample.source) else {
      passed[sample.source] = Passed(
        bytes: sample.bytes, fields: Dictionary(fields.map { ($0.key, $0.value) }) { $1 })
      return true
    }
    let isNews =
      fields.isEmpty
      ? sample.bytes != last.bytes
      : fields.contains { field in
        guard let old = last.fields[field.key] else { return true }
        return differs(field.value, old, by: change(of: field, in: sample))
      }
    if isNews {
      last.bytes = sample.bytes
      for field in fields { last.fields[field.key] = field.value }
    }
    passed[sample.source] = last
    return isNews
  }

  /// Returns whether a field says something of the device: the number and the strength of a packet do not,
  /// unless they have a change.
  private func isValue(_ field: DecodedFields.Field, of origin: ValueOrigin) -> Bool {
    guard origin.isAdvertised, ValueAdvertisement.packetKeys.contains(field.key) else { return true }
    return special.contains { field.isNamed($0.key) }
  }

  /// Forgets a device that cannot be heard, or all: the next values of them are passed on.
  mutating func interrupt(_ address: BluetoothAddress?) {
    passed.keep { source in address.map { $0 != source.address } ?? false }
  }

  private func change(of field: DecodedFields.Field, in sample: StreamSample) -> Double {
    if special.isEmpty { return general }
    if let change = special[field.key] { return change }
    return special.first { sample.field(named: $0.key)?.key == field.key }?.value ?? general
  }

  private func differs(_ value: DecodedValue, _ old: DecodedValue, by change: Double) -> Bool {
    guard let number = value.number, let oldNumber = old.number else { return value != old }
    let difference = abs(number - oldNumber)
    // 21.5 differs from 21.3 by 0.2, though not in binary.
    return difference > 0 && difference >= change * (1 - 1e-9) - abs(number) * 1e-15
  }
}
