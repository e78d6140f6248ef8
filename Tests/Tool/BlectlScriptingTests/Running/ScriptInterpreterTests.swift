// SPDX-License-Identifier: MIT
import BlectlArguments
import BlectlSession
import TestSupport
import Testing

@testable import BlectlScripting

@Suite("Running the statements of a script")
struct ScriptInterpreterTests {
  /// Notes what it is asked to read and expect; what is not in its values cannot be read.
  private final class FakeDevice: ScriptDevice {
    let values: [String: [UInt8]]
    private(set) var steps: [String] = []

    init(_ values: [String: [UInt8]]) { self.values = values }

    func perform(_ step: ScriptStep) throws {
      switch step {
      case .read(let command): _ = try value(of: command)
      case .expect(let expectation): steps.append("expect \(expectation.description)")
      default: steps.append("\(step)")
      }
    }

    func value(of command: any ReadingCommand) throws -> [UInt8] {
      let name = "\(command.characteristics[0])"
      steps.append("read \(name)")
      guard let value = values[name] else { throw CommandError(status: .notFound, message: "no \(name)") }
      return value
    }
  }

  private func interpreter(
    _ text: String, on device: FakeDevice, goOn: ((CommandError) -> Void)? = nil
  ) throws -> ScriptInterpreter {
    let loaded = try LoadedScript(
      Array(text.utf8), named: "a.ble", FakeGrammar(), overriding: [:], GlobalOptions())
    return ScriptInterpreter(
      loaded, options: GlobalOptions(), address: "F0:F1:F2:F3:F4:F5", device: device, goOn: goOn)
  }

  @Test("A device gets the steps of loops in order, and values that it sent are used in later lines")
  func statements() async throws {
    let device = FakeDevice(["2a19": [0x57], "2a29": [1]])
    let script = try interpreter(
      "for C in 2a19 2a29\nread $C\nend\nlet LEVEL read 2a19\nexpect 2a37 $LEVEL\n", on: device)
    try await script.run()
    #expect(device.steps == ["read 2a19", "read 2a29", "read 2a19", "expect 57"])
    #expect(script.variables["LEVEL"] == "57" && script.results.runs == 4)
  }

  @Test("The first failure ends a script, and says its line and the values in it")
  func failure() async throws {
    let device = FakeDevice(["2a19": [1]])
    let script = try interpreter("for C in 2a29 2a19\nread $C\nend\n", on: device)
    let error = try #require(await #expect(throws: CommandError.self) { try await script.run() })
    #expect(error.message == "a.ble:2: no 2a29" && error.details == ["read $C  (C=2a29)"])
    #expect(error.status == .notFound && device.steps == ["read 2a29"])
  }

  @Test("A script that goes on after failures reports each, and ends with the status of the first")
  func keepsGoing() async throws {
    let device = FakeDevice(["2a19": [1]])
    var reported: [String] = []
    let script = try interpreter("read 2a29\nread 2a19\nread 2a24\n", on: device) {
      reported.append($0.message)
    }
    let error = try #require(await #expect(throws: CommandError.self) { try await script.run() })
    #expect(reported == ["a.ble:1: no 2a29", "a.ble:3: no 2a24"])
    #expect(error.message == "cannot complete a.ble: 2 of 3 steps failed" && error.status == .notFound)
    #expect(device.steps == ["read 2a29", "read 2a19", "read 2a24"])
  }

  @Test("Of thousands of failures of a line, the first is kept, and the others are counted")
  func boundedFailures() async throws {
    let script = try interpreter("repeat 10000\nread 2a29\nend\n", on: FakeDevice([:])) { _ in }
    let error = try #require(await #expect(throws: CommandError.self) { try await script.run() })
    #expect(error.message == "cannot complete a.ble: 10000 of 10000 steps failed")
    #expect(script.results.lines.keys.sorted() == [2])
    // Nothing that grows with the failures is left in them.
    let kept = script.results
    #expect(Mirror(reflecting: kept).children.allSatisfy { ($0.value as? any Collection)?.count ?? 1 == 1 })
  }

  @Test("The results of repeated runs are kept for a report only", arguments: [true, false])
  func keptResults(_ isKept: Bool) async throws {
    let loaded = try LoadedScript(
      Array("read 2a29\n".utf8), named: "a.ble", FakeGrammar(), overriding: [:], GlobalOptions())
    let plan = ScriptPlan(
      loaded: loaded, repetitions: 100, keepsGoing: true, isTAP: false, results: ResultStore(isKept: isKept))
    let console = CapturedConsole().console()
    let failure = try await plan.repeated(on: FakeDevice([:]), "F0:F1:F2:F3:F4:F5", GlobalOptions(), console)
    #expect(failure?.message == "cannot complete a.ble: 1 of 1 steps failed")
    #expect(plan.results.all.count == (isKept ? 100 : 0))
  }
}
