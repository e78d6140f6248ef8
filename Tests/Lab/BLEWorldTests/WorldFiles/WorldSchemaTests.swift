// SPDX-License-Identifier: MIT
import Foundation
import JSON
import TestSupport
import Testing

@testable import BLEWorld

// Foundation is here for the files of the repository and as a reader of JSON that we did not write.
@Suite("World schema")
struct WorldSchemaTests {
  private static let folder = URL(fileURLWithPath: RecordedFile.path("docs"))

  /// `BLECTL_RECORD=1 swift test --filter WorldSchemaTests` writes the file again.
  @Test("The published schema is that of the reader")
  func publishedSchemaReader() throws {
    let file = Self.folder.appendingPathComponent("world.schema.json")
    if ProcessInfo.processInfo.environment["BLECTL_RECORD"] != nil {
      try Data(Schema.ofWorlds).write(to: file)
    }
    let published = try String(contentsOf: file, encoding: .utf8)
    #expect(published == String(decoding: Schema.ofWorlds, as: UTF8.self))
  }

  @Test("The schema names every key that the reader knows, and no other")
  func schemaNamesEvery() throws {
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(Schema.ofWorlds)) as? [String: Any])
    let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
    func keys(_ name: String) -> Set<String> {
      Set(((name.isEmpty ? schema : definitions[name])?["properties"] as? [String: Any] ?? [:]).keys)
    }
    #expect(keys("") == names(ObjectCodec.world))
    #expect(keys("adapter") == names(ObjectCodec.adapter))
    #expect(keys("peripheral") == names(ObjectCodec.peripheral))
    #expect(keys("advertisement") == names(ObjectCodec.advertisement))
    #expect(keys("fault_refuse_connect") == ["do", "times", "error", "text", "comment"])
    #expect(keys("event_drop_link") == ["at", "every", "when", "do", "device", "comment"])
    #expect(keys("service") == names(ObjectCodec.service))
    #expect(keys("characteristic") == names(ObjectCodec.characteristic))
    #expect(keys("descriptor") == names(ObjectCodec.descriptor))
    #expect(keys("uart") == names(ObjectCodec.serialPort))
    #expect(keys("smp") == names(ObjectCodec.smp))
    #expect(keys("dfu") == names(ObjectCodec.dfu))
    #expect(keys("notify_replay") == ["replay", "characteristic", "every", "repeats", "comment"])
    for (name, definition) in definitions {
      #expect(definition["additionalProperties"] as? Bool == false, "\(name)")
    }
  }

  @Test("The examples are worlds")
  func examplesWorlds() throws {
    let file = Self.folder.appendingPathComponent("example-world.json")
    let world = try World(file: file.path)
    #expect(world.peripherals.count == 4)
    let sensors = try World(file: Self.folder.appendingPathComponent("../Examples/sensors/world.json").path)
    let changing = sensors.peripherals.filter(\.advertisement.isChanging)
    #expect(changing.count == 5)
    let ports = try World(file: Self.folder.appendingPathComponent("../Examples/serial/world.json").path)
    #expect(ports.peripherals.count { $0.uart != nil } == 3)
  }

  private func names(_ object: ObjectCodec<some Sendable>) -> Set<String> {
    Set(object.keys.map(\.name) + ["comment"])
  }
}

extension Schema {
  /// The schema of world files.
  static var ofWorlds: [UInt8] { document(ObjectCodec.world.schema, title: "A world for blectl simulate") }
}
