import { contactListing, listingOf, vaultListing, type CompletedCommand, type Words } from './model.ts';

/** A completion script for fish. */
export function fishCompletion(model: readonly CompletedCommand[]): string {
  const known = model.filter(({ words }) => words !== '').map(({ words }) => `'${words}'`);
  return `# fish completion for conclave
function __conclave_at
    set -l command ''
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim -- "$command $word")
        if contains -- "$longer" ${known.join(' ')}
            set command "$longer"
        end
    end
    test "$command" = "$argv[1]"
end
# What is typed of the word, or of the value behind a flag, without what quotes it.
function __conclave_typed
    set -l word (commandline -ct | string replace -r -- '^--[a-z-]+=' '')
    switch "$word"
        case '"*' "'*"
            string sub -s 2 -- "$word"
        case '*'
            string unescape -- "$word"
    end
end
# Names that a command says, a line each. fish would leave a ~ at their beginning as it is, and read it as somebody's folder.
function __conclave_names
    if string match -qr -- '^(\\\\\\\\|\\'|"|--)' (commandline -ct)
        $argv 2>/dev/null | cut -f1
    else
        $argv 2>/dev/null | cut -f1 | string match -v -- '~*'
    end
end
complete -c conclave -f
${model.flatMap(linesFor).join('\n')}
`;
}

function linesFor({ words, children, flags, argument }: CompletedCommand): string[] {
  const at = `complete -c conclave -n '__conclave_at "${words}"'`;
  return [
    ...children.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...(children.length > 0 ? [] : argumentLine(at, argument)),
    ...flags.map(
      ({ name, description, value }) =>
        `${at} -l ${name.slice(2)} -d ${quoted(description)}${value === undefined ? '' : valueFor(value)}`,
    ),
  ];
}

function argumentLine(at: string, words: Words): string[] {
  return words.kind === 'none' ? [] : [words.kind === 'files' ? `${at} -F` : `${at} -a '${candidates(words)}'`];
}

function valueFor(words: Words): string {
  return words.kind === 'none' ? ' -x' : words.kind === 'files' ? ' -r -F' : ` -x -a '${candidates(words)}'`;
}

function candidates(words: Words): string {
  if (words.kind === 'these') return words.words.join(' ');
  if (words.kind === 'entries') return `(__conclave_names ${vaultListing} (__conclave_typed))`;
  if (words.kind === 'vaults')
    return `(__conclave_names ${vaultListing} (__conclave_typed) | string replace -r "/\\$" "")`;
  const ofContacts = contactListing(words);
  if (ofContacts !== undefined) return `(__conclave_names ${ofContacts} (__conclave_typed))`;
  const listing = listingOf(words);
  return listing === undefined ? '' : `(__conclave_names ${listing})`;
}

/** In single quotes, fish gives a backslash a meaning only before another backslash and before a quote. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
