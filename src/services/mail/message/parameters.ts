export interface Structured {
  /** lower case: `text/plain` */
  readonly value: string;
  /** what comes after the first semicolon, as it is written */
  readonly rest: string;
  /** by the lower-case name as written; the first of each name */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Longer values are cut: parameters of real messages are below 2 KiB. */
const LONGEST_VALUE = 16 * 1024;

const token = /[ \t]*(?:\((?:[^()\\]|\\.)*\)[ \t]*)*([^\s;=()"]+)[ \t]*(?:\((?:[^()\\]|\\.)*\)[ \t]*)*(=?)[ \t]*/y;
const quoted = /"((?:[^"\\]|\\.)*)"?/y;
const plain = /[^\s;]*/y;

/** The value of a field such as Content-Type, with its parameters. It takes what is wrong as well as it can. */
export function structuredFrom(written: string): Structured {
  const text = written.slice(0, LONGEST_VALUE).replaceAll(/[\r\n\0]/g, ' ');
  const semicolon = text.indexOf(';');
  const value = (semicolon === -1 ? text : text.slice(0, semicolon)).replaceAll(/\([^()]*\)|["\s]/g, '').toLowerCase();
  const rest = semicolon === -1 ? '' : text.slice(semicolon + 1);
  const parameters = new Map<string, string>();
  for (let at = 0; at < rest.length;) {
    const [name = '', equals, after] = nameAt(rest, at);
    const [content, end] = equals ? contentAt(rest, after) : ['', after];
    if (name !== '' && !parameters.has(name)) parameters.set(name, content);
    const next = rest.indexOf(';', end);
    at = next === -1 ? rest.length : next + 1;
  }
  return { value, rest, parameters };
}

function nameAt(text: string, at: number): readonly [string | undefined, boolean, number] {
  token.lastIndex = at;
  const match = token.exec(text);
  return match === null ? [undefined, false, at] : [match[1]?.toLowerCase(), match[2] === '=', token.lastIndex];
}

function contentAt(text: string, at: number): readonly [string, number] {
  quoted.lastIndex = at;
  const inQuotes = quoted.exec(text)?.[1];
  if (inQuotes !== undefined) return [inQuotes.replaceAll(/\\(.)/g, '$1'), quoted.lastIndex];
  plain.lastIndex = at;
  return [plain.exec(text)?.[0] ?? '', plain.lastIndex];
}

/** A parameter, in one piece or in several (RFC 2231 3), without the decoding of percent signs. */
export function parameterOf({ parameters }: Structured, name: string): string | undefined {
  const whole = parameters.get(name);
  if (whole !== undefined) return whole;
  let joined: string | undefined;
  for (let index = 0; parameters.has(`${name}*${index}`); index += 1)
    joined = (joined ?? '') + (parameters.get(`${name}*${index}`) ?? '');
  return joined;
}
