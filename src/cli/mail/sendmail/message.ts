import { Problem } from '../../../base/problem.ts';
import { addressList } from './address-list.ts';

/** A message as another program gave it: fields of its header with their folding, and the rest. All lines end with CRLF. */
export interface GivenMail {
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
}

/**
 * Reads a message from standard input of sendmail(8). Octets are characters of the same number.
 *
 * @param dotsStay false: a line with a single dot ends the message
 * @throws Problem invalid EMAIL_MALFORMED for a CR without LF
 */
export function givenMail(octets: Buffer, dotsStay: boolean): GivenMail {
  const whole = octets.toString('latin1').replaceAll('\r\n', '\n');
  const bare = whole.indexOf('\r');
  if (bare !== -1) {
    const line = whole.slice(0, bare).split('\n').length;
    const words = `Line ${line} of the message has a CR without LF. End lines with LF or CRLF.`;
    throw new Problem('invalid', 'EMAIL_MALFORMED', words);
  }
  const end = dotsStay ? null : /^\.$/m.exec(whole);
  const text = end === null ? whole : whole.slice(0, end.index);
  const fields: { name: string; value: string }[] = [];
  // Some programs hand over messages as they stand in an mbox.
  let rest = text.replace(/^From [^\n]*\n/, '');
  for (;;) {
    const found = /^([!-9;-~]+)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)(?:\n|$)/.exec(rest);
    if (found === null) break;
    const [all, name = '', value = ''] = found;
    fields.push({ name, value });
    rest = rest.slice(all.length);
  }
  return { fields, body: rest.replace(/^\n/, '').replaceAll('\n', '\r\n') };
}

/** The addresses in To, Cc and Bcc. */
export function recipientsIn({ fields }: GivenMail, domain: string): string[] {
  const named = fields.filter(({ name }) => /^(?:to|cc|bcc)$/i.test(name));
  return named.flatMap(({ value }) => addressList(value, domain).addresses);
}

/** The octets to send. Addresses without a domain get one. @param from for a message that has none */
export function mailToSend({ fields, body }: GivenMail, domain: string, from: string): Buffer {
  const hasFrom = fields.some(({ name }) => name.toLowerCase() === 'from');
  const all = hasFrom ? fields : [{ name: 'From', value: ` ${from}` }, ...fields];
  const lines = all.map(({ name, value }) => {
    const isList = /^(?:from|sender|reply-to|to|cc|bcc)$/i.test(name);
    return `${name}:${isList ? addressList(value, domain).text : value}`.replaceAll('\n', '\r\n');
  });
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

/** A mailbox with its name, as octets of a header field. Other characters than those of ASCII are encoded (RFC 2047). */
export function namedMailbox(address: string, name: string | undefined): string {
  if (name === undefined || name.trim() === '') return address;
  if (/^[ -~]*$/.test(name)) return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`;
  // Encoded words have 75 characters at most; 30 bytes are 40 characters of base64, and no character is split.
  const words: string[] = [];
  let bytes = '';
  for (const character of name) {
    if (Buffer.byteLength(bytes + character) > 30) {
      words.push(bytes);
      bytes = '';
    }
    bytes += character;
  }
  const encoded = [...words, bytes].map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`);
  return `${encoded.join('\n ')} <${address}>`;
}
