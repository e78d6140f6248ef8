// SPDX-License-Identifier: MIT
internal import JSON

extension Profile {
  /// Creates a profile from the text of a file, JSON in UTF-8; `source` names it in errors.
  ///
  /// ```swift
  /// let profile = try Profile(parsing: """
  ///   {"characteristics": [
  ///     {"uuid": "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa", "name": "climate", "layout": "temperature=i16*0.01°C humidity=u8%"}
  ///   ]}
  ///   """.utf8)
  /// let climate = Profiles([profile]).layout(for: BluetoothUUID("b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa")!)
  /// print(climate!.decode([0x34, 0x08, 47]).text)       // "temperature 21.00 °C, humidity 47 %"
  /// ```
  ///
  /// - Throws: an error with all mistakes and their lines and columns.
  public init(parsing text: some Sequence<UInt8>, source: String = "") throws(ProfileError) {
    do throws(JSONError) {
      self = try ObjectCodec<ProfileDocument>.profile.read(try JSONReader.read(text)).profile(source: source)
    } catch {
      throw ProfileError(source, error)
    }
  }
}
