// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import Doctor

/// The causes that follow from what an attempt with a device showed.
@Suite("Device diagnosis")
struct DeviceDiagnosisTests {
  static let address = BluetoothAddress(bytes: [0xC0, 0, 0, 0, 0, 1])
  static let privateAddress = BluetoothAddress(bytes: [0x5B, 0, 0, 0, 0, 1])
  static let other = BluetoothAddress(bytes: [0xC0, 0, 0, 0, 0, 2])

  /// An attempt that went well, changed.
  func diagnosis(
    advice: String = "", _ change: (inout DeviceObservations) -> Void
  ) -> DeviceDiagnosis {
    var seen = DeviceObservations(device: "Lamp", address: Self.address)
    seen.addressType = .random
    seen.version = BlueZVersion(major: 5, minor: 66)
    seen.hearing = Self.hearing()
    var attempt = LinkAttempt()
    (attempt.openedAfter, attempt.endedAfter) = (.milliseconds(100), .milliseconds(300))
    seen.attempts = [attempt]
    seen.link = .init(origin: .opened, mtu: 517)
    seen.services = .init(services: 2, characteristics: 5)
    seen.readings = [.init(BluetoothUUID(0x2A19))]
    change(&seen)
    return DeviceDiagnosis(seen, advice: advice) { $0.isOfHangingService ? "the hint of every command" : nil }
  }

  static func hearing(_ rssi: Int = -60, count: Int = 9) -> Hearing {
    var hearing = Hearing()
    hearing.duration = .seconds(3)
    for number in 0..<count {
      if let address { hearing.heard(from: address, rssi: rssi + number % 3) }
    }
    return hearing
  }

  static func error(
    _ code: BLEError.Code, _ message: String = "no", att: UInt8? = nil, end: LinkEndReason? = nil
  ) -> BLEError {
    var error = BLEError(code, during: .scan, message)
    error.attError = att.map { ATTError(code: $0) }
    error.linkEnd = end
    return error
  }

  static func attempt(_ error: BLEError, openedAfter: Duration? = nil) -> LinkAttempt {
    var attempt = LinkAttempt()
    (attempt.openedAfter, attempt.endedAfter, attempt.failure) = (openedAfter, .seconds(2), error)
    return attempt
  }

  static func failed(_ seen: inout DeviceObservations, _ attempts: LinkAttempt...) {
    (seen.link, seen.services, seen.readings, seen.attempts) = (nil, nil, [], attempts)
    seen.failure = attempts.last?.failure
  }

  @Test("An attempt without a fault has no cause, no evidence and no advice")
  func healthy() {
    let diagnosis = diagnosis { _ in }
    #expect(diagnosis.cause == nil && diagnosis.fix == nil && diagnosis.evidence.isEmpty)
    #expect(diagnosis.message == "it can be used: 2 services, 1 value read")
  }

  @Test("A refusal of one value says nothing about the device")
  func refusedValue() {
    let diagnosis = diagnosis {
      $0.readings.append(.init(BluetoothUUID(0x2A06), failure: Self.error(.attributeError, att: 0x85)))
    }
    #expect(diagnosis.cause == nil)
    #expect(diagnosis.message == "it can be used: 2 services, 1 value read, 1 refused (2a06: no)")
  }

  // MARK: Without a link

  @Test("A device that is not heard was never there, has moved, or is connected elsewhere")
  func unheard() {
    func cause(_ address: BluetoothAddress?, _ type: AddressType?, isKnown: Bool) -> DeviceCause? {
      diagnosis {
        Self.failed(&$0)
        $0.hearing = Self.hearing(count: 0)
        if let other = Self.other { $0.hearing?.heardOther(other, hasSameName: false) }
        ($0.address, $0.addressType) = (address, type)
        if isKnown, let address { $0.memory = .init(address: address) }
      }.cause
    }
    #expect(cause(Self.address, nil, isKnown: false) == .notHeard)
    #expect(cause(nil, nil, isKnown: false) == .notHeard)
    // It may be a public address: nothing shows what it is.
    #expect(cause(Self.privateAddress, nil, isKnown: false) == .notHeard)
    #expect(cause(Self.privateAddress, .public, isKnown: true) == .connectedElsewhere)
    #expect(cause(Self.privateAddress, .random, isKnown: true) == .addressRotated)
    #expect(cause(Self.address, .random, isKnown: true) == .connectedElsewhere)
  }

  @Test("A name that is not heard is followed by a similar one that is")
  func misspelt() {
    let diagnosis = diagnosis(advice: "; did you mean Lamp?") {
      Self.failed(&$0)
      $0.hearing = Self.hearing(count: 0)
      if let other = Self.other { $0.hearing?.heardOther(other, hasSameName: false) }
    }
    #expect(diagnosis.cause == .notHeard && diagnosis.message.hasSuffix("another device; did you mean Lamp?"))
  }

