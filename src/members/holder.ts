import { constantTimeEqual } from '../crypto/bytes.ts';
import type { Db } from '../store/database.ts';
import { invalidCredentials, type Credentials, type Holder } from './credentials.ts';

/** How often work on a password starts over because it was stretched anew, or changed, meanwhile. */
const ATTEMPTS = 4;

export const credentialColumns = [
  'c.verifier',
  'c.memory_kib',
  'c.passes',
  'c.lanes',
  'c.argon2_salt',
  'c.wrapped_key',
  'c.pbkdf2_iterations',
  'c.updated_at',
] as const;

/** Passwords are checked before the transaction; a change, or a suspension, that came between must not be overtaken. */
export async function isStill(db: Db, holder: Holder): Promise<boolean> {
  const now = await db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.status', 'c.verifier'])
    .where('m.id', '=', holder.id)
    .executeTakeFirst();
  return now?.status === 'active' && constantTimeEqual(now.verifier, holder.credentials.verifier);
}

/** @param attempt answers undefined when it has to start over, see `isStill` */
export async function untilFresh<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = ATTEMPTS; left > 0; left--) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw invalidCredentials();
}

export async function setCredentials(db: Db, memberId: string, credentials: Credentials): Promise<void> {
  await db.updateTable('member_credentials').set(credentials).where('member_id', '=', memberId).execute();
}
