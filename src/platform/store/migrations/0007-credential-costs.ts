import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Every sign-in asks what the costliest password was stretched with. */
export async function up({ schema }: Db): Promise<void> {
  await schema
    .createIndex('member_credentials_cost')
    .on('member_credentials')
    .column('lanes')
    .expression(sql`(memory_kib * passes)`)
    .execute();
}
