// SPDX-License-Identifier: MIT
internal import BlectlCommands

@main
enum Main {
  static func main() { CommandLineTool.main() }
}
