import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Addresses by the grammar of RFC 5321 and 6531, without its obsolete forms. Both halves are checked before they are put together, since an
 * address that is made of unchecked text can go somewhere else.
 */

export interface Mailbox {
  /** what the quotes contain, where it needs them: `ada`, or `ada lovelace` */
  readonly localPart: string;
  /** lower case, A-labels: `xn--bcher-kva.example`, or a literal: `[192.0.2.1]` */
  readonly domain: string;
}

/** In octets, RFC 5321 4.5.3.1. A path has two brackets around the address. */
const LONGEST_LOCAL_PART = 64;
const LONGEST_DOMAIN = 253;
const LONGEST_ADDRESS = 254;

// What is not ASCII may stand in a local part (RFC 6531), but for what no reader sees or what turns the direction of text.
const visible = String.raw`[^\x00-\x7f\x80-\x9f\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]`;
const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";
const atom = `(?:${atext}|${visible})+`;
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u');
const quotable = new RegExp(`^(?:[\\x20-\\x7e]|${visible})*$`, 'u');
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @returns the local part as it is meant, without quotes; undefined if it is none */
function localPartFrom(text: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\[\x20-\x7e])*)"$/u.exec(text)?.[1];
  const value = quoted === undefined ? text : quoted.replaceAll(/\\(.)/gu, '$1');
  if (!quotable.test(value) || (quoted === undefined && /^(?:"|$)/.test(value))) return undefined;
  return Buffer.byteLength(writtenLocalPart(value)) <= LONGEST_LOCAL_PART ? value : undefined;
}

/** @returns lower case with A-labels, or a literal; undefined if it is no domain */
export function domainFrom(text: string): string | undefined {
  const literal = /^\[(?:(?<v4>[\d.]+)|IPv6:(?<v6>[0-9a-f:.]+))\]$/i.exec(text)?.groups;
  if (literal !== undefined) return isLiteral(literal) ? text.toLowerCase().replace('ipv6', 'IPv6') : undefined;
  // The function also takes forms of other grammars, such as numbers for addresses, so it gets names alone.
  const isName = /^(?:[A-Za-z0-9.-]|\P{ASCII})+$/u.test(text);
  const domain = /^\p{ASCII}*$/u.test(text) ? text.toLowerCase() : isName ? domainToASCII(text) : '';
  const fits =
    domain.length > 0 && domain.length <= LONGEST_DOMAIN && domain.split('.').every((one) => label.test(one));
  return fits && !isIPv4(domain) ? domain : undefined;
}

function isLiteral({ v4 = '', v6 = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return isIPv4(v4) || isIPv6(v6);
}

/** @returns undefined if one of the halves is wrong, or both together are too long */
export function mailboxFrom(halves: { readonly localPart: string; readonly domain: string }): Mailbox | undefined {
  const [localPart, domain] = [localPartFrom(halves.localPart), domainFrom(halves.domain)];
  if (localPart === undefined || domain === undefined) return undefined;
  const mailbox = { localPart, domain };
  return Buffer.byteLength(addressOf(mailbox)) <= LONGEST_ADDRESS ? mailbox : undefined;
}

/** @param text `ada@home.example`. @returns undefined if it is no address */
export function mailboxIn(text: string): Mailbox | undefined {
  const at = text.lastIndexOf('@');
  const [localPart, domain] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  // Whoever writes an address writes its quotes as well.
  return localPart.startsWith('"') || dotAtom.test(localPart) ? mailboxFrom({ localPart, domain }) : undefined;
}

/** The address as it stands in headers, and on a wire. */
export function addressOf({ localPart, domain }: Mailbox): string {
  return `${writtenLocalPart(localPart)}@${domain}`;
}

function writtenLocalPart(value: string): string {
  return dotAtom.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The address for people: U-labels in the domain. */
export function shownAddress({ localPart, domain }: Mailbox): string {
  const shown = domain.startsWith('[') ? domain : domainToUnicode(domain);
  return `${writtenLocalPart(localPart)}@${shown === '' ? domain : shown}`;
}

/** Equal for what is the same mailbox here: members are found whatever the case of their names. */
export function addressKey(mailbox: Mailbox): string {
  return addressOf({ ...mailbox, localPart: mailbox.localPart.normalize('NFC').toLowerCase() });
}
