// SPDX-License-Identifier: MIT

/// Numbers as a chart writes them.
enum ChartNumber {
  /// With all the digits that it has: `72`, `21.5`.
  static func exact(_ number: Double) -> String {
    if number.magnitude < 1e15, let whole = Int(exactly: number) { return String(whole) }
    return number.description
  }

  /// With so many digits behind the point.
  static func fixed(_ number: Double, decimals: Int) -> String {
    guard decimals <= 9, number.magnitude < 1e9 else { return exact(number) }
    let factor = (0..<max(0, decimals)).reduce(1) { power, _ in power * 10 }
    let scaled = Int((number * Double(factor)).rounded())
    let whole = String(scaled.magnitude / factor.magnitude)
    let sign = scaled < 0 ? "-" : ""
    if decimals <= 0 { return sign + whole }
    let digits = String(scaled.magnitude % factor.magnitude)
    return sign + whole + "." + String(repeating: "0", count: decimals - digits.utf8.count) + digits
  }
}
