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
# Names of vaults and entries hold spaces: they come a line each, and go back with what the shell needs. $2 is what is cut off their ends.
_conclave_vaults() {
  local name typed="\${1//[\\\\\\"\\']/}"
  while IFS= read -r name; do
    [[ "$2" == "" && "$name" == */ ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$(printf %q "\${name%"$2"}")")
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
      return '_conclave_vaults "$current" /';
    case 'entries':
      return '_conclave_vaults "$current" ""';
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
