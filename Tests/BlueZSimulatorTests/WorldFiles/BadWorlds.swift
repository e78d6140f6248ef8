// SPDX-License-Identifier: MIT
import Glibc

@testable import BlueZSimulator

/// Invalid world files and their errors.
enum BadWorlds {
  static let all: [(String, String)] = [
    (
      "bad-address",
      #"""
      1:30: /peripherals/0/address: expected an address such as "C8:0F:10:01:02:03", found \#
      "C0:00:00:00:01"
      """#
    ),
    (
      "bad-company",
      #"""
      1:91: /peripherals/0/advertisement/manufacturer_data/apple: expected a company identifier \#
      of four hexadecimal digits such as "0157", found "apple"
      """#
    ),
    (
      "bad-duration",
      #"""
      1:68: /peripherals/0/appears_after: expected a duration such as "500ms", "10s", "2m" or \#
      "1h", found "soon"
      """#
    ),
    (
      "bad-uuid",
      #"""
      1:73: /peripherals/0/services/0/uuid: expected \#
      a UUID such as "180d" or "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa", or the name of a service \#
      such as "heart-rate" (did you mean "heart-rate"?), found "heart"
      """#
    ),
    (
      "short-uuid",
      #"""
      1:73: /peripherals/0/services/0/uuid: expected \#
      a UUID such as "180d" or "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa", or the name of a service \#
      such as "heart-rate", found "18f"
      """#
    ),
    (
      "broken-log",
      #"""
      3:71: /peripherals/0/services/0/characteristics/0/notifies/replay: expected a log of JSON \#
      records: broken.ndjson:2:1: expected a value, found "n"
      """#
    ),
    (
      "deaf-echo-target",
      #"""
      3:68: /peripherals/0/services/0/characteristics/0/on_write/echo: expected a characteristic \#
      with the property "notify" or "indicate", found "ffe2"
      """#
    ),
    (
      "event-for-nobody",
      #"""
      2:55: /events/0/device: there is no peripheral C0:00:00:00:00:02: did you mean C0:00:00:00:00:01?
      """#
    ),
    (
      "event-waits-for-nobody",
      #"""
      2:36: /events/0/when/connected: there is no peripheral C0:00:00:00:00:02
      """#
    ),
    (
      "event-without-time",
      #"""
      2:13: /events/0: expected one of the keys "at" and "when"
      """#
    ),
    (
      "fault-that-is-over",
      #"""
      1:69: /peripherals/0/faults/0/do: expected the name of a fault, found "drop-link": the names are \#
      refuse-connect, hang-connect, drop-after-operations, drop-after-time, slow-link, delay-services, \#
      order-services, lose-adverts, lose-names
      """#
    ),
    (
      "handles-backwards",
      #"""
      1:123: /peripherals/0/services/1/handle: expected a handle from 21 on, found 12
      """#
    ),
    (
      "long-value",
      #"""
      3:72: /peripherals/0/services/0/characteristics/0/value: expected a value of at most 4 \#
      bytes ("max_length"), found 5
      """#
    ),
    (
      "loud-rssi",
      #"""
      4:14: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"
      """#
    ),
    (
      "missing-log",
      #"""
      3:71: /peripherals/0/services/0/characteristics/0/notifies/replay: nowhere.ndjson: No such \#
      file or directory
      """#
    ),
    (
      "misspelt-key",
      #"""
      1:51: /peripherals/0/advertisment: expected a key of a peripheral, found "advertisment": \#
      did you mean "advertisement"?
      """#
    ),
    (
      "no-echo-target",
      #"""
      3:68: /peripherals/0/services/0/characteristics/0/on_write/echo: expected a characteristic \#
      of this peripheral, found "ffe2"
      """#
    ),
    (
      "no-included-service",
      #"""
      1:94: /peripherals/0/services/0/includes/0: expected the UUID or the fixed handle of a \#
      service of this peripheral, found "180f"
      """#
    ),
    (
      "no-peripherals",
      #"""
      1:1: expected the key "peripherals", which is missing
      """#
    ),
    (
      "no-such-property",
      #"""
      3:37: /peripherals/0/services/0/characteristics/0/properties/0: expected one of \#
      "broadcast", "read", "write-without-response", "write", "notify", "indicate", \#
      "authenticated-signed-writes", "extended-properties" (did you mean "read"?), found "raed"
      """#
    ),
    (
      "not-json",
      #"""
      1:1: expected a value, found "p"
      """#
    ),
    (
      "notifies-without-property",
      #"""
      3:58: /peripherals/0/services/0/characteristics/0/notifies: expected the property "notify" \#
      or "indicate" with it, found neither
      """#
    ),
    (
      "odd-value",
      #"""
      3:55: /peripherals/0/services/0/characteristics/0/value: expected a value of at most 512 \#
      bytes: hexadecimal digits, or FORMAT:TEXT such as "utf8:hello" or "u16:1000", found "abc"
      """#
    ),
    (
      "open-answer",
      #"""
      4:63: /peripherals/0/services/0/characteristics/0/on_write/answers/0/response: expected at \#
      most 1 ?? as in the request, found 2
      """#
    ),
    (
      "sine-out-of-format",
      #"""
      4:72: /peripherals/0/services/0/characteristics/0/notifies/sine/amplitude: expected \#
      numbers that fit u8, found 300.0
      """#
    ),
    (
      "twice-a-key",
      #"""
      1:64: /peripherals/0/rssi: expected each key once, found "rssi" again (first at 1:51)
      """#
    ),
    (
      "twin-addresses",
      #"""
      3:15: /peripherals/1/address: expected each address once, found "C0:00:00:00:00:01" again \#
      (first at /peripherals/0)
      """#
    ),
    (
      "unfinished",
      #"""
      3:37: /peripherals/0: expected a key in quotes, found "}"
      """#
    ),
    (
      "unknown-behaviour",
      #"""
      3:60: /peripherals/0/services/0/characteristics/0/notifies: expected one of "on_demand", \#
      {"list": …}, {"counter": …}, {"sine": …}, {"walk": …}, {"clock": …}, {"replay": …}, \#
      {"flood": …} (did you mean "sine"?), found an object
      """#
    ),
    (
      "unknown-fault",
      #"""
      1:69: /peripherals/0/faults/0/do: expected the name of a fault, found "refuse-conect": \#
      did you mean "refuse-connect"?
      """#
    ),
    (
      "writes-without-property",
      #"""
      3:58: /peripherals/0/services/0/characteristics/0/on_write: expected the property "write" \#
      or "write-without-response" with it, found neither
      """#
    ),
  ]

  private static let folder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (parts + ["BadWorlds"]).joined(separator: "/")
  }()

  /// The error of a file, without the folder; nil when it is valid.
  static func error(_ name: String) -> String? {
    do throws(WorldFileError) {
      _ = try World(file: "\(folder)/\(name).json")
      return nil
    } catch {
      return error.description.split(separator: folder + "/").joined()
    }
  }

  /// The names of all files.
  static func files() throws -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(String(name.dropLast(5))) }
    }
    return names
  }
}
