/** What ends a command, as far as the documents write such things. */
const ends = new Set(['|', '||', '&&', ';', '&', '(', '$(', ')', '>', '<', '>>', '2>']);

/** Names under which the documents run the program. */
const programs = new Set(['conclave', './conclave', 'bin/run.js', '/opt/conclave/bin/run.js', '!conclave']);

/** The words behind the program's name, for each time that a line of shell runs it. */
export function commandLines(line: string): string[][] {
  const words = wordsOf(line);
  const found: string[][] = [];
  for (const [at, { text }] of words.entries()) {
    if (!programs.has(text) || !isCommand(words.slice(0, at).map((word) => word.text))) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word) => !word.quoted && ends.has(word.text));
    found.push((end === -1 ? rest : rest.slice(0, end)).map((word) => word.text));
  }
  // A helper of git (which adds what it wants), an alias or a `sh -c` is a command line in one word.
  const nested = words.filter(
    ({ text, quoted }) => quoted && / /.test(text) && /^!?conclave |[(;&] ?conclave /.test(text),
  );
  return [...found, ...nested.flatMap(({ text }) => commandLines(text.replace(/^!(.*)/, '$1 get')))];
}

/** A command stands at the beginning, behind what ended another one, or behind words that only say how it is run. */
function isCommand(before: readonly string[]): boolean {
  const last = before.at(-1);
  if (last === undefined || (ends.has(last) && !['>', '<', '>>', '2>'].includes(last)) || last === '--') return true;
  if (last === 'exec') return before.at(-2) !== 'docker';
  if (['node', '/usr/bin/node', 'ExecStart=/usr/bin/node', '*'].includes(last)) return true;
  if (/^[A-Z_]+=/.test(last)) return isCommand(before.slice(0, -1)) || before.at(-2) === 'env';
  return false;
}

interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

function wordsOf(line: string): Word[] {
  const words: Word[] = [];
  const token =
    /\s+|#.*$|(?:'(?<single>[^']*)')|(?:"(?<double>(?:[^"\\]|\\.)*)")|(?<sign>\$\(|\|\||&&|>>|2>|[|;&()<>])|(?<plain>(?:[^\s'"|;&()<>$]|\$(?!\()|\\.)+)/gy;
  let glued = false;
  for (const match of line.matchAll(token)) {
    const { single, double, sign, plain } = match.groups ?? {};
    const text = single ?? double ?? sign ?? plain;
    if (text === undefined) {
      glued = false;
      continue;
    }
    const quoted = single !== undefined || double !== undefined;
    const last = words.at(-1);
    if (glued && sign === undefined && last)
      words[words.length - 1] = { text: last.text + text, quoted: last.quoted || quoted };
    else words.push({ text, quoted });
    glued = sign === undefined;
  }
  return words;
}
