// SPDX-License-Identifier: MIT

/// One image of a package of the nRF Connect SDK.
package struct PackagedImage: Sendable, Equatable {
  /// The name of its file in the package.
  package let name: String
  /// The bytes to send, without padding by ff.
  package let bytes: [UInt8]
  /// True if its file has more bytes, which are padding.
  package let isPadded: Bool
  package let image: MCUbootImage
  /// The number of the image on the device: one for each processor or part that is updated on its own.
  package let index: Int
  /// The slot that the program is made for, if it runs where it lies; else nil.
  package let slot: Int?
  /// The board that it is made for, such as `nrf5340dk_nrf5340_cpuapp`.
  package let board: String?
  /// The version in the manifest.
  package let version: String?
}
