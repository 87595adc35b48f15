import { hostname } from 'node:os';

/** Flags of the names of Maildir files, by the keyword of a message. Read is S, and the folder trash is T. */
const keywords = { D: '$draft', F: '$flagged', P: '$forwarded', R: '$answered' } as const;

/** What the name of a Maildir file says of its message. */
export interface MaildirState {
  readonly read: boolean;
  readonly keywords: readonly string[];
}

/** The letters after `:2,`, in the order of the alphabet. */
export function flagsOfState({ read, keywords: own }: MaildirState, inTrash = false): string {
  const letters = Object.entries(keywords).flatMap(([letter, keyword]) => (own.includes(keyword) ? [letter] : []));
  return [...letters, ...(read ? ['S'] : []), ...(inTrash ? ['T'] : [])].toSorted().join('');
}

export function stateOfFlags(flags: string): MaildirState & { readonly inTrash: boolean } {
  const own = Object.entries(keywords).flatMap(([letter, keyword]) => (flags.includes(letter) ? [keyword] : []));
  return { read: flags.includes('S'), keywords: own, inTrash: flags.includes('T') };
}

/** A name before and after `:2,`. A file without that part has no flags. */
export function splitName(name: string): { readonly base: string; readonly flags: string } {
  const at = name.lastIndexOf(':2,');
  return at === -1 ? { base: name, flags: '' } : { base: name.slice(0, at), flags: name.slice(at + 3) };
}

/** A name that nobody else gives: the time, the id of the message, and this machine. @param receivedAt milliseconds since 1970 */
export function maildirBase(receivedAt: number, id: string): string {
  return `${Math.floor(receivedAt / 1000)}.${id}.${hostOfNames()}`;
}

/** The id of a message in a name that `maildirBase` made. */
export function idInBase(base: string): string | undefined {
  return /^\d+\.([0-9a-f]{32})\./.exec(base)?.[1];
}

/** https://cr.yp.to/proto/maildir.html: a slash and a colon in the name of the machine are written in octal. */
function hostOfNames(): string {
  return hostname()
    .replaceAll('/', String.raw`\057`)
    .replaceAll(':', String.raw`\072`);
}
