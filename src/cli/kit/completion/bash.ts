import { contactListing, listingOf, vaultListing, type CompletedCommand, type Words } from './model.ts';

/** A completion script for bash. It needs no other package. */
export function bashCompletion(model: readonly CompletedCommand[]): string {
  const known = model.filter(({ words }) => words !== '').map(({ words }) => `"${words}"`);
  const cases = (arms: readonly (readonly [pattern: string, action: string])[]) =>
    arms.map(([pattern, action]) => `    ${pattern}) ${action} ;;`).join('\n');
  const values = model.flatMap(({ words, flags }) =>
    flags.flatMap(({ name, value }) => (value === undefined ? [] : [[`"${words} ${name}"`, wordsFor(value)] as const])),
  );
  const flags = model.map(({ words, flags: all }) => [`"${words}"`, list(all.map(({ name }) => name))] as const);
  const others = model.map(({ words, children, argument }) => {
    const action = children.length > 0 ? list(children.map(({ name }) => name)) : wordsFor(argument);
    return [`"${words}"`, action] as const;
  });
  return `# bash completion for conclave
# What is typed of the word, without what quotes it, and the quote that is still open: names hold spaces, quotes and colons.
_conclave_typed() {
  local line="\${COMP_LINE:0:COMP_POINT}" at character
  typed="" quote=""
  for ((at = 0; at < \${#line}; at++)); do
    character="\${line:at:1}"
    if [[ "$quote" == "'" && "$character" != "'" ]]; then typed+="$character"
    elif [[ "$character" == \\\\ ]]; then ((at++)); typed+="\${line:at:1}"
    elif [[ "$character" == "$quote" ]]; then quote=""
    elif [[ "$quote" == "" && "$character" == [\\'\\"] ]]; then quote="$character"
    elif [[ "$quote" == "" && "$character" == [[:space:]] ]]; then typed=""
    else typed+="$character"
    fi
  done
}
# $1 as the shell reads it as one word, within the quote that is open. Nothing is left that bash would expand.
_conclave_quote() {
  local at character
  quoted=""
  for ((at = 0; at < \${#1}; at++)); do
    character="\${1:at:1}"
    if [[ "$quote" == "'" ]]; then
      [[ "$character" == "'" ]] && character="'\\\\''"
    elif [[ "$quote" == '"' ]]; then
      case "$character" in
      [\\"\\\\\\$\\\`]) character="\\\\$character" ;;
      !) character='"\\!"' ;; # The history of bash reads quotes in its own way.
      esac
    else
      case "$character" in
      [[:space:]] | [][\\\\\\'\\"\\\`\\$\\&\\;\\|\\<\\>\\(\\){}*?!#~^]) character="\\\\$character" ;;
      esac
    fi
    quoted+="$character"
  done
  # bash opens and closes the quote of a whole word, but not beside a character that looks like it.
  [[ "$quote" != "" && "$quoted" == "$quote"* ]] && quoted="$quote$quoted"
  [[ "$quote" != "" && "$quoted" == *"$quote" ]] && quoted+="$quote"
}
# Candidates from the lines of standard input. What they say comes from a server and stays text: compgen -W would expand it.
# Of a word, bash replaces what follows the last character at which it breaks words. $1 is cut off the ends.
_conclave_names() {
  local name quoted before="" shared
  [[ "$quote" == "" && "$typed" == *[:=@]* ]] && before="\${typed%"\${typed##*[:=@]}"}"
  while IFS= read -r name; do
    [[ "$name" == "$typed"* ]] || continue
    [[ "$1" == "" && "$name" == */ ]] && compopt -o nospace 2>/dev/null
    name="\${name#"$before"}"
    _conclave_quote "\${name%"$1"}"
    COMPREPLY+=("$quoted")
  done
  # bash inserts what all of them begin with, which may end within a quoted character.
  [[ "\${#COMPREPLY[@]}" -gt 1 && "$quote" != "'" ]] || return 0
  shared="\${COMPREPLY[0]}"
  for name in "\${COMPREPLY[@]}"; do
    while [[ "$name" != "$shared"* ]]; do shared="\${shared%?}"; done
  done
  name="\${shared%"\${shared##*[!\\\\]}"}"
  (((\${#shared} - \${#name}) % 2)) && COMPREPLY+=("\${shared%?}")
  return 0
}
# bash quotes names of files itself. Versions that can't be told to complete them get them as names are.
_conclave_files() {
  compopt -o default 2>/dev/null || _conclave_names "" < <(compgen -f -- "$typed")
}
_conclave() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word typed quote
  _conclave_typed
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
    ${known.join(' | ')}) command="\${command:+$command }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${cases(values)}
    *)
      if [[ "$current" == -* ]]; then
        case "$command" in
${cases(flags)}
        esac
      else
        case "$command" in
${cases(others)}
        esac
      fi ;;
  esac
}
complete -o bashdefault -F _conclave conclave
`;
}

function wordsFor(words: Words): string {
  switch (words.kind) {
    case 'these':
      return list(words.words);
    case 'files':
      return '_conclave_files';
    case 'vaults':
      return `_conclave_names / < <(${vaultListing} "$typed" 2>/dev/null)`;
    case 'entries':
      return `_conclave_names "" < <(${vaultListing} "$typed" 2>/dev/null)`;
    case 'addresses':
    case 'people':
      return `_conclave_names "" < <(${contactListing(words)} "$typed" 2>/dev/null | cut -f1)`;
    default: {
      const listing = listingOf(words);
      return listing === undefined ? ':' : `_conclave_names "" < <(${listing} 2>/dev/null | cut -f1)`;
    }
  }
}

function list(words: readonly string[]): string {
  return words.length === 0 ? ':' : `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`;
}
