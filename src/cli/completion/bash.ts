import { listingOf, vaultListing, type CompletedCommand, type Words } from './model.ts';

/** A completion script for bash, in need of nothing else. */
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
# Names come a line each, and go back with what the shell needs, but for what stands before the last character at which it breaks words.
# $1 is cut off their ends.
_conclave_vaults() {
  local typed quote name before=""
  _conclave_typed
  [[ "$quote" == "" && "$typed" == *[:=@]* ]] && before="\${typed%"\${typed##*[:=@]}"}"
  while IFS= read -r name; do
    [[ "$name" == "$before"* ]] || continue
    [[ "$1" == "" && "$name" == */ ]] && compopt -o nospace 2>/dev/null
    name="\${name#"$before"}"
    name="\${name%"$1"}"
    case "$quote" in
    \\') name="\${name//\\'/\\'\\\\\\'\\'}" ;;
    \\") name="$(sed 's/[\\"$\`]/\\\\&/g' <<< "$name")" ;;
    *) name="$(printf %q "$name")" ;;
    esac
    COMPREPLY+=("$name")
  done < <(${vaultListing} "$typed" 2>/dev/null)
}
_conclave() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word
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
      return 'COMPREPLY=($(compgen -f -- "$current"))';
    case 'vaults':
      return '_conclave_vaults /';
    case 'entries':
      return '_conclave_vaults ""';
    default: {
      const listing = listingOf(words);
      if (listing === undefined) return ':';
      return `COMPREPLY=($(compgen -W "$(${listing} 2>/dev/null | cut -f1)" -- "$current"))`;
    }
  }
}

function list(words: readonly string[]): string {
  return words.length === 0 ? ':' : `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`;
}
