/**
 * Text from other people, for people: nothing in it moves a cursor, turns the direction of text, or looks like another line. Controls are
 * \p{Cc}, C0 and C1 alike.
 */

import { windows1252 } from '../../../base/windows-1252.ts';

const lineBreaks = /[\t\n\v\f\r\u2028\u2029]+/g;
const unseen = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** C1 controls are never meant: they are windows-1252 that is called Latin-1, and what the decoder of Node 20 makes even of the first. */
function withoutC1(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (character) => (windows1252[character.charCodeAt(0) - 0x80] ?? '').trim());
}

/** One line, of `most` UTF-16 code units at most. */
export function cleanLine(text: string, most: number): string {
  // Only what can stand in the result is looked at. What is removed is rarely more than a few characters.
  return cutText(
    withoutC1(text.slice(0, most * 4))
      .replaceAll(lineBreaks, ' ')
      .replaceAll(unseen, '')
      .trim(),
    most,
  );
}

/** Text of several lines, without controls but LF and TAB. Direction marks stay, since they belong to the text of some languages. */
export function cleanText(text: string): string {
  return withoutC1(text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, '');
}

/** At most this many UTF-16 code units, without half a character at the end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Surrogate}$/u, '');
}

/** The first characters of a text in one line. */
export function previewOf(text: string, most = 200): string {
  return cutText(
    cleanLine(text.slice(0, most * 40), most * 40)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    most,
  );
}

const LONGEST_NAME = 255;

/** @returns the last part of a path, of at most 255 octets; `otherwise` if nothing is left of it */
export function cleanFilename(name: string, otherwise: string): string {
  const last = cleanLine(name.slice(-4096).replaceAll('\\', '/').split('/').at(-1) ?? '', 4096);
  if (/^\.{0,2}$/.test(last)) return otherwise;
  const bytes = Buffer.from(last);
  if (bytes.length <= LONGEST_NAME) return last;
  // The ending says what a file is, so it stays.
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(last)?.[0] ?? '';
  return `${cutBytes(bytes, LONGEST_NAME - ending.length)}${ending}`;
}

function cutBytes(bytes: Buffer, most: number): string {
  let end = most;
  // An octet 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
