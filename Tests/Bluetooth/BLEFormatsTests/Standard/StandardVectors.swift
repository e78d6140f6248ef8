// SPDX-License-Identifier: MIT

/// Values and what they mean, worked out by hand from the GATT Specification Supplement and the specifications of
/// the services: in each line the assigned number, the bytes, and the text behind `=`.
enum StandardVectors {
  /// Descriptors and Generic.
  static let generic = """
    2a00 4d79 = My
    2a01 4103 = Heart Rate Belt
    2a01 ffff = 65535
    2a04 0600_0c00_0000_c800 = interval 7.50 ms, to 15.00 ms, latency 0, timeout 2000 ms
    2a04 ffff_ffff_0000_ffff = interval no preference, to no preference, latency 0, timeout no \
    preference
    2aa6 01 = yes
    2ac9 00 = yes
    2a05 0100ffff = from 0001, to ffff
    2b29 07 = robust caching, enhanced ATT bearer, multiple notifications
    2b2a 000102030405060708090a0b0c0d0e0f = 000102030405060708090a0b0c0d0e0f
    2a07 f4 = -12 dBm
    2a07 7f = 127 dBm (tx_power_dbm 127 is out of range)
    2a4a 11010003 = version 0111, country 0, flags remote wake, normally connectable
    2a4c 01 = exit suspend
    2a4e 01 = report
    2900 0300 = reliable write, writable auxiliaries
    2901 526f6f6d = Room
    2902 0100 = notification
    2902 0000 = none
    2902 0800 = none (reserved bits 0x8 of configuration are set)
    2903 0100 = broadcast
    2904 0efe2f27010000 = sint16, exponent -2, unit 272f, namespace Bluetooth SIG, description 0000
    2908 0102 = report 1, output
    2907 192a = 2a19
    290b 01 = or
    290c 0000_01_3c0000_0a0000_01_ff = flags 0000, sampling instantaneous, period 60 s, every 10 s, \
    application 1, uncertainty unknown
    290d 01_3c0000 = fixed time interval, operand 3c0000
    """

  /// Time and alerts.
  static let timeAndAlerts = """
    2a2b ea070b150506070680_05 = 2026-11-21 05:06:07, Saturday, + 128 /256 s, adjusted by manual \
    update, change of time zone
    2a2b 000000000506070080_00 = 0000-00-00 05:06:07, unknown day, + 128 /256 s
    2a08 ea070d20183c3c = 2026-13-32 24:60:60 (time: month 13 is out of range; time: day 32 is out \
    of range; time: hour 24 is out of range; time: minute 60 is out of range; time: second 60 is \
    out of range)
    2a09 07 = Sunday
    2a09 00 = unknown day
    2a0c ea070b150506070640 = 2026-11-21 05:06:07, Saturday, + 64 /256 s
    2a0d 04 = daylight time
    2a0d 03 = reserved 3
    2a0e 04 = zone 60 min
    2a0e 80 = zone unknown
    2a0e 7f = zone 1905 min (time_zone_minutes 1905 is out of range)
    2a0f 0404 = zone 60 min, daylight time
    2a11 ea070b1505060704 = 2026-11-21 05:06:07, daylight time
    2a12 08 = accuracy 1.0 s
    2a12 fe = accuracy more than 31.625 s
    2a14 01_08_02_05 = source network time protocol, accuracy 1.0 s, updated days ago 2, hours 5
    2a14 01_ff_ff_ff = source network time protocol, accuracy unknown, updated days ago 255 or \
    more, hours 255 days or more
    2a16 01 = get reference update
    2a17 0103 = update pending, reference responded with an error
    2a06 00 = none
    2a06 02 = high
    2a06 03 = reserved 3
    2a3f 05 = ringer, display alert
    2a40 02 = mute once
    2a41 01 = normal
    2a42 0702 = simple alert, email, news, instant message
    2a43 05 = SMS/MMS
    2a43 0a = reserved 10
    2a44 04ff = notify new alert immediately, all
    2a45 01ff = email, unread more than 254
    2a46 0302416e6e61 = call, new 2, Anna
    2a47 07 = simple alert, email, news
    2a47 0702 = simple alert, email, news, instant message
    """

