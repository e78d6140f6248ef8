// SPDX-License-Identifier: MIT

/// The extent of a field in the bytes: a number of elements of the same size, or of single bytes.
enum Extent: Sendable, Hashable {
  /// All that remain.
  case rest
  case fixed(Int)
  /// The number of elements that the unsigned integer before them gives.
  case counted(ByteWidth)

  /// Returns the size in bytes of elements of `size` bytes if these bytes remain, with the count before them.
  func size(ofElements size: Int, within bytes: ArraySlice<UInt8>) -> Int {
    switch self {
    case .rest: bytes.count / size * size
    case .fixed(let count): count * size
    case .counted(let width):
      bytes.count < width.size ? width.size : width.size + width.decode(bytes) * size
    }
  }

  /// The number of elements, for errors.
  var words: String {
    switch self {
    case .rest: "any number"
    case .fixed(let count): "\(count)"
    case .counted(let width): "at most \(width.range.upperBound)"
    }
  }

  /// Returns the elements alone, without the count before them.
  func elements(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if case .counted(let width) = self { bytes.dropFirst(width.size) } else { bytes }
  }

  /// Returns the bytes of elements with the count before them; nil if there are too many or too few.
  func bytes(of elements: [UInt8], ofElements size: Int) -> [UInt8]? {
    let count = elements.count / size
    switch self {
    case .rest: return elements
    case .fixed(let wanted): return wanted == count ? elements : nil
    case .counted(let width): return width.range.contains(count) ? width.encode(count) + elements : nil
    }
  }
}
