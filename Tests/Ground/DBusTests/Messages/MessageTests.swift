// SPDX-License-Identifier: MIT
internal import AsyncIO
import Glibc
import Testing

@testable import DBus

@Suite("Message")
struct MessageTests {
  private let call = Message(call: "Get", of: "org.example.Thing", at: "/thing", to: "org.example") {
    $0.string("a")
    $0.uint32(7)
  }

  @Test("A call says where it goes and what it asks")
  func callHeader() {
    #expect(call.kind == .methodCall)
    #expect(call.path == "/thing")
    #expect(call.interface == "org.example.Thing")
    #expect(call.member == "Get")
    #expect(call.destination == "org.example")
    #expect(call.sender == nil)
    #expect(call.errorName == nil)
    #expect(call.signature == "su")
    #expect(call.replySerial == 0)
    #expect(call.wantsReply)
    call.expectNoReply()
    #expect(!call.wantsReply)
  }

  @Test("A signal says whose it is")
  func signalHeader() {
    let signal = Message(signal: "Changed", of: "org.example.Thing", at: "/thing")
    #expect(signal.kind == .signal)
    #expect(signal.path == "/thing")
    #expect(signal.interface == "org.example.Thing")
    #expect(signal.member == "Changed")
    #expect(signal.destination == nil)
    #expect(signal.signature == "")
    #expect(signal.values == [])
  }

  @Test("Replies name the call that they answer")
  func replies() {
    call.setSerial(7)
    let reply = Message(replyTo: call) { $0.boolean(true) }
    #expect(reply.kind == .methodReturn)
    #expect(reply.replySerial == call.serial)
    #expect(reply.replySerial != 0)
    #expect(reply.values == [.boolean(true)])
    let error = Message(errorTo: call, name: "org.example.Error.No", text: "no")
    #expect(error.kind == .error)
    #expect(error.replySerial == call.serial)
    #expect(error.errorName == "org.example.Error.No")
    #expect(error.values == [.string("no")])
  }

  @Test("An error reply becomes an error with its name and words", arguments: ["words", ""])
  func errors(text: String) {
    call.setSerial(7)
    let error = DBusError(reply: Message(errorTo: call, name: "org.example.Error.No", text: text))
    #expect(error.origin == .reply)
    #expect(error.name == "org.example.Error.No")
    #expect(error.message == text)
    #expect(error.description == (text.isEmpty ? "org.example.Error.No" : "org.example.Error.No: words"))
  }

  @Test("A signature is compared whole")
  func hasSignature() {
    #expect(call.hasSignature("su"))
    #expect(!call.hasSignature("s"))
    #expect(!call.hasSignature("sus"))
  }

  @Test("A descriptor is carried as a duplicate, which its receiver owns")
  func descriptors() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let message = Message(signal: "Here", of: "org.example.Thing", at: "/thing") {
      $0.string("the pipe")
      $0.descriptor(ends[1])
    }
    for index in [0, 2] {
      let isThere = message.takeDescriptor(at: index) != nil
      #expect(!isThere)
    }
    if let taken = message.takeDescriptor(at: 1) {
      #expect(taken.raw != ends[1])
      #expect(write(taken.raw, "x", 1) == 1)
    } else {
      Issue.record("no descriptor")
    }
    close(ends[1])
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 1)
    #expect(byte == UInt8(ascii: "x"))
    close(ends[0])
  }

  @Test("The trace of a message names what it is about, in one line")
  func trace() {
    call.setSerial(7)
    #expect(call.traceDescription == "call \(call.serial) /thing org.example.Thing.Get(\"a\", 7)")
    let reply = Message(replyTo: call) { $0.bytes([0, 0xff]) }
    #expect(call.traceDescription(isSecret: true) == "call \(call.serial) /thing org.example.Thing.Get(…)")
    #expect(reply.traceDescription == "reply to \(call.serial) (<00ff>)")
    let error = Message(errorTo: call, name: "org.example.Error.No", text: "no\n")
    #expect(error.traceDescription == "error to \(call.serial) org.example.Error.No (\"no\\n\")")
    let signal = Message(signal: "Changed", of: "org.example.Thing", at: "/thing") {
      $0.properties([("Level", .byte(3))])
    }
    #expect(signal.traceDescription == "signal /thing org.example.Thing.Changed({\"Level\": 3})")
  }

  @Test("A trace cuts long arguments")
  func longTrace() {
    #expect(DBusValue.bytes(Array(repeating: 1, count: 65)).traceDescription.hasSuffix("01…>"))
    #expect(
      DBusValue.array(of: "y", Array(repeating: .byte(1), count: 17)).traceDescription.hasSuffix("1, …]"))
  }
}
