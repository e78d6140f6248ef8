// SPDX-License-Identifier: MIT

/// The folders of a user, as the XDG Base Directory Specification has them.
package enum UserFolder {
  case configuration
  case state

  /// The path of a file in our part of the folder; nil without a home.
  package func path(of file: String, _ environment: (String) -> String?) -> String? {
    let (variable, usual) =
      switch self {
      case .configuration: ("XDG_CONFIG_HOME", ".config")
      case .state: ("XDG_STATE_HOME", ".local/state")
      }
    let named = environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0 }
    return (named ?? home.map { "\($0)/\(usual)" }).map { "\($0)/blectl/\(file)" }
  }
}
