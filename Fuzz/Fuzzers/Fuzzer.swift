// SPDX-License-Identifier: MIT

/// Code that must take any bytes, for libFuzzer (`Scripts/fuzz.sh`) and for the test that replays the corpora.
struct Fuzzer: Sendable {
  /// Its corpus is `Corpus/NAME.txt`.
  let name: String
  /// Takes one input; traps when something is wrong.
  let run: @Sendable (UnsafeRawBufferPointer) -> Void

  static let all = [
    Fuzzer(name: "Wire", run: fuzzWire),
    Fuzzer(name: "Values", run: fuzzValues),
    Fuzzer(name: "Advertisements", run: fuzzAdvertisements),
    Fuzzer(name: "Encoders", run: fuzzEncoders),
    Fuzzer(name: "Keys", run: fuzzKeys),
    Fuzzer(name: "Characteristics", run: fuzzCharacteristics),
    Fuzzer(name: "Firmware", run: fuzzFirmware),
    Fuzzer(name: "Management", run: fuzzManagement),
    Fuzzer(name: "Worlds", run: fuzzWorlds),
    Fuzzer(name: "Profiles", run: fuzzProfiles),
    Fuzzer(name: "Bus", run: fuzzBus),
    Fuzzer(name: "Requests", run: fuzzRequests),
    Fuzzer(name: "Pages", run: fuzzPages),
    Fuzzer(name: "Proxy", run: fuzzProxy),
    Fuzzer(name: "Arguments", run: fuzzArguments),
    Fuzzer(name: "Scripts", run: fuzzScripts),
  ]
}
