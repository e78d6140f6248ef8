// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

@Suite("Central role of CoreBluetooth", .serialized, .timeLimit(.minutes(5)))
struct CentralTests {
  @Test("A program finds a strap, reads, subscribes, and gives the link up")
  func strap() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      #expect(fixture.manager.state == .poweredOn)
      let strap = try await fixture.connected("Heart Strap")
      #expect(strap.state == .connected)
      #expect(strap.services == nil)
      let all = try await fixture.characteristics("180D", of: strap)
      #expect(all.map(\.uuid.uuidString) == ["2A37", "2A38", "2A39"])
      #expect(all[0].properties == .notify)
      #expect(all[0].service?.peripheral === strap)
      strap.setNotifyValue(true, for: all[0])
      strap.readValue(for: all[1])
      let state = await fixture.delegate.first {
        if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil }
      }
      #expect(state == true)
      #expect(await fixture.value(of: all[1]).0 == Data([0x01]))
      #expect(await fixture.value(of: all[0]).0?.count == 2)
      strap.setNotifyValue(false, for: all[0])
      let end = await fixture.delegate.first {
        if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil }
      }
      #expect(end == false)
      fixture.manager.cancelPeripheralConnection(strap)
      #expect(strap.state == .disconnecting)
      let error = await fixture.delegate.first { event -> String? in
        if case .disconnected(_, let error, _) = event { error.map { "\($0)" } ?? "none" } else { nil }
      }
      #expect(error == "none")
      #expect(strap.state == .disconnected)
      #expect(strap.services == nil)
    }
  }

  @Test("Advertisements come as dictionaries, and duplicates as the same object")
  func advertisements() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      fixture.manager.scanForPeripherals(
        withServices: [CBUUID(string: "FEE0")],
        options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
      #expect(fixture.manager.isScanning)
      var found: [CBPeripheral] = []
      var data: [String: Any] = [:]
      while found.count < 4 {
        let event = await fixture.delegate.first { event -> (CBPeripheral, [String: Any], NSNumber)? in
          if case .discovered(let peripheral, let data, let rssi) = event {
            (peripheral, data, rssi)
          } else {
            nil
          }
        }
        let (peripheral, dictionary, rssi) = try #require(event)
        found.append(peripheral)
        data = dictionary
        #expect(rssi.intValue < 0)
      }
      fixture.manager.stopScan()
      #expect(!fixture.manager.isScanning)
      #expect(found.allSatisfy { $0 === found[0] })
      #expect(data[CBAdvertisementDataLocalNameKey] as? String == "MI Band 2")
      #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "FEE0")])
      let manufacturer = data[CBAdvertisementDataManufacturerDataKey] as? Data
      #expect(manufacturer == Data([0x57, 0x01, 0x01, 0x00, 0xc8, 0x0f, 0x10, 0x01, 0x02, 0x03]))
      #expect(data[CBAdvertisementDataIsConnectable] as? Bool == true)
      #expect(data[CBAdvertisementDataTxPowerLevelKey] == nil)
    }
  }

  @Test("An identifier leads another manager to the same device")
  func identifiers() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let band = try await fixture.find("MI Band 2")
      let other = CentralFixture(on: fixture.bus)
      _ = await other.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      let again = other.manager.retrievePeripherals(withIdentifiers: [band.identifier, UUID()])
      #expect(again.map(\.identifier) == [band.identifier])
      #expect(again.first !== band)
      #expect(again.first?.name == "MI Band 2")
      #expect(!"\(band.identifier)".contains("C80F10"))
    }
  }

  @Test("A lost link is error 7, and the program connects again though it is refused twice")
  func loss() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.connected("Piano")
      _ = try await fixture.characteristics("FFE0", of: piano)
      await fixture.bus.simulator.dropLink(Address.piano)
      let loss = await fixture.delegate.first { event -> (any Error)? in
        if case .disconnected(_, let error, isReconnecting: false) = event { error } else { nil }
      }
      #expect((loss as? CBError)?.code == .peripheralDisconnected)
      #expect(piano.state == .disconnected)
      #expect(piano.services == nil)
      await fixture.bus.simulator.connectFailures(Address.piano, count: 2)
      fixture.manager.connect(piano)
      #expect(piano.state == .connecting)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      #expect(piano.state == .connected)
    }
  }

  @Test("With automatic reconnection the loss says so, and didConnect follows")
  func reconnecting() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.find("Piano")
      fixture.manager.connect(piano, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      await fixture.bus.simulator.dropLink(Address.piano)
      let isReconnecting = await fixture.delegate.first { event -> Bool? in
        if case .disconnected(_, _, let isReconnecting) = event { isReconnecting } else { nil }
      }
      #expect(isReconnecting == true)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      #expect(piano.state == .connected)
    }
  }

  @Test("Errors of attributes have the codes of ATT, and descriptors their types")
  func attributes() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      peripheral.readValue(for: try bench["0103"])
      #expect(CBATTError.readNotPermitted ~= (try #require(await fixture.value(of: try bench["0103"]).1)))
      peripheral.writeValue(Data([1]), for: try bench["0104"], type: .withResponse)
      let refusal = await fixture.delegate.first { if case .wrote(_, let error) = $0 { error } else { nil } }
      #expect((refusal as? CBATTError)?.code == .writeNotPermitted)
      peripheral.discoverDescriptors(for: try bench["0110"])
      let described = await fixture.delegate.first { event -> [CBDescriptor]? in
        if case .descriptors(let characteristic, nil) = event { characteristic.descriptors } else { nil }
      }
      let first = described?.first { $0.uuid.uuidString == "2901" }
      let text = try #require(first)
      peripheral.readValue(for: text)
      _ = await fixture.delegate.first { if case .descriptorValue = $0 { true } else { nil } }
      #expect(text.value as? String == "A described value")
      #expect(try bench["0110"].descriptors?.count == 2)
      peripheral.readRSSI()
      let rssi = await fixture.delegate.first { if case .rssi(let error) = $0 { error } else { nil } }
      #expect((rssi as? CBError)?.code == .operationNotSupported)
      peripheral.openL2CAPChannel(240)
      let channel = await fixture.delegate.first {
        if case .channel(_, let error) = $0 { error } else { nil }
      }
      #expect((channel as? CBError)?.code == .operationNotSupported)
    }
  }

  @Test("Connection events and connected peripherals are those of all programs")
  func otherPrograms() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let other = CentralFixture(on: fixture.bus)
      _ = await other.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      fixture.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
      let strap = try await other.connected("Heart Strap")
      let event = await fixture.delegate.first { event -> (CBConnectionEvent, UUID)? in
        if case .connectionEvent(let event, let peripheral) = event {
          (event, peripheral.identifier)
        } else {
          nil
        }
      }
      #expect(event?.0 == .peerConnected)
      #expect(event?.1 == strap.identifier)
      let connected = fixture.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
      #expect(connected.map(\.identifier) == [strap.identifier])
      #expect(connected.first?.state == .disconnected)
    }
  }
}
