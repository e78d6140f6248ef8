// SPDX-License-Identifier: MIT
internal import WebServer

@main
enum WebMain {
  static func main() async { await WebProgram.main() }
}
