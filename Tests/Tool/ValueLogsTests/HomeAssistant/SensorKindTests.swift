// SPDX-License-Identifier: MIT
import Testing

@testable import ValueLogs

@Suite("Kinds of numbers in Home Assistant")
struct SensorKindTests {
  @Test(
    "Keys and units have the classes of Home Assistant",
    arguments: [
      ("temperature_celsius", "°C", "temperature"), ("standard_deviation_celsius", "°C", nil),
      ("color_temperature_k", "K", nil), ("battery_level_percent", "%", "battery"),
      ("battery_percent", "%", "battery"), ("humidity_percent", "%", "humidity"),
      ("moisture_percent", "%", "moisture"), ("spo2_percent", "%", nil), ("co2_ppm", "ppm", "carbon_dioxide"),
      ("voc_ppb", "ppb", "volatile_organic_compounds_parts"), ("pm2_5_ug_per_m3", "µg/m³", "pm25"),
      ("pm10_ug_per_m3", "µg/m³", "pm10"), ("pm1_ug_per_m3", "µg/m³", "pm1"),
      ("tvoc_ug_per_m3", "µg/m³", "volatile_organic_compounds"), ("pressure_pa", "Pa", "pressure"),
      ("glucose_mg_per_dl", "mg/dL", "blood_glucose_concentration"), ("heart_rate_bpm", "bpm", nil),
      ("weight_kg", "kg", "weight"), ("mass_g", "g", "weight"), ("ax_g", "g", nil),
      ("acceleration_x_mg", "mg", nil), ("battery_mv", "mV", "voltage"), ("voltage_v", "V", "voltage"),
      ("conductivity_us_per_cm", "µS/cm", "conductivity"), ("noise_db", "dB", "sound_pressure"),
      ("flow_m3_per_h", "m³/h", "volume_flow_rate"), ("precipitation_mm", "mm", "precipitation"),
      ("distance_mm", "mm", "distance"), ("timestamp_s", "s", "timestamp"), ("duration_s", "s", "duration"),
      ("rssi_dbm", "dBm", "signal_strength"), ("tx_power_dbm", "dBm", nil),
      ("wind_speed_m_per_s", "m/s", "wind_speed"), ("speed_m_per_s", "m/s", "speed"),
    ])
  func classes(_ key: String, _ unit: String, _ name: String?) {
    let kind = SensorKind(key: key, unit: unit)
    #expect(kind.deviceClass == name)
    #expect(kind.stateClass == (name == "timestamp" ? nil : "measurement"))
    #expect(kind.unit == (name == "timestamp" ? nil : unit))
  }

  @Test(
    "Meters only increase, and what they count is never averaged",
    arguments: [
      ("energy_kwh", "kWh", "energy"), ("gas_m3", "m³", "gas"), ("water_l", "l", "water"),
      ("yield_today_kwh", "kWh", "energy"),
    ])
  func meters(_ key: String, _ unit: String, _ name: String) {
    let kind = SensorKind(key: key, unit: unit)
    #expect(kind.deviceClass == name)
    #expect(kind.stateClass == "total_increasing")
    #expect(SensorKind(key: "maximum_\(key)", unit: unit).stateClass == nil)
    #expect(SensorKind(key: "water_l", unit: "l").unit == "L")
  }

  @Test("Angles and names are not averaged; what is about the device is a diagnostic")
  func others() {
    #expect(SensorKind(key: "direction_degrees", unit: "°").stateClass == nil)
    #expect(SensorKind(key: "channel", unit: "").stateClass == nil)
    #expect(SensorKind(key: "movements", unit: "").stateClass == "measurement")
    for (key, unit) in [("rssi_dbm", "dBm"), ("battery_percent", "%"), ("battery_mv", "mV"), ("channel", "")]
    {
      #expect(SensorKind(key: key, unit: unit).isDiagnostic)
    }
    #expect(!SensorKind(key: "temperature_celsius", unit: "°C").isDiagnostic)
  }
}
