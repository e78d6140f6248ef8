// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Testing

@testable internal import CoreBluetooth

@Suite("Values of CoreBluetooth")
struct ValueTests {
  @Test("Identifiers are equal by all 128 bits, and keep their width")
  func uuids() {
    let short = CBUUID(string: "1234")
    let long = CBUUID(string: "00001234-0000-1000-8000-00805F9B34FB")
    #expect(short == long)
    #expect(short.hash == long.hash)
    #expect(short.data == Data([0x12, 0x34]))
    #expect(short.uuidString == "1234")
    #expect(long.data.count == 16)
    #expect(long.uuidString == "00001234-0000-1000-8000-00805F9B34FB")
    #expect(CBUUID(data: Data([0x18, 0x0d])) == CBUUID(string: "0x180d"))
    #expect(CBUUID(string: "FFA0-FFB0").uuidString == "FFA0FFB0")
    let uuid = UUID()
    #expect(CBUUID(nsuuid: uuid).uuidString == uuid.uuidString)
    #expect(Set([short, long]).count == 1)
  }

  @Test("Descriptions name a few identifiers only")
  func names() {
    #expect("\(CBUUID(string: "180D"))" == "Heart Rate")
    #expect("\(CBUUID(string: "2A37"))" == "2A37")
  }

  @Test("Errors are caught by their codes, and print as NSError does")
  func errors() {
    let error: any Error = CBError(.peripheralDisconnected)
    #expect(error.localizedDescription == "The specified device has disconnected from us.")
    #expect((error as NSError).domain == "CBErrorDomain")
    #expect((error as NSError).code == 7)
    #expect(
      "\(error)".hasPrefix(
        "Error Domain=CBErrorDomain Code=7 \"The specified device has disconnected from us.\" UserInfo={"))
    #expect(CBError.peripheralDisconnected ~= error)
    do {
      throw CBATTError(.insufficientAuthentication)
    } catch CBATTError.insufficientAuthentication {
    } catch {
      Issue.record("not caught: \(error)")
    }
    #expect(CBATTError.Code(rawValue: 0x85)?.rawValue == 0x85)
    #expect(CBATTError(.init(rawValue: 0x85) ?? .success).localizedDescription == "Unknown ATT error.")
  }

  @Test("The digest is that of the standard")
  func digest() {
    let digits = { (text: String) in
      SHA1.digest(of: Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }
    #expect(digits("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(digits("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    let long = String(repeating: "a", count: 119)
    #expect(digits(long) == "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56")
  }

  @Test("Room for writes without response comes back when all have been taken")
  func credits() {
    var credits = Credits(limit: 8)
    for _ in 0..<8 {
      #expect(credits.hasRoom)
      credits.takeAlways()
    }
    #expect(!credits.hasRoom)
    let answers = (0..<8).map { _ in credits.giveBack() }
    #expect(answers == [false, false, false, false, false, false, false, true])
    #expect(credits.hasRoom)
  }

  @Test("Room for updates is reported after a refusal only, when all have been sent")
  func refusedCredits() {
    var credits = Credits(limit: 2)
    let before = [credits.take(), credits.take(), credits.giveBack(), credits.giveBack()]
    #expect(before == [true, true, false, false])
    let refused = [credits.take(), credits.take(), credits.take()]
    #expect(refused == [true, true, false])
    let after = [credits.giveBack(), credits.take(), credits.giveBack()]
    #expect(after == [false, false, true])
    #expect(credits.hasRoom)
  }

  @Test("An attribute that has gone is refused for its handle, a device for itself")
  func gone() {
    let error = BLEError(.notFound, during: .continue, "it has gone")
    #expect((error.asCoreBluetooth() as? CBError)?.code == .invalidHandle)
    #expect(error.cbCode == .unknownDevice)
  }

  @Test("A bus that was never there is unsupported, and a lost one is resetting")
  func states() {
    for state in [BluetoothState.busUnavailable, .serviceUnavailable] {
      #expect(CBManagerState(state, isFirst: true) == .unsupported)
      #expect(CBManagerState(state, isFirst: false) == .resetting)
    }
  }
}