  /// Health.
  static let health = """
    2a37 004f = 79 bpm
    2a37 01e803 = 1000 bpm
    2a37 064f = 79 bpm, contact yes
    2a37 044f = 79 bpm, contact no
    2a37 1e4f0a0000040104 = 79 bpm, energy 10 kJ, RR 1.000 1.001 s, contact yes
    2a37 104f000400 = 79 bpm, RR 1.000 s, rest 00
    2a37 01e8 = rest e8 (1 byte missing for heart_rate_bpm)
    2a37 204f = 79 bpm (reserved bits 0x20 of flags are set)
    2a38 01 = chest
    2a38 06 = foot
    2a38 07 = reserved 7
    2a39 01 = reset energy expended
    2a1c 006e0100ff = 36.6 °C
    2a1c 07e80300ffea070b1505060702 = 100.0 °F, 2026-11-21 05:06:07, body
    2a1c 00ffff7f00 = NaN
    2a1c 0000008000 = NRes
    2a1c 00feff7f00 = +INF
    2a1c 0002008000 = -INF
    2a1e 040a0000000a = 10 °C, reserved 10
    2a1d 03 = ear
    2a21 3c00 = 60 s
    2a21 0000 = no periodic measurement
    2a35 0078005000_5d00 = systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg
    2a35 1ee8ef50_f0fff7ea070b150506073cf0010800 = systolic -0.24 mmHg, diastolic 8.0 mmHg, mean \
    204.7 mmHg, 2026-11-21 05:06:07, pulse 6.0 bpm, user 1, pulse rate above upper limit, improper \
    position no
    2a35 007800 = systolic 120 mmHg (2 bytes missing for diastolic_mmhg)
    2a36 007800ff07ff07 = 120 mmHg
    2a49 2301 = body movement detection, cuff fit detection, multiple bonds, user facing time
    2a18 03_0100_ea070b15050607_0a00_5ab0_11 = record 1, 2026-11-21 05:06:07, offset 10 min, 90 \
    mg/dL, sample capillary whole blood, from finger, context follows no
    2a18 06_0200_ea070b15050607_37d0_f1 = record 2, 2026-11-21 05:06:07, 55 mmol/L, sample \
    capillary whole blood, from not available, context follows no
    2a18 08_0300_ea070b15050607_0110 = record 3, 2026-11-21 05:06:07, status battery low, context \
    follows no (reserved bits 0x1000 of sensor_status are set)
    2a34 7f_0100_0119d0_03_21_2c0140_010ac0_64ff = record 1, breakfast, carbohydrate 25 g, fasting, \
    tester self, health major issues, exercise 300 s, intensity 64 %, rapid acting insulin, \
    medication 1.0 mL, HbA1c -15.6 %
    2a34 80_0100_00 = record 1, extended flags 00
    2a51 0300 = low battery detection, sensor malfunction detection
    2a5e 00_6000_4b00 = 96 %, pulse 75 bpm, clock not set no
    2a5e 1f_6000_4b00_ea070b15050607_2001_210000_14f0 = 96 %, pulse 75 bpm, 2026-11-21 05:06:07, \
    status measurement ongoing, fully qualified data, sensor extended display update ongoing, low \
    perfusion, pulse amplitude 2.0 %, clock not set yes
    2a5f 03_6000_4b00_6100_4c00_ff07_0008 = 96 %, pulse 75 bpm, fast 97 %, fast 76 bpm, slow NaN, \
    slow NRes
    2a9d 00_b036 = 70.000 kg
    2a9d 0f_4006_ea070b15050607_ff_e100_b802 = 16.00 lb, 2026-11-21 05:06:07, user unknown, BMI \
    22.5 kg/m², height 69.6 in
    2a9d 00_ffff = unsuccessful
    2a9c 0000_fa00 = fat 25.0 %, multiple packets no
    2a9c ff1f_fa00_ea070b15050607_01_4c1d_9001_1027_1027_1027_1027_8813_1027_b802 = fat 25.0 %, \
    2026-11-21 05:06:07, user 1, basal metabolism 7500 kJ, muscle 40.0 %, muscle 100.00 lb, fat \
    free 100.00 lb, soft lean 100.00 lb, water 100.00 lb, impedance 500.0 Ω, weight 100.00 lb, \
    height 69.6 in, multiple packets yes
    2a9b ff970100 = time stamp, multiple users, basal metabolism, muscle percentage, muscle mass, \
    fat free mass, soft lean mass, body water mass, impedance, weight, height, weight resolution \
    0.2 kg or 0.5 lb, height resolution 0.001 m or 0.1 in
    2a9e 0f000000 = time stamp, multiple users, BMI, weight resolution 0.5 kg or 1 lb, height \
    resolution not specified
    """

