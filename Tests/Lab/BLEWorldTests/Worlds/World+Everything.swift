// SPDX-License-Identifier: MIT
import BLEFormats

@testable import BLEWorld

extension World {
  /// A world with every key of a world file.
  static let everything = World(
    adapters: [
      AdapterSpec(), AdapterSpec(name: "hci1", address: "00:1A:7D:DA:71:14", isBlocked: true),
      AdapterSpec(name: "hci2", address: "00:1A:7D:DA:71:15", isPowered: false),
    ],
    peripherals: [
      PeripheralSpec(
        address: "C0:00:00:00:00:01", isAddressPublic: true, privateAddress: "7A:00:00:00:00:01",
        advertisement: AdvertisementSpec(
          name: "All \"of\" it\n", scanResponse: [.name, .services], missedNames: 2, flags: nil,
          services: [
            BluetoothUUID(0x180D), BluetoothUUID(0x1234_5678, base: 0x0000_1000_8000_0080_5f9b_34fb),
          ],
          manufacturerData: [.init(company: 0x0157, bytes: [1, 2]), .init(company: 0, bytes: [])]
            + changes.enumerated().map { .init(company: UInt16($0.offset + 1), .changing($0.element)) },
          serviceData: [
            .init(service: BluetoothUUID(0xB1EC, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa), bytes: [0xFF]),
            .init(service: BluetoothUUID(0xB1ED), .changing(.generate(.list([[1]]), every: .seconds(2)))),
          ], beacons: beacons,
          txPower: -7, appearance: 0x03C1, isConnectable: false, interval: .milliseconds(1285), rssi: -99,
          rssiDrift: 0),
        services: [reads, writes, notifications, wrongAnswers, structure],
        uart: SerialPortSpec(
          SerialPortSpec.services[2], echo: true, greeting: "READY\r\n",
          answers: [.init("AT", "OK\r\n"), .init("", ""), .init("\"\u{7f}", "\0\u{1b}")], otherAnswer: "ERROR"
        ), smp: smp,
        hasGenericAttribute: true, mtu: 23,
        link: LinkSpec(packetTime: .milliseconds(30)),
        pairing: PairingSpec(
          .keyboardOnly, hasSecureConnections: false, protection: .required, response: .ignore, passkey: 42,
          confirms: false, typing: .wrong), isPresent: false,
        appearsAfter: .seconds(2), vanishesAfter: .milliseconds(90_001),
        faults: [
          .refuseConnect(times: 3, BlueZError("org.bluez.Error.Failed", "le-connection-abort-by-peer")),
          .refuseConnect(times: nil, BlueZError("com.example.Broken", "")), .hangConnect(times: 1),
          .hideConnected(times: 2),
          .dropAfterOperations(9), .dropAfterTime(.seconds(3)), .slowLink(.milliseconds(50)),
          .delayServices(.seconds(1)),
          .orderServices(.objectsFirst), .orderServices(.resolvedFirst),
          .orderServices(.objectsLate(.milliseconds(300))), .moveAttributes(by: 8), .loseAdverts(),
          .loseNames(times: 7),
        ]),
      PeripheralSpec(address: "C0:00:00:00:00:03", advertisement: AdvertisementSpec(), dfu: dfu),
    ], events: everyEvent)

  private static let faults = TransferFaults(
    hangsUpAt: [1, 4096], losesAt: [700], corruptsAt: 9, silentAt: 12, silence: .seconds(25))

  private static let smp = SMPSpec { spec in
    (spec.version, spec.images, spec.slotSize, spec.mode) = ("1.2.3.4", 2, 65536, .directXIPRevert)
    (spec.security, spec.parameters, spec.bufferSize, spec.bufferCount) = (.encrypted, .silent, 300, 2)
    (spec.reassembles, spec.protocolVersion, spec.hasIndefiniteMaps) = (false, 1, true)
    (spec.tellsBootloader, spec.restartTime, spec.swapTime) = (false, .seconds(1), .seconds(4))
    (spec.eraseTime, spec.writeTime, spec.newFirmware) = (.seconds(9), .milliseconds(3), .hangs)
    (spec.movesBy, spec.reportsChangeAfter, spec.activeImages) = (3, nil, .application)
    spec.shell = [NamedText("kernel version", "Zephyr\n")]
    spec.files = [NamedBytes("/lfs/a", [1, 2]), NamedBytes("/lfs/b", [])]
    spec.settings = [NamedBytes("a/b", Array("text".utf8))]
    spec.statistics = [NamedCounters("radio", [.init("sent", 1), .init("lost", 4_294_967_295)])]
    spec.faults = SMPSpec.Faults(
      transfer: faults, busyEvery: 9, forgetsUpload: true, refusesUpload: 15, refusesTest: 33,
      refusesConfirm: 32, refusesReset: true)
  }

