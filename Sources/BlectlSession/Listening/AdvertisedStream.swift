// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments
package import ValueStreams

/// The values that devices advertise, on their way to the outputs.
package final class AdvertisedStream: Sendable {
  private let devices: [DeviceArgument]
  private let selection: AdvertisedSelection
  private let reception: Reception
  private let left: RemainingValues
  private let time: CollectingTime?
  private let outputs: StreamOutputs
  private let context: CommandContext

  /// `devices` are those wanted, all if there are none; `left` is how many values, and a nil `time` is no limit.
  package init(
    _ devices: [DeviceArgument], _ selection: AdvertisedSelection, over reception: Reception,
    left: RemainingValues, time: CollectingTime?, outputs: StreamOutputs, context: CommandContext
  ) {
    (self.devices, self.selection, self.reception) = (devices, selection, reception)
    (self.left, self.time, self.outputs, self.context) = (left, time, outputs, context)
  }

  /// Listens until enough values have come, or Bluetooth is away for good.
  package func run() async throws {
    let values = AdvertisedValues(selection, context.decoder)
    try await reception.run { [time, outputs] record in
      time?.begin()
      outputs.send(.reception(record))
    } _: { events in
      for event in events where event.kind != .lost && isWanted(event.info) {
        let batches = values.values(of: event.info, at: event.time)
        // The others are no sensors, unless they were named.
        if !devices.isEmpty || values.hasValues {
          outputs.heard(event.info.lastingAddress, name: event.info.name, at: event.time)
        }
        for batch in batches {
          guard left.take(1) == 1 else { return false }
          outputs.send(.values(batch))
        }
      }
      if left.isOver { return false }
      outputs.pace()
      return true
    }
  }

  private func isWanted(_ info: PeripheralInfo) -> Bool {
    devices.isEmpty || devices.contains { $0.rank(of: info) != nil }
  }
}
