import { freeStorage } from '../../../shared/members/storage.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Entry, EntryType, PropertyRecord } from '../../../contract/passvault/entry.ts';
import { once } from '../../../service/repeats.ts';
import type { Next, PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { openVault, ownerOf } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { changedBlock, entryOf, newBlock, type EntryFields } from './entry-form.ts';
import { attachmentOf, attachmentsOf, entryRow, openEntry, sealEntry } from './entry-rows.ts';
import { addRecord, setRecord } from '../vaults/pages.ts';
import { listRecords } from './record-pages.ts';
import { propertiesOf, recordOf } from '../vaults/properties.ts';

interface InVault {
  readonly vaultId: string;
}
interface OfEntry extends InVault {
  readonly entryId: string;
}

export async function listEntries(
  ctx: Context,
  actor: Actor,
  { vaultId, ...page }: InVault & PageRequest,
): Promise<{ entries: PropertyRecord[] } & Next> {
  const vault = await openVault(ctx, actor, vaultId);
  const { records, next } = await listRecords(ctx, actor, vault, { list: 'passvault.list-entries' }, page);
  return { entries: records.map(recordOf), ...next };
}

export async function createEntry(
  ctx: Context,
  actor: Actor,
  input: InVault & EntryFields & { type: EntryType; title: string },
) {
  const { vaultId, type, title } = input;
  const now = ctx.clock.now();
  const block = newBlock(type, title, input, now);
  const id = recordId(now, ctx.random);
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    return await once(tx, async () => {
      const details = { id, version: 1, createdAt: now, updatedAt: now };
      const page = await addRecord(tx, vault, propertiesOf(block, details));
      await tx.db
        .insertInto('passvault_entries')
        .values({
          id,
          vault_id: vaultId,
          page,
          version: 1,
          sealed: sealEntry(tx, vault, id, 1, block),
          created_at: now,
          updated_at: now,
        })
        .execute();
      await countEntries(tx, vaultId, 1);
      await record(tx, actor, vaultId, 'ENTRY_CREATED', { entryId: id });
      const time = new Date(now).toISOString();
      return { entry: { id, type, title, createdAt: time, updatedAt: time, version: 1 } };
    });
  });
}

/** The read is in the audit log before the entry is returned. */
export async function showEntry(ctx: Context, actor: Actor, { vaultId, entryId }: OfEntry): Promise<{ entry: Entry }> {
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    const row = await entryRow(tx, vaultId, entryId);
    await record(tx, actor, vaultId, 'ENTRY_READ', { entryId });
    return {
      entry: {
        id: row.id,
        vaultId,
        ...entryOf(openEntry(vault, row)),
        attachments: (await attachmentsOf(tx, vault, entryId)).map(attachmentOf),
        version: row.version,
        createdAt: new Date(row.created_at).toISOString(),
        updatedAt: new Date(row.updated_at).toISOString(),
      },
    };
  });
}

/** @throws Problem conflict ENTRY_CHANGED when the input names a version that isn't the present one */
export async function updateEntry(ctx: Context, actor: Actor, input: OfEntry & EntryFields & Condition) {
  const { vaultId, entryId } = input;
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    const row = await entryRow(tx, vaultId, entryId);
    assertUnchanged(row.version, input);
    const now = tx.clock.now();
    const block = changedBlock(openEntry(vault, row), input, now);
    const version = row.version + 1;
    await tx.db
      .updateTable('passvault_entries')
      .set({ version, sealed: sealEntry(tx, vault, entryId, version, block), updated_at: now })
      .where('id', '=', entryId)
      .execute();
    const details = { id: entryId, version, createdAt: row.created_at, updatedAt: now };
    await setRecord(tx, vault, row.page, entryId, propertiesOf(block, details));
    await countEntries(tx, vaultId, 0);
    await record(tx, actor, vaultId, 'ENTRY_UPDATED', { entryId, version });
    const { type, title } = block;
    return { entry: { id: entryId, type, title, updatedAt: new Date(now).toISOString(), version } };
  });
}

export async function deleteEntry(
  ctx: Context,
  actor: Actor,
  { vaultId, entryId, ifMatch }: OfEntry & Condition,
): Promise<{ deleted: true }> {
  return await transaction(ctx, async (tx) => {
    const vault = await openVault(tx, actor, vaultId);
    const row = await entryRow(tx, vaultId, entryId);
    assertUnchanged(row.version, { ifMatch });
    const attachments = await attachmentsOf(tx, vault, entryId);
    await tx.db.deleteFrom('passvault_entries').where('id', '=', entryId).execute();
    await setRecord(tx, vault, row.page, entryId, undefined);
    await countEntries(tx, vaultId, -1);
    const freed = attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (freed > 0) await freeStorage(tx, await ownerOf(tx, vaultId), freed);
    await record(tx, actor, vaultId, 'ENTRY_DELETED', { entryId });
    await dropBlocks(
      tx,
      attachments.map((attachment) => attachment.blockId),
    );
    return { deleted: true };
  });
}

/** Notes that the vault was changed, and by how much its number of entries changes. */
export async function countEntries(tx: Context, vaultId: string, more: number): Promise<void> {
  await tx.db
    .updateTable('passvault_vaults')
    .set((e) => ({ entry_count: e('entry_count', '+', more), updated_at: tx.clock.now() }))
    .where('id', '=', vaultId)
    .execute();
}

/** The versions that a change is based on: from the body, and from the header `If-Match`. */
interface Condition {
  readonly version?: number | undefined;
  readonly ifMatch?: readonly number[] | undefined;
}

function assertUnchanged(now: number, { version, ifMatch }: Condition): void {
  if (version !== undefined && ifMatch?.includes(version) === false)
    throw fieldProblem('version', 'and the header If-Match name different versions');
  const wanted = version === undefined ? ifMatch : [version];
  if (wanted?.includes(now) === false) throw changedMeanwhile(now);
}

function changedMeanwhile(version: number): Problem {
  return new Problem(
    'conflict',
    'ENTRY_CHANGED',
    `The entry was changed since you read it: it has version ${version} now. Read it again before you change it.`,
  );
}
