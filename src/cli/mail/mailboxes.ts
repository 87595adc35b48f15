import type { MailboxInput, ShownMailbox } from '../../contract/mail/fields.ts';
import { Problem } from '../../problem.ts';

/** `Ada <ada@home.example>`, `"Ada, the 1st" <ada@home.example>`, or the address alone. @throws Problem invalid INPUT_INVALID */
export function mailboxFrom(text: string): MailboxInput {
  const { name = '', address = text } = /^(?<name>.*?)\s*<(?<address>[^<>]+)>$/.exec(text.trim())?.groups ?? {};
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1)
    throw new Problem(
      'invalid',
      'INPUT_INVALID',
      `${JSON.stringify(text)} is no address. Write ada@home.example, or "Ada <ada@home.example>".`,
    );
  const written = address.slice(0, at).trim();
  const localPart = /^"(.*)"$/.exec(written)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? written;
  const displayName = /^"(.*)"$/.exec(name)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? name;
  return { localPart, domain: address.slice(at + 1).trim(), ...(displayName !== '' && { displayName }) };
}

/** How lists and headers show somebody. */
export function mailboxText({ displayName = '', address }: ShownMailbox): string {
  return displayName === '' ? address : `${displayName} <${address}>`;
}

/** In a list, the name is enough. */
export function nameText({ displayName = '', address }: ShownMailbox): string {
  return displayName === '' ? address : displayName;
}
