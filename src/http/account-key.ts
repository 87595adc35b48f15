import { createHash } from 'node:crypto';

/** What one member names is counted apart from the same of another: nobody uses up the attempts of a vault's owner. */
export function accountKey(named: string | undefined, memberId: string): string {
  return named === undefined ? memberId : guestKey(`${memberId} ${named.trim()}`);
}

/**
 * What a client typed for a name, hashed: keys may be written to a table, and are at most 255 long there. Members count by their ids as
 * they are, which no hash looks like: somebody may type the id of another.
 */
export function guestKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFKC').trim().toLowerCase()).digest('base64url');
}
