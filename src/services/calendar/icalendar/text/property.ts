import ICAL from 'ical.js';
import { unescapedText, type JcalParams, type JcalProperty } from '../jcal.ts';
import { design } from './design.ts';
import { ownPrefix } from './lines-of-property.ts';

/** Why a line is not a property. */
export class LineError extends Error {
  override readonly name = 'LineError';
}

const mostParams = 100;
/** characters of name and parameters together. Real ones have a few hundred, of delegates some thousand. */
const longestHead = 65_536;

/**
 * Reads one unfolded line. Its parameters are read here, because ical.js loses some of those with several values; its value is read by
 * ical.js.
 *
 * @throws LineError
 */
export function propertyFrom(line: string): JcalProperty {
  const { name, params, value } = split(line);
  const { value: type, ...others } = params;
  if (isQuotedPrintable(others)) return fromQuotedPrintable(name, others, value);
  // ical.js takes the comma after an escaped backslash for an escaped one.
  if (name === 'categories' || name === 'resources') return [name, others, 'text', ...listOf(value)];
  const typed = typeof type === 'string' && /^[A-Za-z0-9-]+$/.test(type) ? `;VALUE=${type}` : '';
  try {
    const [, , found, ...values] = ICAL.parse.property(`${name}${typed}:${value}`, design) as JcalProperty;
    return [name, others, found, ...values];
  } catch (error) {
    throw new LineError('its value cannot be read', { cause: error });
  }
}

interface Parts {
  readonly name: string;
  readonly params: JcalParams;
  readonly value: string;
}

/** They have one value, so that a comma without quotes is a part of it: `CN=Doe, Jane`. */
const single = new Set([
  'altrep',
  'cn',
  'dir',
  'email',
  'filename',
  'fmttype',
  'label',
  'sent-by',
  'tzid',
  'x-filename',
]);

/** Old programs write encodings without saying that they are. */
const bareParams: Readonly<Record<string, string>> = {
  'quoted-printable': 'encoding',
  base64: 'encoding',
  '8bit': 'encoding',
  '7bit': 'encoding',
};

function split(line: string): Parts {
  const name = /^[A-Za-z0-9_.-]+/.exec(line)?.[0];
  if (name === undefined) throw new LineError('it has no name');
  const params: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  let at = name.length;
  for (let count = 0; line[at] === ';'; count += 1) {
    if (count === mostParams) throw new LineError('it has too many parameters');
    const found = paramAt(line, at + 1);
    if (found.name !== '' && !found.name.startsWith(ownPrefix))
      params[found.name] = merged(params[found.name], found.values);
    at = found.end;
  }
  // Spaces before the colon are a mistake that one sees.
  while (line[at] === ' ') at += 1;
  if (line[at] !== ':') throw new LineError('it has no colon');
  return { name: name.toLowerCase(), params: { ...params }, value: line.slice(at + 1) };
}

function merged(before: string | string[] | undefined, values: readonly string[]): string | string[] {
  const all = before === undefined ? [...values] : [before, ...values].flat();
  return all.length === 1 ? (all[0] ?? '') : all;
}

/** A parameter from where its name begins. */
function paramAt(line: string, start: number): { name: string; values: string[]; end: number } {
  let at = start;
  while (at < line.length && line[at] !== '=' && line[at] !== ';' && line[at] !== ':') at += 1;
  const name = line.slice(start, at).trim().toLowerCase();
  if (line[at] !== '=') {
    const of = bareParams[name];
    return of === undefined ? { name, values: [''], end: at } : { name: of, values: [name.toUpperCase()], end: at };
  }
  const values: string[] = [];
  do {
    const { value, end } = paramValueAt(line, at + 1, name);
    values.push(value);
    at = end;
    if (at > longestHead) throw new LineError('its parameters are too long');
  } while (line[at] === ',');
  return { name, values: single.has(name) ? [values.join(',')] : values, end: at };
}

function paramValueAt(line: string, start: number, name: string): { value: string; end: number } {
  if (line[start] === '"') {
    const close = line.indexOf('"', start + 1);
    if (close === -1) throw new LineError('a quote has no end');
    return { value: decoded(line.slice(start + 1, close)), end: skipTo(line, close + 1) };
  }
  // Outlook's "(UTC+01:00) Amsterdam, Berlin, …" without its quotes: the value is behind the last colon.
  const zone = name === 'tzid' ? /^\((?:UTC|GMT)[^)]*\)[^":;]*/i.exec(line.slice(start, start + 200)) : null;
  if (zone !== null) return { value: zone[0], end: start + zone[0].length };
  let at = start;
  while (at < line.length && line[at] !== ',' && line[at] !== ';' && line[at] !== ':') at += 1;
  return { value: decoded(line.slice(start, at)), end: at };
}

/** What stands between a closing quote and the next separator belongs to nothing. */
function skipTo(line: string, start: number): number {
  let at = start;
  while (at < line.length && line[at] !== ',' && line[at] !== ';' && line[at] !== ':') at += 1;
  return at;
}

/** RFC 6868 */
function decoded(value: string): string {
  return value.includes('^')
    ? value.replaceAll(/\^([n'^])/g, (_, one: string) => ({ n: '\n', "'": '"' })[one] ?? '^')
    : value;
}

/** Splits at commas that no backslash escapes. */
function listOf(value: string): string[] {
  const all: string[] = [];
  let from = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === ',') {
      all.push(value.slice(from, at));
      from = at + 1;
    }
  }
  return [...all, value.slice(from)].map(unescapedText);
}

function isQuotedPrintable({ encoding }: JcalParams): boolean {
  return typeof encoding === 'string' && encoding.toUpperCase() === 'QUOTED-PRINTABLE';
}

/** vCalendar 1.0; the value becomes plain text. */
function fromQuotedPrintable(name: string, given: JcalParams, value: string): JcalProperty {
  const { encoding: _, charset, ...params } = given;
  const bytes = Buffer.from(
    value.replaceAll(/=([0-9A-F]{2})/gi, (__, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
    'latin1',
  );
  const text = decoderOf(charset).decode(bytes).replaceAll(/\r\n?/g, '\n');
  return [name, params, 'text', unescapedText(text)];
}

function decoderOf(charset: string | readonly string[] | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(typeof charset === 'string' ? charset : 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
