// SPDX-License-Identifier: MIT

/// The support for extensions in the completion scripts: their names come from blectl, their words from
/// themselves.
struct ExtensionScript {
  /// The names and aliases of the commands of blectl.
  let commands: [String]
  private let question = ExtensionCompletion.question

  init(without commands: [String]) { self.commands = commands }

  func mendedForBash(_ script: String) -> String {
    let lines = """
          # Extensions: the names of all, and the words of one.
          if ((COMP_CWORD == 1)); then
              __blectl_add_completions -W "$("${COMP_WORDS[0]}" \(question) 2>/dev/null)"
          elif [[ "${COMP_WORDS[1]}" != -* && ' \(commands.joined(separator: " ")) ' != *" ${COMP_WORDS[1]} "* ]]; then
              __blectl_add_completions -W "$("${COMP_WORDS[0]}" \(question) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
              return
          fi

      """
    return adding(lines, behind: "    local -r prev=\"${3}\"\n", in: script)
  }

  func mendedForZsh(_ script: String) -> String {
    let names = """
              local -a extensions=("${(@f)$("${command_name}" \(question) 2>/dev/null)}")
              extensions=("${(@)extensions:#}")
              (( ${#extensions} )) && _describe -V extension extensions && ret=0

      """
    let words = """
              *)
                  local -a candidates=("${(@f)$("${command_name}" \(question) "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
                  candidates=("${(@)candidates:#}")
                  (( ${#candidates} )) && _describe -V word candidates && ret=0
                  ;;

      """
    let named = adding(names, behind: "        _describe -V subcommand subcommands && ret=0\n", in: script)
    return adding(words, behind: "            \"_blectl_${words[1]}\" && ret=0\n            ;;\n", in: named)
  }

  /// Adds lines behind the first occurrence of a text.
  private func adding(_ lines: String, behind text: String, in script: String) -> String {
    script.replacing(text, with: text + lines, maxReplacements: 1)
  }

  var forFish: String {
    """

    # Extensions: the names of all, and the words of one.
    function __blectl_extensions
        set -lx SAP_SHELL fish
        set -lx SAP_SHELL_VERSION $FISH_VERSION
        set -l tokens (__blectl_tokens -pc)
        command $tokens[1] \(question) $argv 2>/dev/null
    end

    function __blectl_is_extension
        set -l tokens (__blectl_tokens -pc)
        test (count $tokens) -gt 1; or return 1
        string match -q -- '-*' $tokens[2]; and return 1
        not contains -- $tokens[2] \(commands.joined(separator: " "))
    end

    function __blectl_extension_words
        set -l tokens (__blectl_tokens -pc)
        __blectl_extensions $tokens[2..] (commandline -ct)
    end

    complete -c 'blectl' -n '__blectl_should_offer_completions_for_positional "blectl" -eq 1' -fa '(__blectl_extensions)'
    complete -c 'blectl' -n __blectl_is_extension -fa '(__blectl_extension_words)'

    """
  }
}
