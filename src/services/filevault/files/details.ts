import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { FileDetail } from '../../../contract/filevault/fields.ts';
import { placesOf } from '../../../ledger/places.ts';
import type { FileVersionRow } from '../../../store/tables/filevault.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { fileDamaged } from '../problems.ts';
import { fileItemOf } from '../tree/nodes.ts';

export async function showMetadata(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<FileDetail> {
  const place = await requirePlace(ctx, actor, 1, id, { flag: 'read' });
  return await describe(ctx, place);
}

const findFirst = writtenQuery<Pick<FileVersionRow, 'ledger_entry'>>(
  'select ledger_entry from file_versions where file_id = $1 order by number limit 1',
);

/** What is known of a file, for somebody who sees it. Not for use in a transaction, because the entry may wait for its place. */
export async function detailOf(ctx: Context, actor: Actor, id: string): Promise<FileDetail> {
  return await describe(ctx, await requirePlace(ctx, actor, 1, id));
}

async function describe(ctx: Context, { node, container, rights }: Place): Promise<FileDetail> {
  const {
    rows: [first],
  } = await ctx.db.executeQuery(findFirst(node.id));
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
