// SPDX-License-Identifier: MIT

/// The topics of `blectl help`; the texts are pages of `docs/`.
enum HelpTopic: String, CaseIterable {
  case json
  case exitStatus = "exit-status"
  case formats
  case values
  case faults
  case world
  case logging
  case scripts
  case serving
  case keys
  case profiles
  case page
  case files
  case serialPorts = "serial-ports"
  case extensions
  case updates

  /// Finds a topic by its name, or by that of its manual page.
  init?(named name: String) { self.init(rawValue: name == "errors" ? Self.exitStatus.rawValue : name) }

  /// A long section of the page that only the manual contains.
  var omittedSection: String? {
    switch self {
    case .exitStatus: "Messages"
    case .values: "The table"
    default: nil
    }
  }

  var manualPage: String {
    switch self {
    case .json: "blectl-json(5)"
    case .exitStatus: "blectl-errors(7), which lists every error"
    case .formats: "blectl-formats(7)"
    case .values: "blectl-values(7), which lists every characteristic"
    case .faults: "blectl-faults(7)"
    case .world: "blectl-world(5)"
    case .logging: "blectl-logging(7)"
    case .scripts: "blectl-scripts(7)"
    case .serving: "blectl-serving(7)"
    case .keys: "blectl-keys(7)"
    case .profiles: "blectl-profiles(5)"
    case .page: "blectl-page(7)"
    case .files: "blectl-files(7)"
    case .serialPorts: "blectl-serial-ports(7)"
    case .extensions: "blectl-extensions(7)"
    case .updates: "blectl-updates(7)"
    }
  }

  func text(width: Int) -> String {
    let lines = MarkdownPage(markdown, without: omittedSection).lines(width: width)
    return (lines + ["", "The manual: \(manualPage)."]).joined(separator: "\n")
  }
}
