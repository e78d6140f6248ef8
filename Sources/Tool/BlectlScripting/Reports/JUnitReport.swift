// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import TerminalOutput

/// A report for Jenkins, GitLab and others: a `testsuite` for each run on a device.
///
/// A device that cannot be connected to is an `error`; a step that fails is a `failure`.
enum JUnitReport {
  static func text(_ suites: [TestSuite], name: String) -> String {
    let all = suites.flatMap(\.cases).map(\.outcome)
    let errors = all.count(where: \.isBroken)
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append(
      "<testsuites name=\"\(XMLText.escaped(name))\" tests=\"\(all.count)\" failures=\"\(all.count { $0.failure != nil } - errors)\" errors=\"\(errors)\" time=\"\(seconds(suites.map(\.result.time).reduce(.zero, +)))\">"
    )
    for suite in suites { append(suite, to: &lines) }
    return (lines + ["</testsuites>", ""]).joined(separator: "\n")
  }

  private static func append(_ suite: TestSuite, to lines: inout [String]) {
    let result = suite.result
    let errors = suite.count(\.isBroken)
    let device = XMLText.escaped(result.device)
    let name = result.repetition == 1 ? device : "\(device) #\(result.repetition)"
    lines.append(
      "  <testsuite name=\"\(name)\" tests=\"\(suite.cases.count)\" failures=\"\(suite.count { $0.failure != nil } - errors)\" errors=\"\(errors)\" skipped=\"\(suite.count(\.isSkipped))\" time=\"\(seconds(result.time))\" timestamp=\"\(result.start.utc.prefix(19))\">"
    )
    if let address = result.address, address != result.device {
      lines.append(
        "    <properties><property name=\"address\" value=\"\(address)\"/></properties>")
    }
    for test in suite.cases {
      let head =
        "    <testcase name=\"\(XMLText.escaped(test.name))\" classname=\"\(XMLText.escaped(suite.script)).\(device)\" time=\"\(seconds(test.time))\""
      switch test.outcome {
      case .passed: lines.append(head + "/>")
      case .skipped: lines += [head + ">", "      <skipped/>", "    </testcase>"]
      case .failed(let error), .broken(let error):
        let tag = test.outcome.isBroken ? "error" : "failure"
        let message = XMLText.escaped(error.message)
        let details = error.details.map { XMLText.escaped($0) }.joined(separator: "\n")
        lines += [
          head + ">", "      <\(tag) message=\"\(message)\" type=\"\(error.status)\">\(details)</\(tag)>",
          "    </testcase>",
        ]
      }
    }
    lines.append("  </testsuite>")
  }

  private static func seconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let millis = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds).\(String(repeating: "0", count: 3 - millis.utf8.count))\(millis)"
  }
}

/// A report in the Test Anything Protocol, version 13.
enum TAPReport {
  static let version = "TAP version 13"

  /// The lines after the output of the steps.
  static func lines(_ suites: [TestSuite]) -> [String] {
    var lines: [String] = []
    var number = 0
    for suite in suites {
      let run = suite.result.repetition == 1 ? "" : " #\(suite.result.repetition)"
      for test in suite.cases {
        number += 1
        let name = escaped("\(suite.result.device)\(run) \(suite.script):\(test.name)")
        switch test.outcome {
        case .passed: lines.append("ok \(number) - \(name)")
        case .skipped: lines.append("ok \(number) - \(name) # SKIP not reached")
        case .failed(let error), .broken(let error):
          lines += ["not ok \(number) - \(name)", "  ---", "  message: '\(quoted(error.message))'"]
          lines += error.details.isEmpty ? [] : ["  details:"] + error.details.map { "    - '\(quoted($0))'" }
          lines.append("  ...")
        }
      }
    }
    return lines + ["1..\(number)"]
  }

  /// A number sign would begin a directive.
  private static func escaped(_ text: String) -> String {
    TerminalSafe.escaped(text).replacing("#", with: "\\#")
  }

  private static func quoted(_ text: String) -> String {
    TerminalSafe.sentence(text).replacing("'", with: "''")
  }
}
