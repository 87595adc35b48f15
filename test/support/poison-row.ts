import { sql } from 'kysely';
import type { Database } from '../../src/platform/store/database.ts';

let count = 0;

/**
 * Has the store refuse to write some rows, always, as a row that a bug or a damage made impossible.
 * @param when about `new` or, of a deletion, `old`, such as `new.member_id = 'ab'`
 */
export async function poisonRow(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  table: string,
  event: 'insert' | 'update' | 'delete',
  when: string,
): Promise<void> {
  const name = sql.raw(`poison_${(count += 1)}`);
  const [on, told] = [sql.raw(`before ${event} on ${table}`), sql.raw(when)];
  if (engine === 'sqljs') {
    await sql`create trigger ${name} ${on} when ${told} begin select raise(abort, 'poisoned by a test'); end`.execute(
      db,
    );
    return;
  }
  await sql`create function ${name}() returns trigger as $$ begin
    if ${told} then raise exception 'poisoned by a test'; end if; return coalesce(new, old);
  end $$ language plpgsql`.execute(db);
  await sql`create trigger ${name} ${on} for each row execute function ${name}()`.execute(db);
}
