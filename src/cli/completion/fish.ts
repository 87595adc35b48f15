import { listingOf, vaultListing, type CompletedCommand, type Words } from './model.ts';

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
complete -c conclave -f
${model.flatMap(linesFor).join('\n')}
`;
}

function linesFor({ words, children, flags, argument }: CompletedCommand): string[] {
  const at = `complete -c conclave -n '__conclave_at "${words}"'`;
  return [
    ...children.map(({ name, description }) => `${at} -a ${name} -d '${description}'`),
    ...(children.length > 0 ? [] : argumentLine(at, argument)),
    ...flags.map(
      ({ name, description, value }) =>
        `${at} -l ${name.slice(2)} -d '${description}'${value === undefined ? '' : valueFor(value)}`,
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
  if (words.kind === 'entries') return `(${vaultListing} (__conclave_typed) 2>/dev/null)`;
  if (words.kind === 'vaults') return `(${vaultListing} (__conclave_typed) 2>/dev/null | string replace -r "/\\$" "")`;
  const listing = listingOf(words);
  return listing === undefined ? '' : `(${listing} 2>/dev/null | cut -f1)`;
}
