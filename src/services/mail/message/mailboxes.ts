import { addressParser } from 'postal-mime';
import { mailboxIn } from './address.ts';
import { cleanLine } from './clean.ts';

export interface ParsedMailbox {
  /** both halves, or none: only of an address that is right */
  readonly localPart?: string;
  readonly domain?: string;
  /** as it is written, for people */
  readonly address: string;
  /** empty if there is none */
  readonly displayName: string;
}

export interface Mailboxes {
  readonly found: readonly ParsedMailbox[];
  /** there are more */
  readonly cut: boolean;
}

const MOST = 10_000;
const LONGEST_SHOWN = 320;

/** The parser takes seconds for a million of them. A group needs one, and so does an address with a literal of IPv6 for each of its parts. */
const MOST_COLONS = 1000;

/** The mailboxes of address fields, in order. Groups are taken apart. */
export function mailboxesIn(values: readonly string[]): Mailboxes {
  const text = values.join(', ');
  const readable = beforeColon(text, MOST_COLONS);
  const parsed = addressesIn(readable);
  const isWritten = writtenIn(readable);
  return {
    found: parsed.slice(0, MOST).map(({ name, address }) => mailboxOf(name, withQuotes(address, readable), isWritten)),
    cut: readable.length < text.length || parsed.length > MOST,
  };
}

function addressesIn(text: string): { readonly name: string; readonly address: string }[] {
  try {
    return addressParser(text, { flatten: true }).map(({ name, address }) => ({ name, address: address ?? '' }));
  } catch {
    return [{ name: text, address: '' }];
  }
}

function mailboxOf(name: string, address: string, isWritten: (address: string) => boolean): ParsedMailbox {
  const mailbox = isWritten(address) ? mailboxIn(address) : undefined;
  const shown = cleanLine(address, LONGEST_SHOWN);
  return { ...mailbox, address: shown, displayName: cleanLine(name, LONGEST_SHOWN) };
}

/** The parser takes the quotes of a local part away unless the address stands in angle brackets. */
function withQuotes(address: string, text: string): string {
  const at = address.lastIndexOf('@');
  if (at < 1 || !text.includes('"') || mailboxIn(address) !== undefined) return address;
  const quoted = `"${address.slice(0, at).replaceAll(/["\\]/g, String.raw`\$&`)}"${address.slice(at)}`;
  return text.includes(quoted) ? quoted : address;
}

/** The parser also finds addresses in encoded words, where none may stand (RFC 2047 5): another program would show another sender. */
function writtenIn(text: string): (address: string) => boolean {
  if (!text.includes('=?')) return () => true;
  const words = new Set(text.split(/[\s<>,;:()]+/));
  return (address) => words.has(address);
}

function beforeColon(text: string, count: number): string {
  let at = -1;
  for (let found = 0; found < count; found += 1) {
    at = text.indexOf(':', at + 1);
    if (at === -1) return text;
  }
  return text.slice(0, at);
}
