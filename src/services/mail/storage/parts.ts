import type { Context } from '../../../service/context.ts';
import { dropBlocks, keepBlocks, shareBlocks } from '../../../shared/attachments/blocks.ts';
import { filesOf, type Part, type PartBlock } from '../../../shared/attachments/sealed-parts.ts';
import type { MailPartRow } from '../../../platform/store/tables/mail.ts';
import { insertRows } from '../../../platform/store/written-query.ts';

/**
 * Adds the rows of parts, in the transaction that adds their content.
 * @param fresh block files that no row refers to; others are shared with other contents
 * @throws Problem unavailable OVERLOADED, missing BLOCK_NOT_FOUND
 */
export async function addParts(
  tx: Context,
  contentId: string,
  parts: readonly Part[],
  fresh: ReadonlySet<string>,
): Promise<void> {
  const files = filesOf(parts);
  await keepBlocks(
    tx,
    files.filter((id) => fresh.has(id)),
  );
  await shareBlocks(
    tx,
    files.filter((id) => !fresh.has(id)),
  );
  const rows = parts.flatMap(({ blocks }, part) =>
    blocks.map(({ hash, sealed, size }, piece): MailPartRow => {
      const place = sealed === undefined ? { block_id: hash, sealed: null } : { block_id: null, sealed };
      return { content_id: contentId, part, piece, hash, ...place, size };
    }),
  );
  await insertRows(tx.db, 'mail_parts', rows);
}

/** The blocks of the parts of a content, or of one of them, in their order. */
export async function partRows({ db }: Pick<Context, 'db'>, contentId: string, part?: number): Promise<MailPartRow[]> {
  let query = db.selectFrom('mail_parts').selectAll().where('content_id', '=', contentId);
  if (part !== undefined) query = query.where('part', '=', part);
  return await query.orderBy('part').orderBy('piece').execute();
}

export function blocksOf(rows: readonly MailPartRow[]): PartBlock[] {
  return rows.map(({ hash, sealed, size }) => ({ hash, sealed: sealed ?? undefined, size }));
}

/** Removes the rows of a content's parts, in the transaction that removes the content. */
export async function dropParts(tx: Context, contentId: string): Promise<void> {
  const rows = await tx.db.deleteFrom('mail_parts').where('content_id', '=', contentId).returning('block_id').execute();
  await dropBlocks(
    tx,
    rows.flatMap(({ block_id: id }) => id ?? []),
  );
}
