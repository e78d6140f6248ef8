// SPDX-License-Identifier: MIT
import Testing

@testable import DBus

@Suite("Objects of ours")
struct LocalObjectTests {
  private static let objects = LocalObjects(
    root: "/app", for: ":1.7",
    [
      LocalObject(
        path: "/app/thing", interface: "org.example.Thing1",
        properties: [("Size", .uint16(7)), ("Names", .strings(["a"]))]
      ) { method, call in
        switch method {
        case "Poke": .now(Message(replyTo: call) { $0.string("poked") })
        case "Wait": .later
        default: nil
        }
      }
    ])

  private func answer(
    _ member: String, of interface: String, at path: String, _ arguments: String...
  ) -> Message? {
    guard case .now(let reply) = wholeAnswer(member, of: interface, at: path, arguments) else { return nil }
    return reply
  }

  private func wholeAnswer(
    _ member: String, of interface: String, at path: String, _ arguments: [String] = []
  ) -> LocalAnswer? {
    let call = Message(call: member, of: interface, at: path, to: "org.example") { writer in
      for argument in arguments { writer.string(argument) }
    }
    _ = call.values  // reading the body numbers a message that was never sent
    return Self.objects.exports[path]?.answer(call)
  }

  @Test("The root lists the objects with their properties")
  func list() throws {
    let reply = try #require(answer("GetManagedObjects", of: StandardInterface.objectManager, at: "/app"))
    #expect(reply.signature == "a{oa{sa{sv}}}")
    let interfaces = try #require(reply.values.first?["/app/thing"])
    #expect(
      interfaces["org.example.Thing1"] == .properties([("Size", .uint16(7)), ("Names", .strings(["a"]))]))
  }

  @Test("Properties are read one by one, or all")
  func properties() {
    let properties = StandardInterface.properties
    #expect(
      answer("Get", of: properties, at: "/app/thing", "org.example.Thing1", "Size")?.values == [
        .variant(.uint16(7))
      ])
    #expect(
      answer("Get", of: properties, at: "/app/thing", "org.example.Thing1", "Colour")?.errorName
        == ErrorName.invalidArguments)
    #expect(
      answer("GetAll", of: properties, at: "/app/thing", "org.example.Thing1")?.values == [
        .properties([("Size", .uint16(7)), ("Names", .strings(["a"]))])
      ])
    #expect(
      answer("GetAll", of: properties, at: "/app/thing", "org.example.Other")?.values == [.properties([])])
  }

  @Test("A method is called, and its answer returned")
  func method() {
    #expect(answer("Poke", of: "org.example.Thing1", at: "/app/thing")?.values == [.string("poked")])
  }

  @Test("A method that takes time is answered later")
  func later() {
    let answer = wholeAnswer("Wait", of: "org.example.Thing1", at: "/app/thing")
    let isLater = if case .later = answer { true } else { false }
    #expect(isLater)
  }

  @Test(
    "A call of a missing object or method is not answered",
    arguments: [
      ("Poke", "org.example.Thing1", "/app"), ("Poke", "org.example.Thing1", "/app/other"),
      ("Poke", "org.example.Other", "/app/thing"), ("Prod", "org.example.Thing1", "/app/thing"),
      ("GetManagedObjects", StandardInterface.objectManager, "/app/thing"),
      ("GetAll", StandardInterface.properties, "/app"), ("Set", StandardInterface.properties, "/app/thing"),
    ])
  func unknown(_ member: String, _ interface: String, _ path: String) {
    #expect(answer(member, of: interface, at: path) == nil)
  }

  @Test("Calls may be for the root and for each object")
  func paths() { #expect(Self.objects.exports.keys.sorted() == ["/app", "/app/thing"]) }
}
