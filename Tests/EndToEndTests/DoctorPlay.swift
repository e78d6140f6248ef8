// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// What happens before an attempt of `doctor DEVICE`.
enum DoctorStep: Sendable {
  case command(String)
  case fault(ControlCommand)
}

/// The worlds and the steps of the suites about `doctor DEVICE`.
protocol DoctorPlay {}

extension DoctorPlay {
  static var strap: String { Address.strap }
  static var lamp: String { "C0:00:00:00:00:01" }
  static var justWorks: String { "C7:B0:4D:00:00:01" }
  static var refuses: String { "C7:B0:4D:00:00:06" }
  static var visit: [DoctorStep] {
    [.command("connect \(strap)"), .command("disconnect \(strap)")]
  }

  static func fault(_ action: PeripheralAction, of device: String = Address.strap) -> DoctorStep {
    .fault(.peripheral(device, action))
  }

  /// Lamp, with characteristics that can be read.
  static func lamp(with characteristics: CharacteristicSpec...) -> PeripheralSpec {
    PeripheralSpec(
      address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
      services: [ServiceSpec(BluetoothUUID(0xFFF0), characteristics)])
  }

  static var plain: CharacteristicSpec { CharacteristicSpec(BluetoothUUID(0xFFF1), 0x02, value: [1]) }

  /// Lamp, whose battery level requires better keys than those of Just Works.
  static var weakLamp: PeripheralSpec {
    PeripheralSpec(
      address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
      services: [
        ServiceSpec(
          BluetoothUUID(0x180F),
          [CharacteristicSpec(BluetoothUUID(0x2A19), 0x02, value: [57], security: .authenticated)]),
        ServiceSpec(BluetoothUUID(0xFFF0), [plain]),
      ])
  }

  /// Lamp, which displays the passkey that one of its two values requires.
  static var lockedLamp: PeripheralSpec {
    PeripheralSpec(
      address: lamp, advertisement: AdvertisementSpec(name: "Lamp", rssi: -60),
      services: [
        ServiceSpec(
          BluetoothUUID(0xFFF0),
          [
            CharacteristicSpec(BluetoothUUID(0xFFF2), 0x02, value: [2], security: .authenticated), plain,
          ])
      ], pairing: PairingSpec(.displayOnly, protection: .wanted, passkey: 42017))
  }

  static var never: CharacteristicAction { .answer(AnswerFault(.never)) }

  /// Lets BlueZ answer all calls of a method with an error.
  static func failing(_ method: String, _ error: BlueZError) -> DoctorStep {
    .fault(.daemon(.failCalls(CallFault(method, error))))
  }

  static func refusal(_ text: String) -> DoctorStep {
    fault(.refuseConnect(BlueZError("org.bluez.Error.Failed", text)))
  }

  /// Plays what happens before the attempt.
  func play(_ steps: [DoctorStep], on simulated: SimulatedBus) async throws {
    let blectl = Blectl(bus: simulated.address)
    for step in steps {
      switch step {
      case .command(let words):
        let result = try await blectl.start(words.split(separator: " ").map(String.init)).result()
        #expect(result.status == 0, "\(words): \(result.errorText)")
      case .fault(let fault): try await simulated.simulator.perform(fault)
      }
    }
  }
}