  private static let dfu = DFUSpec(.legacy) { spec in
    (spec.version, spec.newVersion, spec.buttonless) = ("1.0", "2.0 \"beta\"", .experimental)
    (spec.hasNextAddress, spec.startsInBootloader, spec.bootloaderName) = (true, true, "Boot")
    (spec.mtu, spec.objectSize, spec.checksInit) = (23, 1024, false)
    (spec.restartTime, spec.flashTime, spec.reportsChangeAfter) = (
      .seconds(2), .milliseconds(400), .seconds(1)
    )
    spec.faults = DFUSpec.Faults(
      transfer: faults, wrongChecksums: 2, invalidStates: 1, refusesInit: 4, refusesKinds: true,
      leavesJumpUnanswered: true)
  }

  private static let device = "C0:00:00:00:00:01"
  private static let reference = CharacteristicReference(
    device: device, service: BluetoothUUID(0xFF20), uuid: BluetoothUUID(0xFF21))

  private static let everyEvent: [WorldEvent] =
    [
      WorldEvent(.time(.seconds(1)), .daemon(.freeze, for: .seconds(2))),
      WorldEvent(.time(.zero, every: .seconds(10)), .adapter(.switchOff, "hci1")),
      WorldEvent(.connected(device: device), .adapter(.remove)),
      WorldEvent(.connected(device: device, after: .seconds(1), repeats: true), .daemon(.stop)),
      WorldEvent(.operations(device: device, 4), .peripheral(device, .dropLink)),
      WorldEvent(
        .operations(device: device, 5, repeats: true), .peripheral(device, .vanish, for: .seconds(1))),
    ] + everyAction.map { WorldEvent(.time(.seconds(9)), ControlCommand($0)) }

  private static let everyAction: [ControlCommand.Action] =
    ([
      .dropLink, .vanish, .appear, .setRSSI(-33), .repeatProperties, .heal, .forgetBonds,
      .typePasskey(7), .askForSecurity, .refuseConnect(times: 0),
      .dropAfterOperations(nil), .dropAfterTime(nil), .loseNames(), .moveAttributes(by: 0), .slowLink(.zero),
    ] as [PeripheralAction]).map { .peripheral(device, $0) }
    + ([
      .setValue([1, 2]), .repeatProperties, .answer(AnswerFault(.never, to: .subscribe)), .heal,
    ] as [CharacteristicAction]).map { .characteristic(reference, $0) }
    + ([
      .switchOn, .switchOff, .remove, .block, .unblock, .releaseMonitors, .repeatProperties, .heal,
      .silence(until: .reset), .ignoreConnects(until: .restart),
    ] as [AdapterAction]).map { .adapter("hci2", $0) } + [.adapter("hci7", .add)]
    + ([
      .kill, .stop, .start, .freeze, .thaw, .killBus, .startBus, .doubleSignals(), .doubleSignals(times: 3),
      .failCalls(CallFault("StartDiscovery")),
      .failCalls(
        CallFault(
          "Connect", BlueZError("org.bluez.Error.InProgress", "In Progress"), device: device, times: 2)),
    ] as [DaemonAction]).map { .daemon($0) }
    + ([
      .scan(), .stopScan(adapter: "hci1"), .subscribe(reference), .hold(reference), .release(reference),
      .registerAgent, .unregisterAgent, .leave,
      .scan(
        OtherClientFilter(services: [BluetoothUUID(0x180D)], rssi: -70, pattern: "A", duplicates: true),
        adapter: "hci1"),
    ] as [OtherClientAction]).map { .otherClient($0) }

  private static let wrongAnswers = ServiceSpec(
    BluetoothUUID(0xFF40),
    [
      CharacteristicSpec(
        BluetoothUUID(0xFF41), 0x0A,
        faults: [
          .answer(AnswerFault(.late(.seconds(1)), to: .read, times: 2)), .answer(AnswerFault(.never)),
          .answer(AnswerFault(.error(0x85), to: .write)),
        ])
    ])

  private static func characteristic(_ number: UInt16, reading: ReadBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(BluetoothUUID(short: number), .read, reading: reading)
  }

  private static func characteristic(_ number: UInt16, writing: WriteBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(BluetoothUUID(short: number), [.write, .writeWithoutResponse], writing: writing)
  }

  private static func characteristic(_ number: UInt16, notifying: NotifyBehaviour) -> CharacteristicSpec {
    CharacteristicSpec(BluetoothUUID(short: number), [.notify, .indicate], value: [], notifying: notifying)
  }

