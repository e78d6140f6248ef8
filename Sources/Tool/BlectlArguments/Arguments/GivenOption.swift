// SPDX-License-Identifier: MIT

/// Options that are needed before the arguments are parsed.
package enum GivenOption {
  /// The values of an option such as `--profile`, as `--profile VALUE` or `--profile=VALUE`.
  package static func values(of option: String, in arguments: [String]) -> [String] {
    var values: [String] = []
    var isValue = false
    for argument in arguments {
      if isValue {
        values.append(argument)
        isValue = false
      } else if argument == "--" {
        break
      } else if argument == option {
        isValue = true
      } else if argument.hasPrefix("\(option)=") {
        values.append(String(argument.dropFirst(option.count + 1)))
      }
    }
    return values
  }
}
