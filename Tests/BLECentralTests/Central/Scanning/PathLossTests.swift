// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Testing

@Suite("Distances")
struct PathLossTests {
  @Test(
    "The distance is 10 to the power of the loss after the first metre, over ten times the exponent",
    arguments: [
      (-59, -59, 2.0, 1.0), (-79, -59, 2.0, 10.0), (-39, -59, 2.0, 0.1), (-65, -59, 2.0, 1.9953),
      (-89, -59, 3.0, 10.0), (-59, -41, 2.0, 7.9433), (-127, -59, 2.0, 2511.886),
    ])
  func metres(_ rssi: Int, _ atOneMetre: Int, _ exponent: Double, _ expected: Double) {
    let metres = PathLoss(exponent: exponent).metres(rssi: rssi, rssiAtOneMetre: atOneMetre)
    #expect(abs(metres - expected) < expected / 10_000)
  }
}
