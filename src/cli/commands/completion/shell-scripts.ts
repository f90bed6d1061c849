/**
 * Shell completion scripts. They run `holdfast completion words` at each Tab, so they never get out of date with the
 * commands. `:file` and `:directory` leave the completion of the word to the shell.
 */
const bash = `_holdfast() {
  local IFS=$'\\n' found
  found=$(holdfast completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $found in
    :file) COMPREPLY=($(compgen -f -- "$2")) ;;
    :directory) COMPREPLY=($(compgen -d -- "$2")) ;;
    *) COMPREPLY=($found) ;;
  esac
}
complete -F _holdfast holdfast
`;

const zsh = `#compdef holdfast
_holdfast() {
  local -a found
  found=("\${(@f)$(holdfast completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $found[1] in
    :file) _files ;;
    :directory) _files -/ ;;
    ?*) compadd -- $found ;;
  esac
}
compdef _holdfast holdfast
`;

const fish = `function __holdfast_words
  set -l typed (commandline -ct)
  set -l found (holdfast completion words -- (commandline -opc)[2..-1] "$typed" 2>/dev/null)
  switch "$found"
    case :file
      __fish_complete_path "$typed"
    case :directory
      __fish_complete_directories "$typed"
    case '*'
      string join \\n -- $found
  end
end
complete -c holdfast -f -a '(__holdfast_words)'
`;

export const SHELL_SCRIPTS = { bash, zsh, fish } as const;
