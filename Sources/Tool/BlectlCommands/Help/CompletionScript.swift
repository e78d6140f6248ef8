// SPDX-License-Identifier: MIT

/// Completes the completion scripts of ArgumentParser.
enum CompletionScript {
  /// Adds extensions, the command after `simulate --`, and files after the `@` of a value.
  static func mended(_ script: String, commands: [String]) -> String {
    let script = withoutSecondHelp(script)
    let extensions = ExtensionScript(without: commands)
    if script.hasPrefix("#!/bin/bash") { return extensions.mendedForBash(mendedForBash(script)) }
    if script.hasPrefix("#compdef") { return extensions.mendedForZsh(mendedForZsh(script)) }
    return script.hasPrefix("function __blectl") ? script + "\n" + fishAddition + extensions.forFish : script
  }

  /// Removes the functions for ArgumentParser's own `help`, whose names are those of ours.
  private static func withoutSecondHelp(_ script: String) -> String {
    let head = "\n_blectl_help() {"
    let places = script.ranges(of: head)
    guard places.count > 1, let last = places.last,
      let end = script[last.upperBound...].ranges(of: "\n}\n").first
    else { return script }
    return String(script[..<last.lowerBound] + script[end.upperBound...])
  }

  /// Inserts lines at the beginning of a command's function.
  private static func inserting(_ lines: String, into command: String, of script: String) -> String {
    script.replacing(
      "\n_blectl_\(command)() {\n", with: "\n_blectl_\(command)() {\n\(lines)\n", maxReplacements: 1)
  }

  // MARK: bash

  private static func mendedForBash(_ script: String) -> String {
    let simulate = """
          # A command follows after --.
          local -i place
          for ((place = 2; place < COMP_CWORD; place++)); do
              [[ "${COMP_WORDS[place]}" = -- ]] || continue
              if ((place + 1 == COMP_CWORD)); then
                  __blectl_add_completions -c
              elif declare -F _command_offset >/dev/null; then
                  _command_offset "$((place + 1))"
              else
                  __blectl_add_completions -f
              fi
              return
          done

      """
    let write = """
          # A file follows after @.
          if [[ "${cur}" = @* ]]; then
              local file
              while IFS='' read -r file; do
                  COMPREPLY+=("@${file}")
              done < <(compgen -f -- "${cur#@}")
              return
          fi

      """
    return inserting(write, into: "write", of: inserting(simulate, into: "simulate", of: script))
  }

  // MARK: zsh

  private static func mendedForZsh(_ script: String) -> String {
    let simulate = """
          # A command follows after --.
          local -i place="${words[(i)--]}"
          if (( place < CURRENT )); then
              words=("${(@)words[place + 1,-1]}")
              (( CURRENT -= place ))
              _normal
              return
          fi

      """
    let write = """
          # A file follows after @.
          if compset -P '@'; then
              _files
              return
          fi

      """
    return inserting(write, into: "write", of: inserting(simulate, into: "simulate", of: script))
  }

  // MARK: fish

  private static let fishAddition = """
    # A command follows after the -- of simulate.
    function __blectl_is_in_command
        set -l tokens (__blectl_tokens -pc)
        test "$tokens[2]" = simulate; and contains -- -- $tokens
    end

    function __blectl_complete_command
        set -l tokens (__blectl_tokens -pc)
        set -l place (contains -i -- -- $tokens)
        set -e tokens[1..$place]
        complete -C (string join -- ' ' (string escape -- $tokens) (commandline -ct))
    end

    # A file follows after the @ of a value.
    function __blectl_is_file_value
        set -l tokens (__blectl_tokens -pc)
        test "$tokens[2]" = write; and string match -q -- '@*' (commandline -ct)
    end

    function __blectl_complete_file_value
        string replace -r '^' '@' -- (__fish_complete_path (string sub -s 2 -- (commandline -ct)))
    end

    complete -c 'blectl' -n __blectl_is_in_command -xa '(__blectl_complete_command)'
    complete -c 'blectl' -n __blectl_is_file_value -xa '(__blectl_complete_file_value)'

    """
}
