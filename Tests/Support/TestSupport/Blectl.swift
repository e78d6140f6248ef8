// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// The built binary, as a user has it.
package struct Blectl: Sendable {
  /// `$BLECTL`, else the one that was built beside the tests; scripts use it in folders of their own.
  package static let path: String = {
    guard let path = realpath(given, nil) else { return given }
    defer { free(path) }
    return String(cString: path)
  }()

  private static let given: String = {
    if let variable = getenv("BLECTL"), variable.pointee != 0 { return String(cString: variable) }
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let directory = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (directory + ["blectl"]).joined(separator: "/")
  }()

  /// The bus that it finds BlueZ on; nil for none of ours.
  package var bus: String?

  package init(bus: String? = nil) { self.bus = bus }

  /// Starts it.
  package func start(
    _ arguments: [String], environment: [String: String?] = [:], input: [UInt8]? = [],
    limit: Duration = .seconds(180)
  ) throws -> ToolRun {
    // Not the keys and names of whoever runs the tests.
    var variables: [String: String?] = [
      "NO_COLOR": nil, "CLICOLOR_FORCE": nil, "BLECTL_ADAPTER": nil, "BLECTL_KEYS": nil,
      "XDG_CONFIG_HOME": "/nonexistent",
    ]
    if let bus { variables["DBUS_SYSTEM_BUS_ADDRESS"] = bus }
    variables.merge(environment) { $1 }
    return try ToolRun(Blectl.path, arguments, environment: variables, input: input, limit: limit)
  }

  /// Runs it to its end.
  package func run(
    _ arguments: String..., environment: [String: String?] = [:], input: [UInt8] = [],
    limit: Duration = .seconds(180)
  ) async throws -> ToolResult {
    try await start(arguments, environment: environment, input: input, limit: limit).result()
  }

  /// Runs it to its end on a terminal of 80 columns, with both streams on it.
  package func onTerminal(
    _ arguments: [String], environment: [String: String?] = [:]
  ) async throws -> ToolResult {
    try await startOnTerminal(arguments, environment: environment).result()
  }

  /// Runs it on a terminal until a picture of a live view fulfils a condition, and then ends it with the key `q`.
  package func onTerminal(
    _ arguments: [String], environment: [String: String?] = [:],
    until condition: @escaping @Sendable (String) -> Bool
  ) async throws -> ToolResult {
    let run = try startOnTerminal(arguments, environment: environment)
    _ = await run.waitForOutput(condition)
    run.send(input: Array("q".utf8))
    return await run.result()
  }

  private func startOnTerminal(_ arguments: [String], environment: [String: String?]) throws -> ToolRun {
    let words = ([Blectl.path] + arguments).map {
      "'" + $0.split(separator: "'").joined(separator: "'\\''") + "'"
    }
    let command = "stty cols 80 rows 24; exec " + words.joined(separator: " ")
    var variables: [String: String?] = [
      "TERM": "xterm", "NO_COLOR": nil, "COLUMNS": nil, "BLECTL_KEYS": nil, "XDG_CONFIG_HOME": "/nonexistent",
    ]
    if let bus { variables["DBUS_SYSTEM_BUS_ADDRESS"] = bus }
    variables.merge(environment) { $1 }
    return try ToolRun("/usr/bin/script", ["-qec", command, "/dev/null"], environment: variables, input: nil)
  }
}

/// A JSON record as a test looks at it.
package struct JSONRecord: @unchecked Sendable {
  /// Never changed after it was parsed.
  private let value: Any

  /// The records of some lines of JSON.
  ///
  /// - Throws: when a line is not a JSON object.
  package static func parse(_ lines: [String]) throws -> [JSONRecord] {
    try lines.map { JSONRecord(value: try JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  private init(value: Any) { self.value = value }

  package subscript(key: String) -> JSONRecord? {
    (value as? [String: Any])?[key].map { JSONRecord(value: $0) }
  }

  package subscript(index: Int) -> JSONRecord? {
    guard let array = value as? [Any], array.indices.contains(index) else { return nil }
    return JSONRecord(value: array[index])
  }

  package var text: String? { value as? String }
  package var number: Int? { value as? Int }
  package var real: Double? { value as? Double }
  package var flag: Bool? { value as? Bool }
  package var elements: [JSONRecord] { (value as? [Any])?.map { JSONRecord(value: $0) } ?? [] }
  package var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
}

extension ToolResult {
  /// The output as JSON, a record a line.
  package var records: [JSONRecord] {
    get throws { try JSONRecord.parse(lines) }
  }
}
