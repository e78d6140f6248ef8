// SPDX-License-Identifier: MIT
import BLEMeaning

@testable import BlueZSimulator

extension World {
  /// A world with everything that a world file can say.
  static let everything = World(
    adapters: [
      AdapterSpec(), AdapterSpec(name: "hci1", address: "00:1A:7D:DA:71:14", isBlocked: true),
      AdapterSpec(name: "hci2", address: "00:1A:7D:DA:71:15", isPowered: false),
    ],
    peripherals: [
      PeripheralSpec(
        address: "C0:00:00:00:00:01", isAddressPublic: true,
        advertisement: AdvertisementSpec(
          name: "All \"of\" it\n", scanResponse: [.name, .services], missedNames: 2, flags: nil,
          services: [AttributeUUID(0x180D), AttributeUUID(0x1234_5678, "-0000-1000-8000-00805f9b34fb")],
          manufacturerData: [.init(company: 0x004C, bytes: [1, 2]), .init(company: 0, bytes: [])],
          serviceData: [.init(service: AttributeUUID(0xB1EC, "-5c0e-4b1e-a5d2-6b2f0c7e91aa"), bytes: [0xFF])],
          txPower: -7, appearance: 0x03C1, isConnectable: false, interval: .milliseconds(1285), rssi: -99, rssiDrift: 0),
        services: [reads, writes, notifications, structure], hasGenericAttribute: true, mtu: 23, isPresent: false,
        appearsAfter: .seconds(2), vanishesAfter: .milliseconds(90_001),
        faults: FaultSpec(
          connectFailures: 3, connectFailureText: "le-connection-abort-by-peer", dropsAfterOperations: 9,
          serviceDelivery: .objectsLate(.milliseconds(300)), discoveryDelay: .seconds(1)))
    ])

  private static func characteristic(_ number: UInt16, reading: ReadBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(AttributeUUID(number), .read, reading: reading)
  }

  private static func characteristic(_ number: UInt16, writing: WriteBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(AttributeUUID(number), [.write, .writeWithoutResponse], writing: writing)
  }

  private static func characteristic(_ number: UInt16, notifying: NotifyBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(AttributeUUID(number), [.notify, .indicate], value: [], notifying: notifying)
  }

  private static let generators: [ValueGenerator] = [
    .list([[], [1], Array("text".utf8)]),
    .counter(Counter(NumberFormat(.integer(.u8), prefix: [0]), from: 60, step: -0.5, to: 10)),
    .counter(Counter(NumberFormat(.integer(.u8)))),
    .sine(Sine(NumberFormat(.medical(.sfloat)), around: 36.6, amplitude: 0.25, period: 60)),
    .walk(RandomWalk(NumberFormat(.real(.f32)), from: 0, step: 1, within: -10...10, seed: 42)),
    .clock(.currentTime), .clock(.text),
  ]

  private static let reads = ServiceSpec(
    AttributeUUID(0xFF00),
    [.value, .slow(.seconds(60)), .stall, .fails(0x85)].map { characteristic(0xFF01, reading: $0) }
      + generators.map { characteristic(0xFF02, reading: .next($0)) })

  private static let writes = ServiceSpec(
    AttributeUUID(0xFF10),
    [
      .store, .discard, .fails(0x03), .echo(to: AttributeUUID(0xFF21)), .burst(to: AttributeUUID(0xFF21)), .hangUp,
      .stall, .answer([WriteAnswer(to: [1, nil], with: [nil, 2], on: AttributeUUID(0xFF21))]),
    ].map { characteristic(0xFF11, writing: $0) })

  private static let notifications = ServiceSpec(
    AttributeUUID(0xFF20),
    ([.onDemand, .flood(count: 7)]
      + generators.map { .generate($0, every: .milliseconds(20)) }).map { characteristic(0xFF21, notifying: $0) })

  private static let structure = ServiceSpec(
    AttributeUUID(0xFF30),
    [
      CharacteristicSpec(
        AttributeUUID(0xFF31), 0xFF, value: [1],
        descriptors: [
          DescriptorSpec(AttributeUUID(0x2901), value: [1], isWritable: true, reading: .fails(0x80), handle: 0x210),
          DescriptorSpec(AttributeUUID(0x2902), value: [], security: .authenticated),
        ], maximumLength: 1, security: .encrypted, handle: 0x200)
    ], isPrimary: false, includes: [.uuid(AttributeUUID(0xFF00)), .handle(0x1F0)], handle: 0x1F0)
}

extension IntegerFormat {
  fileprivate static let u8 = IntegerFormat.all[0]
}

extension RealFormat {
  fileprivate static let f32 = RealFormat.all[0]
}
