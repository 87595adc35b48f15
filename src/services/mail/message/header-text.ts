import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import { addressOf } from './address.ts';
import type { NamedMailbox } from './addresses.ts';

/** Octets of an encoded word (RFC 2047, 2), with room for the name of a field before the first one. */
const LONGEST_WORD = 52;
/** Characters of a line, where it can be folded. */
const SOFT_LIMIT = 76;
const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const printable = /^[ -~]*$/;

/** A mailbox as it stands in a header field, in lines that are folded. */
export function writtenMailbox({ displayName = '', localPart, domain }: NamedMailbox): string {
  const address = addressOf({ localPart, domain });
  // In brackets, nothing of a quoted local part can be taken for a name.
  if (displayName === '') return address.startsWith('"') ? `<${address}>` : address;
  const name = phrase(displayName);
  const fits = !name.includes('\r\n') && name.length + address.length < SOFT_LIMIT;
  return `${name}${fits ? ' ' : '\r\n '}<${address}>`;
}

/** RFC 5322, 3.2.5: atoms, a quoted string, or encoded words where neither says it. */
function phrase(name: string): string {
  if (!isPlain(name) || name.length > SOFT_LIMIT) return encoded(name);
  return atoms.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Unstructured text as it stands in a header field, such as a subject, in lines that are folded. */
export function writtenText(text: string): string {
  const hasLongWord = text.split(' ').some((word) => word.length > SOFT_LIMIT);
  return isPlain(text) && !hasLongWord ? foldLines(text, SOFT_LIMIT) : encoded(text);
}

/** What looks like an encoded word would be decoded, and blanks at the ends would be lost. */
function isPlain(text: string): boolean {
  return printable.test(text) && !text.includes('=?') && !/^ | $| {2}/.test(text);
}

/** Encoded words of whole characters. What is between them is dropped when they are decoded. */
function encoded(text: string): string {
  const others = text.length - text.replaceAll(/[^ -~]/g, '').length;
  const words = encodeWord(text, others * 3 > text.length ? 'B' : 'Q', LONGEST_WORD);
  return words.split(' ').join('\r\n ');
}