  /// Fitness and location.
  static let fitness = """
    2a5b 03_01000000_0004_0200_0008 = wheel 1, at 1.0000 s, crank 2, at 2.0000 s
    2a5b 01_010000 = rest 010000 (1 byte missing for wheel_revolutions)
    2a5c 0700 = wheel revolutions, crank revolutions, multiple sensor locations
    2a5d 05 = left crank
    2a63 0000_c800 = 200 W, offset compensation no
    2a63 ff1f_c8ff_64_4000_01000000_0008_0200_0004_6400_9cff_2000_e0ff_5a80b4_0a00_0b00_e803 = -56 \
    W, balance 50.0 %, torque 2.00 Nm, wheel 1, at 1.0000 s, crank 2, at 1.0000 s, maximum force \
    100 N, minimum force -100 N, maximum torque 1.00 Nm, minimum torque -1.00 Nm, maximum angle 90 \
    °, minimum angle 2888 °, top dead spot 10 °, bottom dead spot 11 °, energy 1000 kJ, balance \
    reference left, torque source crank, offset compensation yes
    2a65 00001100 = based on torque, distributed system not for use
    2a53 07_0003_50_7800_e8030000 = 3.000 m/s, cadence 80 /min, stride 1.20 m, distance 100.0 m, \
    running
    2a54 1f00 = stride length, total distance, walking or running, calibration, multiple sensor \
    locations
    2ad2 0000_f401 = 5.00 km/h
    2ad2 fe1f_f401_b400_b200_b000_0a0000_05_c800_c900_3200_ffff_ff_78_0a_3c00_1e00 = 5.00 km/h, \
    average 1.80 km/h, cadence 89.0 rpm, average 88.0 rpm, distance 10 m, resistance 50, power 200 \
    W, average power 201 W, energy 50 kcal, unknown, unknown, heart rate 120 bpm, MET 1.0, elapsed \
    60 s, remaining 30 s
    2ad2 740b_3c05_4800_210000_0100_1800_0200_0000_00_56_1000 = 13.40 km/h, cadence 36.0 rpm, distance 33 m, \
    resistance 1, power 24 W, energy 2 kcal, 0 kcal/h, 0 kcal/min, heart rate 86 bpm, elapsed 16 s
    2ad2 740b_3c05_4800_210000_01_1800_0200_0000_00_56_1000 = 13.40 km/h, cadence 36.0 rpm, distance 33 m, \
    resistance 10, power 24 W, energy 2 kcal, 0 kcal/h, 0 kcal/min, heart rate 86 bpm, elapsed 16 s
    2ad2 6000_3c05_ffff_1800 = 13.40 km/h, resistance -1, power 24 W
    2ace 800100_f401_0c00_1800 = 5.00 km/h, resistance 12, power 24 W, direction forward
    2ace 800100_f401_0c_1800 = 5.00 km/h, resistance 120, power 24 W, direction forward
    2ad1 a000_30_0a00_1800_0c00 = 24.0 /min, strokes 10, power 24 W, resistance 12
    2ad1 a000_30_0a00_1800_0c = 24.0 /min, strokes 10, power 24 W, resistance 120
    2acd 0c00_f401_0a0000_9cff_ff7f = 5.00 km/h, distance 10 m, inclination -10.0 %, ramp unknown
    2ace 088000_f401_7800_7700 = 5.00 km/h, steps 120 /min, average 119 /min, direction backward
    2acf 0000_0500_6400 = floors 5, steps 100
    2ad0 0000_0500 = floors 5
    2ad1 0000_30_0a00 = 24.0 /min, strokes 10
    2ad2 6402_7004_0000_0000_1001_00_00 = 11.36 km/h, cadence 0.0 rpm, resistance 0, power 272 W, heart rate 0 bpm, rest 00
    2ad2 6402_0605_a600_0500_7800_6e_00 = 12.86 km/h, cadence 83.0 rpm, resistance 5, power 120 W, heart rate 110 bpm, \
    rest 00
    2ad2 6402_0605_a600_0500_7800_6e = 12.86 km/h, cadence 83.0 rpm, resistance 5, power 120 W, heart rate 110 bpm
    2ad2 fe02_fe09_3408_8e00_7c00_4a0100_1400_c700_6800_00 = 25.58 km/h, average 21.00 km/h, cadence 71.0 rpm, \
    average 62.0 rpm, distance 330 m, resistance 20, power 199 W, average power 104 W, heart rate 0 bpm
    2ad1 a000_3a_1000_6a00_0500_00 = 29.0 /min, strokes 16, power 106 W, resistance 5, rest 00
    2ad1 050a_870000_00_3e00 = distance 135 m, heart rate 0 bpm, elapsed 62 s
    2ad1 f800_3a_1000_9500_0000_6a00_2200_0200 = 29.0 /min, strokes 16, pace 149 s/500 m, average pace 0 s/500 m, \
    power 106 W, average power 34 W, resistance 2
    2ace 800100_f401_0500_7800_00 = 5.00 km/h, resistance 5, power 120 W, direction forward, rest 00
    2ad6 0000_c800_0100_00 = from 0.0, to 20.0, by 0.1, rest 00
    2a63 2c00_0000_9f00_0c00_e542 = 0 W, torque 4.97 Nm, crank 12, at 16.7236 s, torque source crank, offset \
    compensation no
    2a63 2300_0b00_00_5800_b8e1 = 11 W, balance 0.0 %, crank 88, at 56.4297 s, balance reference left, offset \
    compensation no
    2a35 00_ff07_ee00_ff07 = systolic NaN, diastolic 238 mmHg, mean NaN
    2a18 1b_0f00_e807011e053a1b_5301_6fb0_f8_0000 = record 15, 2024-01-30 05:58:27, offset 339 min, 111 mg/dL, sample \
    undetermined plasma, from not available, context follows yes
    2aa6 02 = (central_address_resolution 2 is neither yes nor no)
    2ad3 00_01 = idle
    2ad3 01_0d_476f = manual mode, Go, extended no
    2acc 0e400000_08200000 = cadence, total distance, inclination, power measurement, targets power, indoor bike \
    simulation
    2ad4 6400_d007_0a00 = from 1.00 km/h, to 20.00 km/h, by 0.10 km/h
    2ad6 0164_01 = from 10, to 1000, by 10
    2ad6 0a00_4001_0a00 = from 1.0, to 32.0, by 1.0
    2a67 ff00_f401_e80300_00cd8d1c_40d6c305_102700_2823_0a_ea070b15050607 = 5.00 m/s, distance \
    100.0 m, latitude 47.9055104 °, longitude 9.6720448 °, elevation 100.00 m, heading 90.00 °, \
    rolling time 10 s, UTC 2026-11-21 05:06:07, position ok, speed and distance 2D, elevation by \
    positioning system, heading by movement
    2a67 841a_00cd8d1c_40d6c3f5 = latitude 47.9055104 °, longitude -17.1715008 °, position ok, \
    speed and distance 3D
    2a68 0000_2823_1027 = bearing 90.00 °, heading 100.00 °, position no position, heading by \
    movement, to waypoint, waypoint reached no, destination reached no
    2a69 7f00_05_06_6400_64000000_64000000_05_06 = beacons in solution 5, in view 6, first fix 10.0 \
    s, horizontal error 1.00 m, vertical error 1.00 m, HDOP 1.0, VDOP 1.2, position no position
    2a6a 01001000 = speed, position status
    """

