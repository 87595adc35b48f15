import { contactListing, listingOf, vaultListing, type CompletedCommand, type Words } from './model.ts';

/** A completion script for zsh: for a file \`_conclave\` on fpath, or for \`source\`. */
export function zshCompletion(model: readonly CompletedCommand[]): string {
  const known = model.filter(({ words }) => words !== '').map(({ words }) => `"${words}"`);
  const values = model.flatMap(({ words, flags }) =>
    flags.flatMap(({ name, value }) =>
      value === undefined ? [] : [`      "${words} ${name}") ${wordsFor(value)} ;;`],
    ),
  );
  const flags = model.map(({ words, flags: all }) => `        "${words}") ${described(all)} ;;`);
  const others = model.map(
    ({ words, children, argument }) =>
      `        "${words}") ${children.length > 0 ? described(children) : wordsFor(argument)} ;;`,
  );
  return `#compdef conclave
# zsh completion for conclave
# PREFIX is what is typed of the word, with its backslashes, or without the quote that it begins with.
_conclave_vaults() {
  local typed="$PREFIX"
  local -a names open whole
  [[ -n "\${compstate[quote]}" ]] || typed="\${(Q)typed}"
  names=(\${(f)"$(${vaultListing} "$typed" 2>/dev/null)"})
  if [[ "$1" == vaults ]]; then
    whole=("\${(@)names%/}")
  else
    open=("\${(@M)names:#*/}")
    whole=("\${(@)names:#*/}")
  fi
  (( $#open )) && compadd -S '' -a open
  (( $#whole )) && compadd -a whole
}
# $@ is the command that says them.
_conclave_contacts() {
  local typed="$PREFIX"
  local -a names
  [[ -n "\${compstate[quote]}" ]] || typed="\${(Q)typed}"
  names=(\${(f)"$("$@" "$typed" 2>/dev/null | cut -f1)"})
  (( $#names )) && compadd -a names
}
_conclave() {
  local command="" word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      ${known.join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${values.join('\n')}
    *)
      if [[ "\${words[CURRENT]}" == -* ]]; then
        case "$command" in
${flags.join('\n')}
        esac
      else
        case "$command" in
${others.join('\n')}
        esac
      fi ;;
  esac
}
if [[ "\${funcstack[1]-}" == _conclave ]]; then
  _conclave "$@"
else
  compdef _conclave conclave
fi
`;
}

function wordsFor(words: Words): string {
  switch (words.kind) {
    case 'these':
      return `choices=(${words.words.map(quoted).join(' ')}); compadd -a choices`;
    case 'files':
      return '_files';
    case 'vaults':
    case 'entries':
      return `_conclave_vaults ${words.kind}`;
    case 'addresses':
    case 'people':
      return `_conclave_contacts ${contactListing(words)}`;
    default: {
      const listing = listingOf(words);
      if (listing === undefined) return ':';
      return `choices=(\${(f)"$(${listing} 2>/dev/null | cut -f1)"}); compadd -a choices`;
    }
  }
}

function described(items: readonly { readonly name: string; readonly description: string }[]): string {
  if (items.length === 0) return ':';
  return `choices=(${items.map(({ name, description }) => quoted(`${name.replaceAll(':', '\\:')}:${description}`)).join(' ')}); _describe conclave choices`;
}

/** In single quotes, only the single quote itself has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