  private static let generators: [ValueGenerator] = [
    .list([[], [1], Array("text".utf8)]),
    .numbers(
      .counter(Counter(from: 60, step: -0.5, to: 10)), NumberFormat(.integer(.u8), prefix: [0])),
    .numbers(.counter(Counter()), NumberFormat(.integer(.u8))),
    .numbers(.sine(Sine(middle: 36.6, amplitude: 0.25, period: 60)), NumberFormat(.medical(.sfloat))),
    .numbers(
      .walk(RandomWalk(from: 0, step: 1, within: -10...10, seed: 42)), NumberFormat(.real(.f32))),
    .numbers(.ramp(Ramp(first: 1, last: 0.5, period: 9)), NumberFormat(.real(.f32))),
    .numbers(.random(RandomNumbers(within: 0...9, seed: 3)), NumberFormat(.integer(.u8))),
    .clock(.currentTime), .clock(.text), layout,
  ]

  private static let layout: ValueGenerator =
    (try? OwnLayout(compact: "temp=i16*0.01°C accel=i16[2] n=u8 crc32")).map { layout in
      .layout(
        LayoutRule(
          layout,
          [
            FieldSpec("temp", .numbers(.random(RandomNumbers(within: 20...21)))),
            FieldSpec("accel", .elements([.constant(.number(0)), .list([.number(1), .text("2")])])),
          ]))
    } ?? .list([])

  private static let changes: [AdvertisedChanges] =
    generators.map { .generate($0, every: .milliseconds(500)) }
    + [.sequence([TimedData([1], for: .milliseconds(100)), TimedData([], for: .seconds(1))])]

  private static let beacons = [
    BeaconSpec(
      .bthome,
      [
        FieldSpec("temperature_celsius", .numbers(.sine(Sine(middle: 21.5, amplitude: 3, period: 60)))),
        FieldSpec("battery", .constant(.number(80))), FieldSpec("motion", .constant(.flag(false))),
        FieldSpec("button", .list([.text("press"), .text("none")])),
      ], every: .seconds(60), key: BindKey(bytes: [UInt8](1...16)), firstCounter: 9),
    BeaconSpec(.ruuvi, [FieldSpec("sequence", .numbers(.counter(Counter(to: 7))))]),
    BeaconSpec(.eddystoneTelemetry, []),
    BeaconSpec(
      .iBeacon, [FieldSpec("uuid", .constant(.text("e2c56db5-dffb-48d2-b060-d0f5a71096e0")))]),
    BeaconSpec(
      .pvvx,
      [
        FieldSpec(
          "humidity", .numbers(.walk(RandomWalk(from: 40, step: 1, within: 30...50.5, seed: 3))))
      ]),
  ]

  private static let reads = ServiceSpec(
    BluetoothUUID(0xFF00),
    [.value, .slow(.seconds(60)), .stall, .fails(0x85)].map { characteristic(0xFF01, reading: $0) }
      + generators.map { characteristic(0xFF02, reading: .next($0)) })

  private static let writes = ServiceSpec(
    BluetoothUUID(0xFF10),
    [
      .store, .discard, .fails(0x03), .echo(to: BluetoothUUID(0xFF21)), .burst(to: BluetoothUUID(0xFF21)),
      .hangUp,
      .stall,
      .answer([WriteAnswer(to: [1, nil], with: [nil, 2], on: BluetoothUUID(0xFF21), allowsMore: true)]),
    ].map { characteristic(0xFF11, writing: $0) })

  private static let notifications = ServiceSpec(
    BluetoothUUID(0xFF20),
    ([.onDemand, .flood(count: 7), .flood(count: 7, perSecond: 5)]
      + generators.map { .generate($0, every: .milliseconds(20)) }).map {
        characteristic(0xFF21, notifying: $0)
      })

  private static let structure = ServiceSpec(
    BluetoothUUID(0xFF30),
    [
      CharacteristicSpec(
        BluetoothUUID(0xFF31), 0xFF, value: [1],
        descriptors: [
          DescriptorSpec(
            BluetoothUUID(0x2901), value: [1], isWritable: true, reading: .fails(0x80), handle: 0x210),
          DescriptorSpec(BluetoothUUID(0x2902), value: [], security: .authenticated),
        ], maximumLength: 1, security: .secureConnections, handle: 0x200)
    ], isPrimary: false, includes: [.uuid(BluetoothUUID(0xFF00)), .handle(0x1F0)], handle: 0x1F0)
}

extension IntegerFormat {
  fileprivate static let u8 = IntegerFormat.all[0]
}

extension RealFormat {
  fileprivate static let f32 = RealFormat.all[0]
}
