// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import BlueZClient

@Suite("BLEError from D-Bus")
struct BLEErrorMappingTests {
  /// An error of BlueZ, and what it means.
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var code: BLEError.Code
    var attError: ATTError?

    init(_ name: String, _ text: String, _ code: BLEError.Code, _ attError: ATTError? = nil) {
      self.name = name
      self.text = text
      self.code = code
      self.attError = attError
    }

    var testDescription: String { "\(name) \"\(text)\"" }
  }

  private func expect(_ row: Row, name: String) {
    let error = BLEError(DBusError(.reply, name: name, message: row.text), during: .scan)
    #expect(error.code == row.code)
    #expect(error.attError == row.attError)
    #expect(error.dbusName == name)
    #expect(error.action == .scan)
    #expect(!error.message.isEmpty)
  }

  @Test(
    "Each error of the bus has its code",
    arguments: [
      Row("ServiceUnknown", "The name org.bluez was not provided by any .service files", .serviceUnavailable),
      Row("NameHasNoOwner", "Could not get owner of name 'org.bluez'", .serviceUnavailable),
      Row("Spawn.ChildExited", "Process org.bluez exited with status 1", .serviceUnavailable),
      Row("NoReply", "Message recipient disconnected from message bus without replying", .serviceUnavailable),
      Row("NoReply", "Message did not receive a reply (timeout by message bus)", .timedOut),
      Row("AccessDenied", "Rejected send message", .accessDenied),
      Row("UnknownObject", "Method \"Connect\" with signature \"\" … doesn't exist", .notFound),
      Row("UnknownMethod", "Method \"Connect\" with signature \"\" … doesn't exist", .notSupported),
      Row("UnknownInterface", "", .notSupported),
      Row("LimitsExceeded", "The maximum number of pending replies per connection has been reached", .busy),
      Row("InvalidArgs", "No such property 'RSSI'", .failed), Row("PropertyReadOnly", "", .failed),
      Row("InvalidSignature", "", .failed), Row("UnknownProperty", "", .failed),
    ])
  func bus(row: Row) { expect(row, name: "org.freedesktop.DBus.Error." + row.name) }

  @Test(
    "Each error of BlueZ about adapters, scans and links has its code",
    arguments: [
      Row("NotReady", "Resource Not Ready", .poweredOff), Row("Blocked", "Blocked through rfkill", .blocked),
      Row("Busy", "", .busy), Row("InProgress", "Operation already in progress", .busy),
      Row("InProgress", "In Progress", .busy), Row("Failed", "Operation already in progress", .busy),
      Row("Failed", "Input/output error", .failed), Row("Failed", "Powering down", .failed),
      Row("Failed", "le-connection-abort-by-local", .connectionFailed),
      Row("Failed", "br-connection-canceled", .connectionFailed),
      Row("Failed", "le-connection-key-missing", .bondLostByPeer),
      Row("Failed", "br-connection-key-missing", .bondLostByPeer),
      Row("Failed", "le-connection-concurrent-connection-limit", .connectionFailed),
      Row("Failed", "br-connection-page-timeout", .connectionFailed),
      Row("NotAvailable", "br-connection-profile-unavailable", .connectionFailed),
      Row("BREDR.ProfileUnavailable", "No more profiles to connect to", .connectionFailed),
      Row("Failed", "Software caused connection abort", .failed), Row("Failed", "Host is down", .failed),
      Row("Failed", "No discovery started", .failed), Row("DoesNotExist", "Does Not Exist", .notFound),
      Row("AlreadyExists", "Already Exists", .failed),
      Row("AlreadyExists", "Already Paired", .alreadyPaired),
      Row("AuthenticationFailed", "Authentication Failed", .authenticationFailed),
      Row("AuthenticationCanceled", "Authentication Canceled", .pairingCancelled),
      Row("AuthenticationRejected", "Authentication Rejected", .pairingRejected),
      Row("AuthenticationTimeout", "Authentication Timeout", .pairingTimedOut),
      Row("ConnectionAttemptFailed", "Page Timeout", .connectionFailed),
    ])
  func links(row: Row) { expect(row, name: "org.bluez.Error." + row.name) }

  @Test(
    "Each error of BlueZ about attributes has its code",
    arguments: [
      Row("Failed", "Not connected", .disconnected), Row("NotConnected", "Not Connected", .disconnected),
      Row("Failed", "No ATT transport", .disconnected), Row("Failed", "Failed to send read request", .failed),
      Row("Failed", "Failed to initiate write", .failed), Row("Failed", "Failed to subscribe", .failed),
      Row("Failed", "Failed to register notify session", .failed),
      Row("NotPermitted", "Read not permitted", .notPermitted, .readNotPermitted),
      Row("NotPermitted", "Write not permitted", .notPermitted, .writeNotPermitted),
      Row("NotPermitted", "Not paired", .notPaired), Row("NotPermitted", "Write acquired", .busy),
      Row("NotPermitted", "Notify acquired", .busy), Row("NotPermitted", "anything else", .notPermitted),
      Row("NotAuthorized", "Operation Not Authorized", .notAuthorized, .insufficientAuthorization),
      Row("NotSupported", "Operation is not supported", .notSupported),
      Row("InvalidArguments", "Invalid offset", .invalidLength, .invalidOffset),
      Row("InvalidArguments", "Invalid Length", .invalidLength, .invalidAttributeValueLength),
      Row("InvalidArguments", "Invalid arguments in method call", .failed),
      Row("Failed", "Operation failed with ATT error: 0x0e", .attributeError, .unlikelyError),
      Row("Failed", "Operation failed with ATT error: 0x85", .attributeError, ATTError(code: 0x85)),
      Row("Failed", "Operation failed with ATT error: 0xfe", .attributeError, ATTError(code: 0xfe)),
      Row("Failed", "Operation failed with ATT error: 0x", .failed),
      Row("Failed", "Operation failed with ATT error: 0x100", .failed),
      Row("Failed", "Operation failed", .failed),
      Row("Failed", "Bad address", .failed), Row("Failed", "No notify session started", .failed),
    ])
  func attributes(row: Row) { expect(row, name: "org.bluez.Error." + row.name) }

  @Test("Any ATT error in BlueZ's words is understood", arguments: UInt8.min...UInt8.max)
  func attErrors(code: UInt8) {
    let digits = (code < 16 ? "0" : "") + String(code, radix: 16)
    #expect(ATTError(blueZText: "Operation failed with ATT error: 0x" + digits)?.code == code)
  }

  @Test(
    "An unknown error keeps its name and words", arguments: ["org.bluez.Failed", "org.example.Error.Odd"])
  func unknown(name: String) {
    let error = BLEError(DBusError(.reply, name: name, message: "odd"), during: .scan)
    #expect(error.code == .failed)
    #expect(error.dbusName == name)
    #expect(error.message == "odd")
    #expect(error.cause == .other(name: name, text: "odd"))
    #expect(BLEError(DBusError(.reply, name: name, message: ""), during: .scan).message == name)
  }

  @Test(
    "Each failure on this side has its code",
    arguments: [
      (DBusError.Origin.timedOut, BLEError.Code.timedOut), (.cancelled, .cancelled),
      (.disconnected, .busUnavailable), (.abandoned, .disconnected),
    ])
  func ownErrors(origin: DBusError.Origin, code: BLEError.Code) {
    // The name is that of a reply's error: it must not decide.
    let error = BLEError(
      DBusError(origin, name: "org.bluez.Error.NotReady", message: "m"), during: .scan)
    #expect(error.code == code)
  }

  @Test("An error says what could not be done, and why, and for common causes what helps")
  func words() {
    let error = BLEError(DBusError(.reply, name: "org.bluez.Error.NotReady", message: "x"), during: .scan)
    #expect(error.description == "cannot scan: the adapter is off")
    #expect(error.hint == "power the adapter on")
    #expect(BLEError(.failed, during: .scan, "odd").hint == nil)
  }

  @Test(
    "A refusal may pass, so that a link is opened again, unless the request, its rights or the attribute are wrong",
    arguments: [
      (UInt8(0x01), false), (0x02, false), (0x03, false), (0x04, false), (0x05, false), (0x06, false),
      (0x07, false), (0x08, false), (0x09, true), (0x0a, false), (0x0b, false), (0x0c, false), (0x0d, false),
      (0x0e, true), (0x0f, false), (0x10, false), (0x11, true), (0x12, true), (0x13, false), (0x14, true),
      (0x80, true), (0x9f, true), (0xfc, true), (0xfd, true), (0xfe, true), (0xff, false),
    ])
  func refusal(code: UInt8, mayPass: Bool) {
    #expect(ATTError(code: code).mayPass == mayPass)
    var error = BLEError(.attributeError, during: .scan, "refused")
    error.attError = ATTError(code: code)
    #expect(error.isRecoverable == mayPass)
  }

  @Test("A refused attribute is named in the sentence and in the fields of the error")
  func subject() throws {
    let device = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5"))
    let attribute = BLEError.Attribute(.descriptor, .clientCharacteristicConfiguration, handle: 7, of: device)
    let refusal = DBusError(.reply, name: "org.bluez.Error.NotPermitted", message: "Read not permitted")
    let error = BLEError(refusal, during: .read(attribute))
    #expect(error.subject == .attribute(attribute))
    #expect(error.device == device)
    #expect(error.cause == .readNotPermitted)
    #expect(
      error.description
        == "cannot read descriptor 2902 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x02 read not permitted)"
    )
    #expect(error.during(.reconnect(device)).device == device)
    #expect(error.during(.advertise).subject == nil)
  }
}
