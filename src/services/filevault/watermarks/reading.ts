import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { WatermarkFound } from '../../../contract/filevault/watermarks.ts';
import { concat } from '../../../crypto/bytes.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { placeOf } from '../access/places.ts';
import { readMarkTask } from './task.ts';

/** Finds out who saw a preview. For those who may administer the file that it is of; to others it says nothing. */
export async function readWatermark(
  ctx: Context,
  actor: Actor,
  _: object,
  { body, size }: Upload,
): Promise<{ accesses: WatermarkFound[] }> {
  // A thread needs the whole of it. Without a length nobody knows how much that is before it is there.
  let reserved = size ?? 0;
  if (reserved > 0) ctx.caller?.reserve(reserved);
  const pieces: Uint8Array[] = [];
  let arrived = 0;
  for await (const piece of body) {
    arrived += piece.length;
    if (arrived > reserved) ctx.caller?.reserve((reserved = arrived));
    pieces.push(piece);
  }
  const bytes = concat(...pieces) as Uint8Array<ArrayBuffer>;
  const ids = await ctx.offload.run(readMarkTask, bytes, { transfer: [bytes.buffer] });
  const rows =
    ids.length === 0 ? [] : await ctx.db.selectFrom('file_watermarks').selectAll().where('id', 'in', ids).execute();
  const seen = [];
  for (const row of rows) if (await mayAsk(ctx, actor, row.file_id, row.container_id)) seen.push(row);
  if (seen.length === 0)
    throw new Problem('missing', 'WATERMARK_NOT_FOUND', 'It has no watermark of a file that you may administer.');
  const members = await memberSummaries(
    ctx,
    seen.map((row) => row.member_id),
  );
  const accesses: WatermarkFound[] = [];
  for (const row of seen) {
    const username = members.get(row.member_id)?.username;
    accesses.push({
      id: row.id,
      fileId: row.file_id,
      versionId: row.version_id,
      vaultContainerId: row.container_id,
      memberId: row.member_id,
      ...(username !== undefined && { username }),
      address: row.address,
      at: new Date(row.created_at).toISOString(),
    });
  }
  return { accesses };
}

/** The owner of the container may ask for files that are destroyed by now, too. */
async function mayAsk(ctx: Context, actor: Actor, fileId: string, containerId: string): Promise<boolean> {
  const place = await placeOf(ctx, actor, fileId);
  if (place !== undefined) return place.rights.flags.has('admin');
  const container = await ctx.db
    .selectFrom('file_containers')
    .select('owner_id')
    .where('id', '=', containerId)
    .executeTakeFirst();
  return container?.owner_id === actor.memberId;
}
