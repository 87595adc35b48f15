import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  const { text, integer, blob } = types;

  await schema
    .createTable('passvault_notices')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('vault_id', text, (column) => column.notNull().references('passvault_vaults.id').onDelete('cascade'))
    .addColumn('owner_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('member_id', text, (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('epoch', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('ends_at', integer)
    .modifyEnd(types.table)
    .execute();
  await schema.createIndex('passvault_notices_owner_id').on('passvault_notices').column('owner_id').execute();
  await schema
    .createIndex('passvault_notices_once')
    .unique()
    .on('passvault_notices')
    .columns(['vault_id', 'member_id', 'kind', 'epoch'])
    .execute();

  await schema.alterTable('passvault_trustees').addColumn('share_hash', blob).execute();
  await schema.alterTable('passvault_trustees').addColumn('read_at', integer).execute();
  await schema
    .alterTable('passvault_vaults')
    .addColumn('emergency_epoch', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update passvault_vaults set emergency_epoch = coalesce(
      (select e.epoch from passvault_emergency e where e.vault_id = passvault_vaults.id), 0)`.execute(db);

  // Shares that worked before, or whose trustee lost the vault, would work once more: such emergency access ends, and its owner is told.
  await sql`
    insert into passvault_notices (id, vault_id, owner_id, member_id, kind, epoch, created_at)
    select v.id, v.id, v.owner_id, v.owner_id, 'EMERGENCY_ENDED', e.epoch, e.created_at
    from passvault_emergency e join passvault_vaults v on v.id = e.vault_id
    where exists (select 1 from passvault_audit a where a.vault_id = e.vault_id and a.created_at >= e.created_at
      and a.action in ('EMERGENCY_RECOVERED', 'VAULT_SHARE_REVOKED'))`.execute(db);
  for (const table of ['passvault_trustees', 'passvault_emergency'])
    await sql`
      delete from ${sql.table(table)} where vault_id in
        (select vault_id from passvault_notices where kind = 'EMERGENCY_ENDED')`.execute(db);
}
