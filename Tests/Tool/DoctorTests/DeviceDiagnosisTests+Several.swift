// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import Doctor

/// The order of several causes, and the evidence of them.
extension DeviceDiagnosisTests {
  @Test("An adapter that hears nothing at all comes before a device that is not heard")
  func silentAdapter() {
    let diagnosis = diagnosis {
      Self.failed(&$0)
      $0.hearing = Self.hearing(count: 0)
    }
    #expect(diagnosis.findings.map(\.cause) == [.adapterSilent, .notHeard])
    #expect(
      diagnosis.fix == "blectl adapter reset; if it stays silent: sudo systemctl restart bluetooth")
  }

  @Test("What an error says of this machine explains the rest, and has the hint of every command")
  func hanging() {
    let hanging = Self.error(.timedOut).ofHangingService
    let opening = diagnosis { Self.failed(&$0, Self.attempt(hanging)) }
    #expect(opening.findings.map(\.cause) == [.daemonHangs])
    #expect(opening.fix == "the hint of every command")
    let reading = diagnosis {
      $0.readings = [.init(BluetoothUUID(0x2A19))]
      $0.link?.loss = hanging
    }
    #expect(reading.findings.map(\.cause) == [.daemonHangs])
    #expect(reading.message == "the Bluetooth service (bluetoothd) does not answer")
    // It hung when the link was to be closed.
    #expect(diagnosis { $0.failure = hanging }.cause == .daemonHangs)
  }

  @Test("Causes of a device that can be used are remarks, in the order of their weight")
  func remarks() {
    let diagnosis = diagnosis {
      $0.hearing = Self.hearing(-97)
      $0.attempts[0].endedAfter = .seconds(15)
      $0.readings = [
        .init(BluetoothUUID(0x2A19), after: .milliseconds(900)),
        .init(BluetoothUUID(0x2A38), failure: Self.error(.notPaired)),
      ]
      $0.held = [BluetoothUUID(0x2A37)]
      ($0.deviceEndedLink, $0.isOpenedMeanwhile) = (true, true)
    }
    #expect(diagnosis.isHealthy && diagnosis.cause == nil && diagnosis.fix == nil)
    #expect(
      diagnosis.findings.map(\.cause) == [
        .weakSignal, .slowServices, .slowLink, .needsPairing, .heldByOther, .endsLink, .openedMeanwhile,
      ])
    #expect(diagnosis.findings.allSatisfy { $0.status == .warn && $0.fix?.isEmpty == false })
    #expect(diagnosis.findings[3].message == "1 of 2 values that were tried requires pairing")
  }

  @Test("Values behind the first that requires pairing are named as not tried, the first five of them")
  func untried() {
    func evidence(_ uuids: [UInt16]) -> [String] {
      diagnosis {
        $0.readings.append(.init(BluetoothUUID(0x2A38), failure: Self.error(.notPaired)))
        $0.untried = uuids.map { BluetoothUUID(short: $0) }
      }.findings[0].evidence
    }
    #expect(evidence([]) == ["2a38: no", "it is not paired"])
    #expect(
      evidence([0x2A6E, 0x2A6F]) == ["2a38: no", "not tried without pairing: 2a6e, 2a6f", "it is not paired"])
    #expect(evidence([1, 2, 3, 4, 5, 6, 7])[1].hasSuffix("0005, and 2 more"))
  }

  @Test("One value that is not answered is another cause than a device that answers nothing")
  func silentValue() {
    let diagnosis = diagnosis {
      $0.hearing = Self.hearing(-97)
      $0.readings = [
        .init(BluetoothUUID(0x2A38), failure: Self.error(.timedOut)),
        .init(BluetoothUUID(0x2A19), after: .milliseconds(50)),
      ]
    }
    #expect(diagnosis.findings.map(\.cause) == [.silentValue, .weakSignal])
    #expect(diagnosis.findings.map(\.status) == [.fail, .warn])
    #expect(diagnosis.message == "it answers requests, but not those for 2a38")
  }

  @Test("A value whose read alone ends the link seems to require a pairing that the device refuses")
  func refusedPairing() {
    let diagnosis = diagnosis {
      $0.readings.append(
        .init(BluetoothUUID(0xFFF2), failure: Self.error(.disconnected), endedLink: true))
    }
    #expect(diagnosis.cause == .pairingRefused)
    #expect(diagnosis.fix == "blectl pair C0:00:00:00:00:01 tells why, if it refuses to pair")
  }

  @Test("A refused value that BlueZ itself reads over each link is the cause, though no later link stands")
  func refusedOwnRead() {
    let diagnosis = diagnosis {
      var reading = DeviceObservations.Reading(
        BluetoothUUID(0x2A19), failure: Self.error(.disconnected, "the link was lost"), endedLink: true)
      reading.endsLaterLinks = true
      $0.readings = [reading]
    }
    #expect(diagnosis.findings.map(\.cause) == [.pairingRefused])
    #expect(
      diagnosis.evidence == [
        "2a19: the link was lost",
        "all later links end before their services are known: BlueZ itself reads 2a19 over each",
        "it is not paired",
      ])
  }

  @Test("A value that BlueZ reads itself, and that requires better keys, is the cause")
  func weakPairing() {
    for error in [Self.error(.pairingTooWeak), Self.error(.timedOut).advising(.pairAgain)] {
      let diagnosis = diagnosis {
        Self.failed(&$0, Self.attempt(error, openedAfter: .seconds(1)))
        $0.isPaired = true
      }
      #expect(diagnosis.findings.map(\.cause) == [.pairingTooWeak])
      #expect(diagnosis.message == "its pairing is too weak for a value that BlueZ itself reads first")
    }
  }

  @Test("Attempts are equal by their errors, whatever words these have")
  func likeness() {
    let first = Self.attempt(Self.error(.busy, "busy"))
    #expect(first.isLike(Self.attempt(Self.error(.busy, "busy: another program uses it"))))
    #expect(!first.isLike(Self.attempt(Self.error(.failed, "busy"))))
    #expect(!first.isLike(Self.attempt(Self.error(.busy, "busy", att: 0x0e))))
    #expect(!first.isLike(Self.attempt(Self.error(.busy, "busy", end: .timeout))))
  }

  @Test("Equal attempts in a row are one line of evidence")
  func foldedAttempts() {
    let diagnosis = diagnosis {
      let lost = Self.attempt(Self.error(.connectionFailed, end: .remote), openedAfter: .seconds(1))
      let refused = Self.attempt(Self.error(.connectionFailed, "busy"))
      Self.failed(&$0, refused, refused, refused, lost, refused)
    }
    #expect(
      diagnosis.evidence.dropFirst() == [
        "attempts 1 to 3, the first: no link after 2.00 s: busy",
        "attempt 4: a link after 1.00 s, lost after 2.00 s: the device ended it",
        "attempt 5: no link after 2.00 s: busy",
      ])
  }

  @Test("Causes that lie with Bluetooth as a whole, and only those, are outages")
  func outages() {
    let outages = DeviceCause.allCases.filter(\.isOutage)
    #expect(outages == [.noBus, .accessDenied, .daemonFault, .daemonHangs, .adapterOff])
  }

  // MARK: Hearing

  @Test("What was heard is summed up by its median, its limits, and what was around")
  func hearing() {
    var hearing = Hearing()
    hearing.duration = .milliseconds(3040)
    #expect(hearing.text == "not heard in 3.04 s, nor was any other device")
    guard let address = Self.address, let other = Self.privateAddress else { return }
    hearing.heardOther(other, hasSameName: false)
    #expect(hearing.text == "not heard in 3.04 s, though 1 other device was")
    for rssi in [-70, -60, -50, -58] { hearing.heard(from: address, rssi: rssi) }
    #expect(hearing.text == "heard 4 times in 3.04 s, -58 dBm (-70 to -50)")
    hearing.heard(from: other, rssi: nil)
    #expect(hearing.addresses == [address, other])
    #expect(!hearing.isWeak)
  }
}
