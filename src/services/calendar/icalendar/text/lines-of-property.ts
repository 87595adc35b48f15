import ICAL from 'ical.js';
import { valueText, type JcalParams, type JcalProperty } from '../jcal.ts';
import { design } from './design.ts';

/** octets of a line without its end (RFC 5545 3.1) */
const longest = 75;

/** What is only for this node begins so, and stays here. */
export const ownPrefix = 'x-conclave-';

/** The property as a folded line that ends with CRLF. */
export function lineOf([name, params, type, ...values]: JcalProperty): string {
  const bare = [name, {}, type, ...values.map((value) => (type === 'unknown' ? valueText(value) : value))];
  const line = ICAL.stringify.property(bare, unknownAsIs(name, type), true);
  const head = name.toUpperCase();
  // A line break that nothing escapes would begin another property.
  const safe = `${head}${paramsOf(params)}${line.slice(head.length)}`.replaceAll(/[\r\n]+/g, ' ');
  return folded(safe);
}

/** A value of no known type is written as it was read, without the type (RFC 7265 5.1), whatever property it is of. */
function unknownAsIs(name: string, type: string): never {
  const { property, ...rest } = design;
  if (type !== 'unknown' || !(name in property)) return design as never;
  return { ...rest, property: {} } as never;
}

function paramsOf(params: JcalParams): string {
  return Object.entries(params)
    .filter(([name]) => !name.startsWith(ownPrefix) && /^[a-z0-9_-]+$/i.test(name))
    .map(
      ([name, value]) =>
        `;${name.toUpperCase()}=${[value]
          .flat()
          .map((one) => quoted(one, name))
          .join(',')}`,
    )
    .join('');
}

/** Their values are always in quotes, in which old programs expect them. */
const addresses = new Set(['altrep', 'delegated-from', 'delegated-to', 'dir', 'member', 'sent-by']);

function quoted(value: string, name: string): string {
  // RFC 6868
  const escaped = value.replaceAll(/\^|"|\r\n?|\n/g, (one) => (one === '^' ? '^^' : one === '"' ? "^'" : '^n'));
  return addresses.has(name) || /[,:;]/.test(escaped) ? `"${escaped}"` : escaped;
}

/** Folds between letters, never inside of one: most programs unfold text, not bytes. */
function folded(line: string): string {
  if (line.length * 3 <= longest || Buffer.byteLength(line) <= longest) return `${line}\r\n`;
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  let room = longest;
  while (at < line.length) {
    const code = line.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size > room) {
      parts.push(line.slice(from, at));
      from = at;
      room = longest - 1;
    }
    room -= size;
    at += code > 0xffff ? 2 : 1;
  }
  parts.push(line.slice(from));
  return `${parts.join('\r\n ')}\r\n`;
}