  @Test("A link of another adapter is the cause, whatever else was seen")
  func otherAdapter() {
    let diagnosis = diagnosis {
      Self.failed(&$0)
      $0.otherAdapters = ["hci1"]
    }
    #expect(diagnosis.cause == .connectedElsewhere)
    #expect(diagnosis.fix == "blectl disconnect C0:00:00:00:00:01 -i hci1")
  }

  @Test("The address at which a device of the same name is heard is the advice for one that has moved")
  func namesake() {
    let diagnosis = diagnosis {
      Self.failed(&$0)
      var hearing = Hearing()
      if let other = BluetoothAddress(bytes: [0x4B, 0, 0, 0, 0, 2]) {
        hearing.heardOther(other, hasSameName: true)
      }
      ($0.hearing, $0.address) = (hearing, Self.privateAddress)
    }
    #expect(diagnosis.cause == .addressRotated)
    #expect(diagnosis.fix == "blectl doctor 4B:00:00:00:00:02")
    #expect(diagnosis.evidence.contains("a device of the same name is heard from 4B:00:00:00:00:02"))
  }

  @Test(
    "A known device that is not heard has another address by now, if one of its name is heard from a private one",
    arguments: [(0x5B, [.addressRotated, .connectedElsewhere]), (0xC0, [.connectedElsewhere])]
      as [(UInt8, [DeviceCause])])
  func namesakeOfKnown(_ first: UInt8, _ causes: [DeviceCause]) throws {
    let address = try #require(Self.address)
    let other = try #require(BluetoothAddress(bytes: [first, 0xA2, 0x11, 0x7C, 0x40, 0x1D]))
    let diagnosis = diagnosis {
      Self.failed(&$0)
      var hearing = Self.hearing(count: 0)
      hearing.heardOther(other, hasSameName: true)
      ($0.hearing, $0.memory) = (hearing, .init(address: address))
    }
    #expect(diagnosis.findings.map(\.cause) == causes)
    if causes.count > 1 { #expect(diagnosis.fix == "blectl doctor \(other)") }
  }

  @Test(
    "Failed attempts have the cause that their errors, the signal and the links show",
    arguments: [
      (attempt(error(.connectionFailed)), -60, DeviceCause.noLink),
      (attempt(error(.connectionFailed)), -92, .weakSignal),
      (attempt(error(.connectionFailed, end: .unreported)), -60, .linkDrops),
      (attempt(error(.connectionFailed, end: .remote), openedAfter: .seconds(1)), -60, .linkDrops),
      (attempt(error(.timedOut), openedAfter: .seconds(1)), -60, .servicesUnresolved),
      (attempt(error(.timedOut)), -60, .noLink),
      (attempt(error(.serviceUnavailable), openedAfter: .seconds(1)), -60, .daemonFault),
      (attempt(error(.poweredOff)), -60, .adapterOff), (attempt(error(.bondLostByPeer)), -60, .bondLost),
      (attempt(error(.deviceBlocked)), -60, .blocked),
      (
        attempt(
          BLEError(
            DBusError(
              .reply, name: "org.bluez.Error.Failed", message: "le-connection-concurrent-connection-limit"),
            during: .scan)), -60, .noSlots
      ),
    ])
  func attempts(_ attempt: LinkAttempt, _ rssi: Int, _ cause: DeviceCause) {
    let diagnosis = diagnosis {
      Self.failed(&$0, attempt)
      $0.hearing = Self.hearing(rssi)
    }
    #expect(diagnosis.cause == cause)
    #expect(diagnosis.fix?.isEmpty == false)
  }

  @Test(
    "A link that could not be encrypted shows lost keys, if the device is paired", arguments: [true, false])
  func encryption(_ isPaired: Bool) {
    let diagnosis = diagnosis {
      Self.failed(&$0, Self.attempt(Self.error(.connectionFailed, end: .authentication)))
      $0.isPaired = isPaired
    }
    #expect(diagnosis.cause == (isPaired ? .bondLost : .linkDrops))
  }

  @Test(
    "Links that are lost are the cause, unless one stood for longer without services",
    arguments: [(Duration.seconds(2), DeviceCause.linkDrops), (.seconds(9), .servicesUnresolved)])
  func limit(_ last: Duration, _ cause: DeviceCause) {
    let diagnosis = diagnosis {
      var cut = Self.attempt(Self.error(.timedOut), openedAfter: .milliseconds(10))
      cut.endedAfter = last
      Self.failed(
        &$0, Self.attempt(Self.error(.connectionFailed, end: .remote), openedAfter: .seconds(1)), cut)
    }
    #expect(diagnosis.cause == cause)
  }

  @Test("A scan that bluetoothd refuses is not mistaken for a device that is heard")
  func refusedScan() {
    let diagnosis = diagnosis {
      Self.failed(&$0)
      ($0.hearing, $0.failure) = (nil, Self.error(.failed, "not now"))
    }
    #expect(diagnosis.findings.map(\.cause) == [.cannotScan])
    #expect(diagnosis.message == "bluetoothd cannot scan: not now")
  }

  @Test("A device that was not listened for is not said to be heard")
  func unlistened() {
    let diagnosis = diagnosis {
      var error = Self.error(.timedOut)
      error.action = .keepLink
      Self.failed(&$0, Self.attempt(error))
      $0.hearing = nil
    }
    #expect(diagnosis.cause == .noLink)
    #expect(diagnosis.message == "no link comes about")
  }

  @Test("A device that BlueZ forgets instead of connecting accepts no connections")
  func beacon() {
    let diagnosis = diagnosis {
      Self.failed(&$0)
      $0.lossesFromMemory = 3
    }
    #expect(diagnosis.cause == .notConnectable)
    #expect(diagnosis.evidence.last == "BlueZ forgot it 3 times instead of connecting")
  }

  // MARK: Over a link

  @Test(
    "Refused reads have the cause that their errors show",
    arguments: [
      (error(.notPaired), DeviceCause.needsPairing), (error(.pairingTooWeak), .needsPairing),
      (error(.bondLost), .bondLost), (error(.timedOut), .noAnswer),
      (error(.attributeError, att: 0x01), .staleCache),
      (error(.attributeError, att: 0x0a), .staleCache), (error(.attributeError, att: 0x12), .staleCache),
    ])
  func refusals(_ error: BLEError, _ cause: DeviceCause) {
    let diagnosis = diagnosis {
      $0.services?.isCached = true
      $0.readings = [.init(BluetoothUUID(0x2A19), failure: error)]
    }
    #expect(diagnosis.cause == cause)
    #expect(diagnosis.evidence.contains { $0.hasPrefix("2a19: ") })
  }

  @Test(
    "A value that a device refuses by such an error, of which BlueZ had no services, has nothing to do with a cache",
    arguments: [0x01, 0x0a, 0x12] as [UInt8])
  func refusalWithoutCache(_ code: UInt8) {
    let refused = DeviceObservations.Reading(
      BluetoothUUID(0x2A19), failure: Self.error(.attributeError, att: code))
    #expect(diagnosis { $0.readings = [refused] }.cause == .noValue)
    #expect(diagnosis { $0.readings.append(refused) }.isHealthy)
  }

  @Test(
    "A device of which no value can be had is not healthy, whatever was answered",
    arguments: [error(.busy), error(.failed), error(.attributeError, att: 0x0e), error(.notPermitted)])
  func noValue(_ error: BLEError) {
    let diagnosis = diagnosis {
      $0.readings = [
        .init(BluetoothUUID(0x2A19), failure: error), .init(BluetoothUUID(0xFFF2), failure: error),
      ]
    }
    #expect(diagnosis.findings.map(\.cause) == [.noValue])
    #expect(diagnosis.message == "no value can be had: 2 requests for values failed")
    #expect(diagnosis.evidence == ["2a19: no", "fff2: no"])
    #expect(diagnosis.fix?.hasPrefix(error.code == .busy ? "sudo systemctl" : "") == true)
  }

  @Test("Services that are resolved, but are no longer there, are those of an old cache")
  func lostServices() {
    let diagnosis = diagnosis {
      $0.services = .init(services: 0, characteristics: 0, isCached: true)
      $0.readings = []
    }
    #expect(diagnosis.cause == .staleCache)
    #expect(diagnosis.fix == "blectl forget C0:00:00:00:00:01, then connect again")
  }

  @Test("A device without services is not healthy, and has an old cache only if BlueZ had services of it")
  func noServices() {
    var seen = diagnosis {
      $0.services = .init(services: 0, characteristics: 0)
      $0.readings = []
    }
    #expect(seen.cause == .noServices)
    #expect(seen.message == "BlueZ shows no services of it")
    #expect(seen.evidence.first == "BlueZ does not know it")
    #expect(seen.fix == "blectl scan --address C0:00:00:00:00:01 prints what it advertises")
    seen = diagnosis {
      $0.services = .init(services: 0, characteristics: 0)
      $0.readings = []
      $0.memory = Self.address.map { .init(address: $0) }
    }
    #expect(seen.cause == .noServices)
    #expect(seen.fix?.hasPrefix("blectl forget C0:00:00:00:00:01, and try again; ") == true)
  }

  @Test("A link that is lost at once is unreliable, or the signal is too weak", arguments: [-60, -90])
  func loss(_ rssi: Int) {
    let diagnosis = diagnosis {
      $0.hearing = Self.hearing(rssi)
      $0.link?.loss = Self.error(.disconnected, "the link was lost: the device ended it", end: .remote)
      $0.link?.lossAfter = .milliseconds(420)
    }
    #expect(diagnosis.cause == (rssi < -85 ? .weakSignal : .linkDrops))
    #expect(diagnosis.evidence.last == "the link was lost: the device ended it after 0.42 s")
  }
}
