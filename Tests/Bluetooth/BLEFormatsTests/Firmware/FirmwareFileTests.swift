// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Firmware files")
struct FirmwareFileTests {
  private func file(_ bytes: [UInt8]) throws(FirmwareError) -> FirmwareFile {
    try FirmwareFile(parsing: bytes, named: "file")
  }

  private func error(_ bytes: [UInt8]) -> String? {
    do throws(FirmwareError) {
      _ = try file(bytes)
      return nil
    } catch {
      return error.message
    }
  }

  // MARK: Images

  @Test("An image is read with its program; its hex file is the same")
  func image() throws {
    for bytes in [FirmwareSamples.unsigned, Array(FirmwareSamples.hex.utf8)] {
      let file = try file(bytes)
      guard case .image(let image, let content) = file.content else {
        return #expect(Bool(false), "no image")
      }
      #expect(image.version.description == "2.0.0" && content == FirmwareSamples.unsigned)
      #expect(file.size == bytes.count && file.problems.isEmpty && !file.isPadded)
    }
  }

  @Test("An image that a bootloader must not start has a problem")
  func notBootable() throws {
    let image = try FirmwareSamples.image(flags: 0x10)
    #expect(try file(image).problems == ["its flags say that a bootloader must not start it"])
  }

  @Test("Padding of ff is not sent, the rest of a slot is")
  func padding() throws {
    let padding = [UInt8](repeating: 0xff, count: 200)
    for (rest, isSent) in [(padding, false), (padding + [0x77], true)] {
      let file = try file(FirmwareSamples.signed + rest)
      guard case .image(_, let content) = file.content else { return #expect(Bool(false), "no image") }
      #expect(content == FirmwareSamples.signed + (isSent ? rest : []))
      #expect(file.size == FirmwareSamples.signed.count + rest.count && file.isPadded == !isSent)
    }
  }

  @Test(
    "A file of another kind is read as it is, with a problem that says what it is",
    arguments: [
      ([0x55, 0x46, 0x32, 0x0a, 0], "it is a UF2 file, for the USB drive of a bootloader"),
      ([0x7f, 0x45, 0x4c, 0x46, 2], "it is an ELF file of a linker: take the signed .bin, or the package"),
      ([1, 2, 3], "it is neither an image of MCUboot nor a package"),
    ] as [([UInt8], String)])
  func unknown(_ bytes: [UInt8], _ problem: String) throws {
    let file = try file(bytes)
    guard case .unknown(let content) = file.content else { return #expect(Bool(false), "of a kind") }
    #expect(content == bytes && file.problems == [problem])
  }

  @Test("An empty file is refused")
  func empty() {
    #expect(error([]) == "the file is empty")
  }

  // MARK: Packages of the nRF Connect SDK

  private func entry(_ file: String, _ more: String = "") -> String { #"{"file":"\#(file)"\#(more)}"# }

  @Test("A package of two images has their numbers, boards and versions")
  func images() throws {
    let manifest =
      #"{"format-version":0,"files":["#
      + entry("app.bin", #","size":260,"board":"nrf5340dk","image_index":"0","version_MCUBOOT":"1.2.3+4""#)
      + ","
      + entry("net.bin", #","image_index":1,"slot":3"#) + "]}"
    let file = try file(
      FirmwareSamples.package(
        manifest, [("app.bin", FirmwareSamples.signed), ("net.bin", FirmwareSamples.unsigned)]))
    guard case .images(let parts) = file.content else { return #expect(Bool(false), "no images") }
    #expect(parts.map(\.index) == [0, 1] && parts.map(\.slot) == [nil, 1])
    #expect(parts.map(\.board) == ["nrf5340dk", nil] && parts.map(\.version) == ["1.2.3+4", nil])
    #expect(parts.map(\.bytes) == [FirmwareSamples.signed, FirmwareSamples.unsigned])
    #expect(file.problems.isEmpty)
  }

  @Test("Padding of ff is not sent of an image in a package either, whose manifest has the size of the file")
  func packagedPadding() throws {
    let image = FirmwareSamples.signed
    let padded = image + [UInt8](repeating: 0xff, count: 200)
    let manifest = #"{"files":["# + entry("a.bin", #","size":\#(padded.count)"#) + "]}"
    guard case .images(let parts) = try file(FirmwareSamples.package(manifest, [("a.bin", padded)])).content
    else { return #expect(Bool(false), "no images") }
    #expect(parts.map(\.bytes) == [image] && parts.map(\.isPadded) == [true])
  }

  @Test("Two files for one image are a problem, unless they are for different slots")
  func duplicates() throws {
    let image = FirmwareSamples.signed
    let same = #"{"files":["# + entry("a") + "," + entry("b", #","partition":0"#) + "]}"
    let problems = try file(FirmwareSamples.package(same, [("a", image), ("b", image)])).problems
    #expect(problems == ["a and b are both for image 0"])
    let apart = #"{"files":["# + entry("a", #","slot":"0""#) + "," + entry("b", #","slot":"1""#) + "]}"
    #expect(try file(FirmwareSamples.package(apart, [("a", image), ("b", image)])).problems.isEmpty)
  }

  @Test("The problem of an image in a package has its name")
  func damagedPart() throws {
    var image = FirmwareSamples.signed
    image[50] ^= 1
    let file = try file(FirmwareSamples.package(#"{"files":["# + entry("a.bin") + "]}", [("a.bin", image)]))
    #expect(file.problems.first?.hasPrefix("a.bin: the SHA-256 is ") == true)
  }

  @Test("A folder that was packed with its name, and without compression, is read")
  func folder() throws {
    let manifest = #"{"files":["# + entry("a") + "]}"
    let package = FirmwareSamples.package(manifest, [("a", FirmwareSamples.signed)], folder: "dfu/")
    guard case .images(let parts) = try file(package).content else {
      return #expect(Bool(false), "no images")
    }
    #expect(parts.map(\.bytes) == [FirmwareSamples.signed])
  }

  @Test("Manifests that are wrong are refused with the reason")
  func manifests() {
    let image = FirmwareSamples.signed
    func error(_ manifest: String) -> String? {
      self.error(FirmwareSamples.package(manifest, [("a", image)]))
    }
    #expect(error("{")?.hasPrefix("manifest.json:1:2: expected ") == true)
    #expect(error("{}") == #"manifest.json describes no firmware: it has neither "files" nor "manifest""#)
    #expect(error("[]") == #"manifest.json describes no firmware: it has neither "files" nor "manifest""#)
    #expect(error(#"{"files":[]}"#) == "manifest.json describes no firmware")
    #expect(error(#"{"manifest":{}}"#) == "manifest.json describes no firmware")
    #expect(error(#"{"files":[{}]}"#) == #"manifest.json: 1:11: "file" is missing, or is not a text"#)
    #expect(error(#"{"files":["# + entry("b") + "]}") == "the archive lacks b, which manifest.json names")
    #expect(
      error(#"{"files":["# + entry("a", #","size":"0x10""#) + "]}")
        == "a has 260 bytes, manifest.json says 16")
    #expect(
      error(#"{"files":["# + entry("a", #","image_index":-1"#) + "]}")
        == "manifest.json has a wrong number of the image or slot of a")
    #expect(
      error(#"{"manifest":{"application":{"bin_file":"a"}}}"#)
        == #"manifest.json: 1:28: "dat_file" is missing, or is not a text"#)
    let deep = String(repeating: "[", count: 100_000)
    #expect(error(deep)?.contains("expected at most 64 arrays and objects within each other") == true)
    #expect(
      error(#"{"files":["# + entry("manifest.json") + "]}") == "manifest.json: it is not an image of MCUboot")
  }

  @Test("An archive without a manifest, or with several, is refused")
  func noManifest() {
    #expect(
      error(ZipSample(files: [("a", [])]).bytes)
        == "the archive has no manifest.json: it is not a package of firmware")
    let two = ZipSample(files: [("x/manifest.json", []), ("y/manifest.json", [])])
    #expect(error(two.bytes) == "the archive has several packages: unpack it, and take one of them")
  }

  // MARK: Packages for Nordic's bootloaders

  @Test("A package of adafruit-nrfutil has an init packet of Legacy DFU")
  func legacy() throws {
    let file = try file(FirmwareSamples.legacyPackage)
    guard case .nordic(let parts) = file.content, let part = parts.first else {
      return #expect(Bool(false), "no part")
    }
    #expect(parts.count == 1 && part.kind == .application && part.name == "app.bin")
    #expect(part.firmware == FirmwareSamples.program && part.applicationSize == 64)
    #expect(part.legacyInit?.deviceType == 0x52 && part.legacyInit?.applicationVersion == 7)
    #expect(part.legacyInit?.softDevices == [0xb6, 0xfffe] && part.legacyInit?.crc16 == 64815)
    #expect(!part.isSecure && file.problems.isEmpty)
  }

  @Test("A package with a protobuf has an init packet of Secure DFU")
  func secure() throws {
    let file = try file(FirmwareSamples.securePackage)
    guard case .nordic(let parts) = file.content, let part = parts.first else {
      return #expect(Bool(false), "no part")
    }
    #expect(part.isSecure && part.legacyInit == nil)
    #expect(part.secureInit?.firmwareVersion == 3 && part.secureInit?.hardwareVersion == 52)
    #expect(part.secureInit?.softDevices == [0x100, 0x102] && part.secureInit?.signature == "ECDSA P-256")
    #expect(try part.secureInit?.sha256 == SHA256.digest(of: FirmwareSamples.program))
    #expect(file.problems.isEmpty)
  }

  @Test("SoftDevice and bootloader come before the application, and their sizes must be right")
  func order() throws {
    let firmware = FirmwareSamples.program
    let initPacket: [UInt8] =
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0xfe, 0xff]
      + CRC16.of(firmware).littleEndianBytes
    let app = #""application":{"bin_file":"a","dat_file":"i"}"#
    func parts(_ softDevice: Int, _ bootloader: Int) throws -> FirmwareFile {
      let both =
        #""softdevice_bootloader":{"bin_file":"a","dat_file":"i","sd_size":\#(softDevice),"bl_size":\#(bootloader)}"#
      return try file(
        FirmwareSamples.package(#"{"manifest":{\#(app),\#(both)}}"#, [("a", firmware), ("i", initPacket)]))
    }
    let right = try parts(40, 24)
    guard case .nordic(let list) = right.content else { return #expect(Bool(false), "no parts") }
    #expect(list.map(\.kind) == [.softDeviceAndBootloader, .application] && right.problems.isEmpty)
    #expect(list[0].softDeviceSize == 40 && list[0].bootloaderSize == 24 && list[0].applicationSize == 0)
    #expect(
      try parts(40, 25).problems == ["a: it has 64 bytes, SoftDevice and bootloader should have 40 and 25"])
    #expect(try parts(.max, .max).problems.count == 1)
    #expect(try parts(64, 0).problems.count == 1)
  }

  @Test("A firmware that its init packet is not for has a problem")
  func mismatch() throws {
    func problems(
      _ firmware: [UInt8], _ initPacket: [UInt8], _ kind: String = "application"
    ) throws -> [String] {
      let manifest = #"{"manifest":{"\#(kind)":{"bin_file":"a","dat_file":"i"}}}"#
      return try file(FirmwareSamples.package(manifest, [("a", firmware), ("i", initPacket)])).problems
    }
    let archive = try ZipArchive(FirmwareSamples.securePackage)
    let secure = try #require(try archive.file("a.dat"))
    let legacy = try #require(try ZipArchive(FirmwareSamples.legacyPackage).file("app.dat"))
    let program = FirmwareSamples.program
    #expect(try problems(program, secure).isEmpty && problems(program, legacy).isEmpty)
    #expect(try problems(program.reversed(), legacy).first?.hasPrefix("a: its CRC-16 is ") == true)
    #expect(try problems(program.reversed(), secure).first?.hasPrefix("a: its SHA-256 is ") == true)
    #expect(try problems(program + [0], secure).first == "a: it has 65 bytes, the init packet says 64")
    #expect(
      try problems(program, secure, "bootloader") == [
        "a: the manifest says bootloader, the init packet application"
      ])
    #expect(try problems([], legacy).contains("a: it has no bytes"))
    #expect(try problems(program, []) == ["a: its init packet has no bytes"])
    // Such as a program and its init packet that were exchanged.
    for other in [program, [UInt8](repeating: 0x99, count: 37), Array(secure.dropLast())] {
      #expect(
        try problems(program, other) == [
          "a: its init packet is neither one of Secure DFU nor one of Legacy DFU"
        ])
    }
  }
}
