// SPDX-License-Identifier: MIT

/// The choice of the method, by the file, the device and the user.
enum MethodChoice {
  /// Returns the only method that is possible.
  ///
  /// - Throws: ``UpdateError``: `unfit` if the file is for none, or for none that the device offers or the user wants;
  ///   `notSupported` if the device offers none; `ambiguous`.
  static func choose(
    of file: [UpdateMethod], offered: [UpdateMethod], wanted: UpdateMethod?
  ) throws(UpdateError) -> UpdateMethod {
    if file.isEmpty {
      throw UpdateError(
        .unfit, "the file is no firmware that can be sent",
        hint: "take a signed image of MCUboot (.bin, .hex), or the .zip that the maker's tool has packed")
    }
    if let wanted, !file.contains(wanted) {
      throw UpdateError(.unfit, "the file is for \(names(file)), not for \(wanted.title)")
    }
    let possible = (wanted.map { [$0] } ?? file).filter { offered.contains($0) }
    if possible.count == 1 { return possible[0] }
    if possible.count > 1 {
      throw UpdateError(
        .ambiguous, "the device takes the file by \(names(possible))", hint: "choose one of the protocols")
    }
    if offered.isEmpty {
      throw UpdateError(
        .notSupported, "the device offers no protocol for updates that is known here",
        hint: "if its firmware was changed, unpair it: BlueZ uses the services that it had before")
    }
    throw UpdateError(
      .unfit,
      "the file is for \(names(wanted.map { [$0] } ?? file)), the device offers \(names(offered))")
  }

  private static func names(_ methods: [UpdateMethod]) -> String {
    methods.map(\.title).joined(separator: " and ")
  }
}
