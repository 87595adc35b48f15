import { isUtf8 } from 'node:buffer';
import { decodeWords } from 'postal-mime';

/** The longest name that is known has 18 characters. */
const LONGEST_NAME = 100;

/**
 * The charset by which the octets of a text are read where it is not that which is named, since programs often name a wrong one, or one that
 * nobody knows:
 * - UTF-8, if they are valid UTF-8 with at least one character above ASCII (else it is the same), and the name is `us-ascii`, one of the
 *   Latin-1 family (Latin-1, Latin-9, windows-1252), or unknown to the decoder. In those charsets they would be nothing but pairs such as `Ã©`.
 *   Names of other charsets count, since the same octets can be words in them: `쨉` of EUC-KR is valid UTF-8.
 * - without a name: UTF-8 if they are valid, else windows-1252, as old programs write it.
 * @param named undefined, or empty: there is no name
 * @returns undefined: it is that which is named
 */
export function charsetInsteadOf(named: string | undefined, octets: Buffer): 'utf-8' | 'windows-1252' | undefined {
  const name = named?.trim() ?? '';
  if (name !== '' && !isWesternOrUnknown(name)) return undefined;
  if (isUtf8(octets)) return 'utf-8';
  return name === '' ? 'windows-1252' : undefined;
}

/** The decoder takes what it does not know for windows-1252. No other charset than those of the Latin-1 family has these three letters. */
function isWesternOrUnknown(name: string): boolean {
  return decodeAs(Buffer.from([0xc3, 0xa9, 0xf0]), name) === 'Ã©ð';
}

/** Octets of a text that was cut, without the part of a character of UTF-8, of 3 octets at most, that may stand at their end. */
export function withoutHalf(octets: Buffer): Buffer {
  const from = Math.max(0, octets.length - 3);
  const found = octets.subarray(from).findLastIndex((octet) => octet >= 0xc0);
  if (found === -1) return octets;
  const start = from + found;
  const first = octets[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return start + length > octets.length ? octets.subarray(0, start) : octets;
}

/**
 * The text of a header field that may have octets above 127: UTF-8 (RFC 6532), or else by the charset of the message, or else windows-1252, as
 * old programs write them.
 * @param value one character for each octet
 * @param charset by which the text of the message is read
 */
export function fieldText(value: string, charset?: string): string {
  const octets = Buffer.from(value, 'latin1');
  if (isUtf8(octets)) return octets.toString();
  const named =
    charset === undefined || decodeAs(Buffer.from('From'), charset) !== 'From' ? '\ufffd' : decodeAs(octets, charset);
  return named.includes('\ufffd') ? decodeAs(octets, 'windows-1252') : named;
}

/**
 * As `fieldText`, of a field with addresses. In some charsets the second octet of a character can be that of a backslash or a bracket: what is
 * quoted for other programs, and for the node that relayed the message, must not be an address here.
 */
export function addressText(value: string, charset?: string): string {
  const text = fieldText(value, charset);
  return asciiIn(text) === asciiIn(value) ? text : fieldText(value);
}

function asciiIn(text: string): string {
  return text.replaceAll(/\P{ASCII}+/gu, '');
}

/** As the parser decodes texts. */
function decodeAs(octets: Buffer, charset: string): string {
  // A question mark would end the name, and a star the part that is read (RFC 2231 5).
  return decodeWords(`=?${charset.slice(0, LONGEST_NAME).replaceAll(/[?*\s]/g, '_')}?B?${octets.toString('base64')}?=`);
}
