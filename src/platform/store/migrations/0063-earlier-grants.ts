import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** App passwords grant nothing that outlives them any more. Two jobs list once what may have been granted with those that there are. */
export async function up(db: Db): Promise<void> {
  for (const scope of ['files', 'mail'])
    await sql`
      insert into jobs (id, kind, payload, run_at, attempts, created_at)
      select ${`${scope}-earlier-grants`}, ${`${scope}-earlier-grants`}, '{}', max(applied_at), 0, max(applied_at)
      from schema_migrations where exists (select 1 from app_passwords where scopes like ${`%"${scope}"%`})
      having max(applied_at) is not null`.execute(db);
}
