import { fieldProblem, type Problem } from '../../../base/problem.ts';

/**
 * The content lines of a vCard (RFC 6350 3.2, RFC 2426 2). ical.js reads them too, and loses how they were written: its case, folds, groups and
 * properties of one name in several places. Here each keeps its text, so that what nobody changed stays octet for octet.
 */

/** A property as it is written. */
export interface Property {
  /** with its folds and line ends */
  readonly raw: string;
  /** such as `item1`; '' if it has none */
  readonly group: string;
  /** upper-case */
  readonly name: string;
  readonly params: readonly Param[];
  /** without folds, with its escapes */
  readonly value: string;
}

export interface Param {
  /** upper-case; '' for a word by itself, as version 2.1 has types */
  readonly name: string;
  readonly values: readonly string[];
}

/** What is wrong with a vCard, as a field of the input. */
export function vcardProblem(message: string): Problem {
  return fieldProblem('vcard', message);
}

const physical = /[^\r\n]*(?:\r\n|\n|\r|$)/y;

/** The lines of a text, each with its end. */
export function* physicalLines(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    physical.lastIndex = at;
    const [line = ''] = physical.exec(text) ?? [];
    yield line;
    at += line.length;
  }
}

export function withoutEnd(line: string): string {
  return line.replace(/[\r\n]+$/, '');
}

/** The properties of a vCard, BEGIN and END too. @throws Problem invalid VALIDATION_ERROR */
export function propertiesOf(text: string): Property[] {
  const found: Property[] = [];
  let raw: string[] = [];
  const finish = (): void => {
    if (raw.length > 0) found.push(propertyOf(raw));
    raw = [];
  };
  for (const line of physicalLines(text)) {
    const goesOn = line.startsWith(' ') || line.startsWith('\t');
    // Lines that are empty belong to what stands before them, so that nothing is lost.
    if (raw.length > 0 && (goesOn || withoutEnd(line) === '')) raw.push(line);
    else if (withoutEnd(line) !== '') {
      finish();
      raw = [line];
    }
  }
  finish();
  return found;
}

function propertyOf(raw: readonly string[]): Property {
  const line = raw.map((part, index) => withoutEnd(index === 0 ? part : part.slice(1))).join('');
  const property = readProperty(line, raw.join(''));
  if (property === undefined)
    throw vcardProblem(`has a line that is no property: ${JSON.stringify(line.slice(0, 40))}`);
  return property;
}

const nameForm = /^(?:([\w-]+)\.)?([\w-]+)$/;

/** @param line without folds @returns undefined if it is no property */
export function readProperty(line: string, raw = line): Property | undefined {
  const colon = outsideQuotes(line, ':', 0);
  if (colon < 0) return undefined;
  const [head = '', ...parts] = splitOutsideQuotes(line.slice(0, colon), ';');
  const [, group = '', name] = nameForm.exec(head.trim()) ?? [];
  if (name === undefined) return undefined;
  return { raw, group, name: name.toUpperCase(), params: parts.map(paramOf), value: line.slice(colon + 1) };
}

function paramOf(text: string): Param {
  const equals = text.indexOf('=');
  const name = equals < 0 ? '' : text.slice(0, equals).trim().toUpperCase();
  const values = splitOutsideQuotes(text.slice(equals + 1), ',').map((value) => value.trim().replace(/^"(.*)"$/, '$1'));
  return { name, values };
}

function outsideQuotes(text: string, wanted: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (character === wanted && !quoted) return at;
  }
  // A quote that nobody closes is a character like others.
  return quoted ? text.indexOf(wanted, from) : -1;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  for (let from = 0; ;) {
    const end = outsideQuotes(text, separator, from);
    if (end < 0) return [...parts, text.slice(from)];
    parts.push(text.slice(from, end));
    from = end + 1;
  }
}

/** The values of a parameter, in lower case. A type may stand by itself. */
export function paramValues({ params }: Pick<Property, 'params'>, name: string): string[] {
  return params
    .filter((param) => param.name === name || (name === 'TYPE' && param.name === ''))
    .flatMap(({ values }) => values.flatMap((value) => value.toLowerCase().split(',')))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** Octets of a line, without its end (RFC 6350 3.2). */
const LINE_OCTETS = 75;

/** A line as it is written: folded, with its end. */
export function folded(line: string, end = '\r\n'): string {
  const lines: string[] = [];
  let begun = 0;
  let octets = 0;
  for (let at = 0; at < line.length;) {
    const code = line.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (octets + size > LINE_OCTETS) {
      lines.push(line.slice(begun, at));
      begun = at;
      // The space that marks it counts too.
      octets = 1;
    }
    octets += size;
    at += code > 0xffff ? 2 : 1;
  }
  lines.push(line.slice(begun));
  return `${lines.join(`${end} `)}${end}`;
}
