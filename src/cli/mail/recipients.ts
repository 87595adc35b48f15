import type { MailboxInput } from '../../contract/mail/fields.ts';
import { Problem } from '../../base/problem.ts';

/** `Name <a@b>` or `"Name, with a comma" <a@b>`. */
const named = /^\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<name>[^<>"]*?))\s*<(?<address>[^<>]+)>\s*$/;
/** A part up to a comma that stands outside quotes and brackets. */
const oneOfList = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,"<])+|["<]/g;

/** Of a member of the node; a plus sign separates what its owner sorts by. */
const memberName = /^[\p{L}\p{N}][\p{L}\p{N}._+-]*$/u;

/**
 * Mailboxes as a person writes them: `a@b`, `Name <a@b>`, the name of a member (without a domain then), and several with commas between them.
 *
 * @param flag where they were given
 * @throws Problem invalid USAGE
 */
export function mailboxesFrom(texts: readonly string[], flag: string): MailboxInput[] {
  return texts.flatMap((text) => {
    const parts = (text.match(oneOfList) ?? []).map((part) => part.trim()).filter((part) => part !== '');
    // A word beside `Name <a@b>` is a part of a name whose comma needs quotes.
    const isPlain = !text.includes('<');
    return parts.map((part) => (isPlain && memberName.test(part) ? memberNamed(part) : mailboxFrom(part, flag)));
  });
}

/** Without a domain, which its node adds. */
function memberNamed(name: string): MailboxInput {
  return { localPart: name, domain: '' };
}

function mailboxFrom(text: string, flag: string): MailboxInput {
  const { quoted, name, address = text } = named.exec(text)?.groups ?? {};
  const displayName = quoted?.replaceAll(/\\(.)/g, '$1') ?? name ?? '';
  const { localPart, domain } = halvesOf(address.trim());
  if (localPart === '' || domain === '' || /[\s<>,]/.test(domain)) {
    const message = `${flag} has ${JSON.stringify(text)}, which is no address. Write ada@home.example, or "Ada <ada@home.example>", or the name of a member.`;
    throw new Problem('invalid', 'USAGE', message);
  }
  return { localPart, domain, ...(displayName !== '' && { displayName }) };
}

/** The halves of an address. The contract has no quotes around the first. */
export function halvesOf(address: string): { readonly localPart: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  const written = address.slice(0, Math.max(0, at));
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(written)?.[1];
  return { localPart: quoted?.replaceAll(/\\(.)/g, '$1') ?? written, domain: address.slice(at + 1) };
}
