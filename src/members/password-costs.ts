import { sql } from 'kysely';
import { mostArgon2 } from '../crypto/cost-limits.ts';
import type { Db } from '../store/database.ts';
import type { MemberCredentialRow } from '../store/tables/tables.ts';

export type Argon2Cost = Pick<MemberCredentialRow, 'memory_kib' | 'passes' | 'lanes'>;

/**
 * The most that a member's password was stretched with, for each number of lanes: Argon2's work is memory times passes, but how
 * much sooner several lanes are done with it depends on the machine. Nearly always it is one cost. Each is one look into the index
 * of migration 7, so that nothing has to be remembered that another process may change.
 */
export async function highestCosts(db: Db): Promise<Argon2Cost[]> {
  const found: Argon2Cost[] = [];
  for (let below = mostArgon2.lanes + 1; ;) {
    const { rows } = await sql<Argon2Cost>`
      select lanes, memory_kib, passes from member_credentials
      where lanes < ${below} order by lanes desc, memory_kib * passes desc limit 1`.execute(db);
    const [highest] = rows;
    if (highest === undefined) return found;
    found.push(highest);
    below = highest.lanes;
  }
}

/**
 * What a sign-in that fails still has to compute, so that it takes as long for every member, and for a name that nobody has: for
 * each number of lanes the highest cost, less what was done. Else the time would tell who has an account, as soon as configuration
 * was raised or lowered and not all passwords are stretched anew.
 *
 * @param done undefined: nothing, since there is no such member
 */
export function missingWork(highest: readonly Argon2Cost[], done: Argon2Cost | undefined): Argon2Cost[] {
  return highest.flatMap((cost) => {
    const work = done?.lanes === cost.lanes ? done.memory_kib * done.passes : 0;
    const memory_kib = Math.floor((cost.memory_kib * cost.passes - work) / cost.passes);
    // Less than this Argon2 doesn't do.
    return memory_kib < 8 * cost.lanes ? [] : [{ ...cost, memory_kib }];
  });
}
