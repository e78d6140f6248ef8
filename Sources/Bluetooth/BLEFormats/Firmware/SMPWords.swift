// SPDX-License-Identifier: MIT

/// The words for the numbers of SMP, as Zephyr defines them.
package enum SMPWords {
  /// Returns the name of a group; nil if it is unknown.
  ///
  /// Those from 64 on belong to the maker of the device.
  package static func group(_ number: Int) -> String? { groups[number] }

  /// Returns the meaning of an error, or its number: of SMP itself (`rc`), or of a group (`err`).
  package static func error(_ code: Int, group: Int? = nil) -> String {
    if code == 0 { return "no error" }
    guard let group else {
      return common[code] ?? (code >= 256 ? "error \(code) of the device's maker" : "error \(code)")
    }
    return meanings[group]?[code] ?? "error \(code) of the group \(self.group(group) ?? String(group))"
  }

  private static let groups = [
    0: "os", 1: "image", 2: "statistics", 3: "settings", 4: "log", 5: "crash", 6: "split", 7: "run",
    8: "files",
    9: "shell", 10: "enumeration", 11: "transports", 63: "zephyr",
  ]

  /// The errors of SMP itself.
  private static let common = [
    1: "unknown error", 2: "no memory", 3: "invalid value", 4: "timed out", 5: "no such entry",
    6: "not possible in this state", 7: "the response is too large", 8: "not supported",
    9: "the data is corrupt",
    10: "busy", 11: "access denied", 12: "the version of the protocol is too old",
    13: "the version of the protocol is too new",
  ]

  private static let meanings: [Int: [Int: String]] = [
    0: [
      1: "unknown error", 2: "the format is invalid", 3: "the query has no answer", 4: "no clock is set",
      5: "the clock refuses", 6: "the query has no valid answer",
    ],
    1: image,
    2: [
      1: "unknown error", 2: "no such group of statistics", 3: "no such statistic",
      4: "the size of the statistic is unknown", 5: "the statistics could not be read to the end",
    ],
    3: [
      1: "unknown error", 2: "the name is too long", 3: "no such setting", 4: "the setting cannot be read",
      5: "no such root of settings", 6: "the setting cannot be written", 7: "the setting cannot be deleted",
      8: "the setting cannot be saved",
    ],
    8: [
      1: "unknown error", 2: "the name is invalid", 3: "no such file", 4: "it is a directory",
      5: "the file cannot be opened", 6: "the place in the file cannot be reached",
      7: "the file cannot be read",
      8: "the file cannot be shortened", 9: "the file cannot be deleted", 10: "the file cannot be written",
      11: "the offset is wrong", 12: "the offset lies behind the end of the file",
      13: "no such kind of checksum", 14: "no file system is there", 15: "the file system is read-only",
      16: "the file is empty",
    ],
    9: [1: "unknown error", 2: "the command is too long", 3: "no command"],
    10: [
      1: "unknown error", 2: "too many entries", 3: "no memory for the entries", 4: "there are fewer groups",
    ],
    63: [
      1: "unknown error", 2: "the flash cannot be opened", 3: "the layout of the flash is unknown",
      4: "the flash cannot be erased",
    ],
  ]

  private static let image = [
    1: "unknown error", 2: "the layout of the flash is unknown", 3: "the slot has no image",
    4: "the image has no entries", 5: "an entry of the image is invalid", 6: "the image has several hashes",
    7: "an entry of the image has a wrong size", 8: "the image has no hash", 9: "no slot is free",
    10: "the flash cannot be opened", 11: "the flash cannot be read", 12: "the flash cannot be written",
    13: "the flash cannot be erased", 14: "no such slot", 15: "no memory", 16: "the flash is already in use",
    17: "the flash is not in use", 18: "the flash has no device", 19: "the offset in the flash is invalid",
    20: "the offset is missing", 21: "the length is missing", 22: "the header of the image is cut off",
    23: "it does not begin like an image", 24: "the hash is wrong",
    25: "the image is made for another address than that of the slot", 26: "the running version is unknown",
    27: "the running version is newer", 28: "another image is already to be started",
    29: "the vector table is invalid",
    30: "the image is too large for the slot", 31: "there is more data than announced",
    32: "the confirmation was denied", 33: "the running image cannot be tested",
    34: "the running slot is unknown",
  ]
}
