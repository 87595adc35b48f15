import { Problem } from '../../../base/problem.ts';

export interface Assignment {
  readonly name: string;
  readonly value: string;
}

const nameOnly = /^[A-Za-z_][A-Za-z0-9_]*$/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Parses lines `NAME=value` in the format of dotenv files. Empty lines and lines that begin with `#` are ignored. `export` may precede the
 * name. Single quotes keep everything unchanged. Double quotes support `\n \r \t \" \\ \$`. Quoted values may span several lines. A value
 * without quotes ends at the end of the line or before ` #`. Variables are not expanded.
 *
 * @param file name for messages, which contain the line number and never its text
 * @throws Problem invalid ENV_FILE_INVALID
 */
export function parseEnvFile(text: string, file: string): Assignment[] {
  const source = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const found: Assignment[] = [];
  let at = 0;
  const fail = (why: string): Problem => {
    const line = source.slice(0, at).split('\n').length;
    return new Problem('invalid', 'ENV_FILE_INVALID', `${file}, line ${line}: ${why}.`);
  };
  while (at < source.length) {
    const end = endOfLine(source, at);
    const line = source.slice(at, end);
    if (line.trim() === '' || line.trimStart().startsWith('#')) {
      at = end + 1;
      continue;
    }
    const equals = line.indexOf('=');
    const name = line
      .slice(0, Math.max(0, equals))
      .trim()
      .replace(/^export\s+/, '');
    if (equals < 0 || !nameOnly.test(name)) throw fail('is not NAME=value');
    const start = at + equals + 1 + (/^[ \t]*/.exec(line.slice(equals + 1))?.[0].length ?? 0);
    const quote = source[start];
    if (quote !== '"' && quote !== "'") {
      found.push({
        name,
        value: source
          .slice(start, end)
          .replace(/(?:^|[ \t])#.*$/, '')
          .trimEnd(),
      });
      at = end + 1;
      continue;
    }
    const close = closingQuote(source, start + 1, quote);
    if (close === undefined) throw fail('has a quote that is not closed');
    const rest = source.slice(close + 1, endOfLine(source, close));
    if (!/^[ \t]*(?:#.*)?$/.test(rest)) throw fail('has text after the closing quote');
    const inside = source.slice(start + 1, close);
    found.push({ name, value: quote === "'" ? inside : unescaped(inside) });
    at = endOfLine(source, close) + 1;
  }
  return found;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function closingQuote(text: string, from: number, quote: string): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return undefined;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([nrt"\\$])/g, (_, letter: string) => escapes[letter] ?? letter);
}