  /// Environment, battery and others.
  static let others = """
    2a19 64 = 100 %
    2a19 65 = 101 % (battery_level_percent 101 is out of range)
    2a19  = (1 byte missing for battery_level_percent)
    2bed 00a101 = present yes, wired power no, wireless power no, charging, level critical, \
    charging unknown or not charging
    2bed 07230201006405 = present yes, wired power yes, wireless power no, charging, level unknown, \
    charging constant current, battery 1, 100 %, service required yes, battery fault yes
    2bea 0f5f1000802a00 = health 95 %, cycles 16, temperature less than -127, deep discharges 42
    2bee 033c0000feffffffffff = discharged in 60 min, on standby more than 16777213, recharged in \
    unknown
    2bef 000000 = unknown
    2bef 224e00 = 2024-10-06
    2bf0 020ae0 = voltage 0.10 V
    2a23 0102030405060708 = 0807060504030201
    2a29 41636d65 = Acme
    2a29 41636d6500 = Acme
    2a29 ff = ff (manufacturer_name is not UTF-8)
    2a50 025a04_3412_0001 = source USB-IF, vendor 045a, product 1234, version 0100
    2a6e 6608 = 21.50 °C
    2a6e 0080 = unknown
    2a6e 0181 = -325.11 °C (temperature_celsius -325.11 is out of range)
    2a6f ffff = unknown
    2a6f a00f = 40.00 %
    2a6f 1127 = 100.01 % (humidity_percent 100.01 is out of range)
    2a6d 54770f00 = 101358.8 Pa
    2a6c 102700 = 100.00 m
    2a70 e803 = 10.00 m/s
    2a71 284b = 192.40 °
    2a76 05 = 5
    2a78 0a00 = 0.010 m
    2a7b fb = -5 °C
    2aa1 0a000b00f5ff = x 0.0000010 T, y 0.0000011 T, z -0.0000011 T
    2aa3 09 = steady
    2b8c 9001 = 400 ppm
    2b8c feff = 65534 or more
    2bd6 23b0 = 0.00035 kg/m³
    2bd6 ff07 = NaN
    2bd6 0008 = NRes
    2be4 fe = 254 or more
    2be7 ffff = unknown
    2aee 7b00 = 1.23 A
    2b18 d300 = 3.30 V
    2b18 ffff = unknown
    2af2 010000 = 1 kWh
    2b05 0a0000 = 1.0 W
    2b05 feffff = invalid
    2afb 102700 = 100.00 lx
    2ae9 8c0a = 2700 K
    2ae9 0100 = 1 K (color_temperature_k 1 is out of range)
    2b1a d300_0100_c800_d900_40 = average 3.30 V, deviation 0.02 V, minimum 3.13 V, maximum 3.39 V, \
    over 1.000 s
    2a80 2a = 42 years
    2a85 b90703_04 = 1977-03-04
    2a85 b9070d04 = 1977-13-04 (date_of_birth: month 13 is out of range)
    2a8c 02 = unspecified
    2a8e b400 = 1.80 m
    2a98 b036 = 70.000 kg
    2a8b 64788c_a0 = very light/light 100 bpm, light/moderate 120 bpm, moderate/hard 140 bpm, \
    hard/maximum 160 bpm
    2a99 01000000 = 1
    2b13 00 = over 0 s
    2b13 40 = over 1.000 s
    2b13 ff = over unknown
    2b12 f0 = 24.0 h (time_hours 24.0 is out of range)
    2b0d 2d = 22.5 °C
    2b0d 7f = unknown
    2aed 224e00 = 2024-10-06
    2af8 4142430000000000 = ABC
    2ae8 0000c03f = 1.5
    2abf 0d18 = 180d
    2b46 2f27 = 272f
    2c07 ffffff7f = unknown
    """
}
