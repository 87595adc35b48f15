import { davRefusal } from '../../../service/dav-matching.ts';
import type { Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import type { ContactBookRow } from '../../../platform/store/tables/contacts.ts';

/** A token names a book, and the last change of it that its reader has. */
export function tokenAt({ id }: Pick<ContactBookRow, 'id'>, seq: number): string {
  return `urn:conclave:sync:${id}:${seq}`;
}

/** @throws Problem forbidden FORBIDDEN with `d:valid-sync-token` */
export function changeOfToken(book: ContactBookRow, token: string): number {
  const [, id, text] = /^urn:conclave:sync:([0-9a-f]{32}):(\d{1,15})$/.exec(token) ?? [];
  const seq = wholeNumber(text);
  if (seq !== undefined && id === book.id && seq <= book.change_seq && seq >= book.forgotten_seq) return seq;
  throw invalidToken();
}

export function invalidToken(): Problem {
  const message = 'This sync-token is too old, or of another book. Synchronise from the beginning, without one.';
  return davRefusal('forbidden', 'FORBIDDEN', 'd:valid-sync-token', message);
}
