// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Plain arguments are read without ArgumentParser; nobody may notice, least of all when something is wrong.
@Suite("The quick path")
struct QuickPathTests {
  @Test(
    "A plain command line and one that ArgumentParser reads say the same",
    arguments: [
      "read Piano 2a99", "read Piano", "read Piano 2a9",
      "read Thermometer 2a6e --as u7",
      "read Thermometer 2a6e --count 2", "read Thermometer 2a6e --as i16", "write Piano ffe3 abc",
      "write Piano ffe3 auto:high", "write Piano ffe3", "write Piano ffe2 00", "connect",
      "connect Piano Piano",
      "disconnect Nobody", "devices extra", "devices --conected", "devices --timeout soon",
      "devices --simulate --bus x", "scan --count 0", "scan --service heart", "scan Piano",
      "scan --duration 0 --name Piano --count 1 --quiet --rssi 20 --manufacturer zz",
      "subscribe Piano 2a99", "subscribe Piano", "notify Piano ffe2 --via air",
      "subscribe Piano ffe2 --duration 1s --reconnect-limit 5s", "subscribe Piano ffe2 --duration 1s",
    ])
  func same(_ line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let plain = try await blectl.start(words).result()
      // The sign of equality is not plain; it changes nothing.
      let parsed = try await blectl.start(words + ["--color=auto"]).result()
      #expect(plain.errorText == parsed.errorText)
      #expect(plain.status == parsed.status)
      #expect(plain.text == parsed.text)
    }
  }
}
