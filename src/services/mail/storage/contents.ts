import type { Context } from '../../../service/context.ts';
import { concat, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { Problem } from '../../../base/problem.ts';
import type { MailContentRow } from '../../../platform/store/tables/mail.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Layout, LayoutPiece, LayoutSegment, Structure } from './layout.ts';
import { wrapForMembers } from './member-keys.ts';
import type { Part } from '../../../shared/attachments/sealed-parts.ts';
import { addParts, blocksOf, dropParts, partRows } from './parts.ts';

/** A message that is encrypted and not in the store. */
export interface NewContent {
  readonly id: string;
  /** 32 bytes */
  readonly key: Uint8Array;
  readonly layout: Layout;
  /** part 0 and a part for each segment */
  readonly parts: readonly Part[];
  /** octets */
  readonly size: number;
}

export interface Composition {
  readonly pieces: readonly LayoutPiece[];
  readonly segments: readonly LayoutSegment[];
  readonly structure: Structure;
  /** part 0, then the segments in their order */
  readonly parts: readonly Part[];
  readonly size: number;
}

export interface OpenContent extends NewContent, Composition {
  readonly createdAt: number;
}

const KEY_BYTES = 32;
const nodeContext = (id: string) => utf8(`conclave/mail/content-key/v1\0${id}`);
const layoutContext = (id: string) => utf8(`conclave/mail/layout/v1\0${id}`);

export function newContent(ctx: Pick<Context, 'random'>, id: string, made: Composition): NewContent {
  const keys = made.parts.map(({ key }) => Buffer.from(key).toString('base64'));
  const { pieces, segments, structure, parts, size } = made;
  const octets = parts[0]?.size ?? 0;
  return { id, key: ctx.random(KEY_BYTES), layout: { v: 1, keys, octets, pieces, segments, structure }, parts, size };
}

/**
 * Adds a content, in the transaction that adds the first row that refers to it.
 * @param memberIds who has the message on this node
 * @param fresh block files that were made for it
 */
export async function addContent(
  tx: Context,
  content: NewContent,
  memberIds: readonly string[],
  fresh: ReadonlySet<string>,
): Promise<void> {
  const { id, key, layout, parts, size } = content;
  const row: MailContentRow = {
    id,
    node_key: sealWithKey(tx.keys.wrap, key, nodeContext(id), tx.random),
    sealed_layout: sealWithKey(key, utf8(JSON.stringify(layout)), layoutContext(id), tx.random),
    size,
    created_at: tx.clock.now(),
  };
  await insertRows(tx.db, 'mail_contents', [row]);
  await addParts(tx, id, parts, fresh);
  await wrapForMembers(tx, content, memberIds);
}

/** @throws Problem internal STORE_DAMAGED, missing EMAIL_NOT_FOUND when it was deleted meanwhile */
export async function openContent(ctx: Pick<Context, 'db' | 'keys'>, id: string): Promise<OpenContent> {
  const row = await ctx.db.selectFrom('mail_contents').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new Problem('missing', 'EMAIL_NOT_FOUND', 'There is no such message.');
  const { key, layout } = openRow(ctx, row);
  const rows = await partRows(ctx, id);
  const parts = layout.keys.map((text, part): Part => {
    const size = part === 0 ? layout.octets : (layout.segments[part - 1]?.size ?? 0);
    return { key: Buffer.from(text, 'base64'), size, blocks: blocksOf(rows.filter((one) => one.part === part)) };
  });
  const { pieces, segments, structure } = layout;
  return { id, key, layout, pieces, segments, structure, parts, size: row.size, createdAt: row.created_at };
}

function openRow({ keys }: Pick<Context, 'keys'>, { id, node_key, sealed_layout }: MailContentRow) {
  try {
    const key = openWithKey(keys.wrap, node_key, nodeContext(id));
    const layout = JSON.parse(
      Buffer.from(openWithKey(key, sealed_layout, layoutContext(id))).toString('utf8'),
    ) as Layout;
    return { key, layout };
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    const words = 'A message in the store is damaged. Restore the store from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', words, { cause });
  }
}

const uses = [
  writtenQuery('select 1 from mail_items where content_id = $1 limit 1'),
  writtenQuery('select 1 from mail_deliveries where content_id = $1 limit 1'),
  writtenQuery('select 1 from mail_offers where content_id = $1 limit 1'),
  writtenQuery('select 1 from mail_uploads where id = $1'),
];

/** Deletes a content that nothing refers to any more, in the transaction that removed a reference. */
export async function dropUnused(tx: Context, contentId: string): Promise<void> {
  for (const use of uses) if ((await tx.db.executeQuery(use(contentId))).rows.length > 0) return;
  await dropParts(tx, contentId);
  await tx.db.deleteFrom('mail_content_keys').where('content_id', '=', contentId).execute();
  await tx.db.deleteFrom('mail_contents').where('id', '=', contentId).execute();
}

/** Joins what a content consists of. @param wholeOctets part 0 as it is */
export function sliceOctets(wholeOctets: Uint8Array, pieces: readonly LayoutPiece[]): (Uint8Array | number)[] {
  let at = 0;
  return pieces.map((piece) => {
    if ('segment' in piece) return piece.segment;
    const octets = wholeOctets.subarray(at, at + piece.octets);
    at += piece.octets;
    return octets;
  });
}

export function joinOctets(pieces: readonly Uint8Array[]): Uint8Array {
  return concat(...pieces);
}
