import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import type { FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { fileDamaged } from '../problems.ts';
import { fileItemOf } from '../tree/nodes.ts';

export async function showMetadata(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<FileDetail> {
  const place = await requirePlace(ctx, actor, 1, id, { flag: 'read' });
  return await describe(ctx, place);
}

const findFirst = writtenQuery<Pick<FileVersionRow, 'ledger_entry' | 'number'>>(
  'select ledger_entry, number from file_versions where file_id = $1 order by number limit 1',
);

/** What is known of a file, for somebody who sees it. Not for use in a transaction, because the entry may wait for its place. */
export async function detailOf(ctx: Context, actor: Actor, id: string): Promise<FileDetail> {
  return await describe(ctx, await requirePlace(ctx, actor, 1, id));
}

async function describe(ctx: Context, { node, container, rights }: Place): Promise<FileDetail> {
  const first = await firstEntry(ctx, node.id);
  if (first === undefined) throw fileDamaged();
  const place = (await placesOf(ctx, [first.ledger_entry])).get(first.ledger_entry);
  if (place === undefined) throw fileDamaged();
  return {
    ...fileItemOf(node, container),
    vaultCreationLedgerEntryHash: place.leafHash,
    aclId: rights.from ?? container.root_id,
    createdBy: node.created_by,
    updatedBy: node.updated_by,
  };
}

/** The first version may be gone by now. */
async function firstEntry({ db }: Context, id: string): Promise<{ ledger_entry: string } | undefined> {
  const {
    rows: [oldest],
  } = await db.executeQuery(findFirst(id));
  if (oldest === undefined || oldest.number === 1) return oldest;
  return (
    (await db.selectFrom('file_origins').select('ledger_entry').where('file_id', '=', id).executeTakeFirst()) ?? oldest
  );
}
