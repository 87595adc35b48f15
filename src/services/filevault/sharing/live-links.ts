import type { Context } from '../../../service/context.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import type { FileLinkRow } from '../../../platform/store/tables/file-shares.ts';
import type { FileContentRow, FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { placeOf, type Place } from '../access/places.ts';
import { fileDestroyed, linkNotFound, linkRevoked } from '../problems.ts';

type Reading = Pick<Context, 'db' | 'clock' | 'config'>;

/** A link that opens now, with what it is for. */
export interface LiveLink extends Pick<Place, 'node' | 'container'> {
  readonly link: FileLinkRow;
  readonly version: FileVersionRow;
  readonly content: FileContentRow;
}

/** The store has the hash alone, so that nobody who reads the store can open a link. */
export function tokenHash(token: string): string {
  return sha256Hex(utf8(token));
}

export async function linkOf({ db }: Reading, token: string): Promise<FileLinkRow | undefined> {
  return await db.selectFrom('file_links').selectAll().where('token_hash', '=', tokenHash(token)).executeTakeFirst();
}

/** Whether it may be opened once more, by time and count. */
export function isLeft({ expires_at, max_count, access_count }: FileLinkRow, now: number): boolean {
  return (expires_at === null || now < expires_at) && (max_count === null || access_count < max_count);
}

/**
 * What a link opens now. Everything that ends it is asked here, so it ends at once, also for a body that is on its way. Its maker must still
 * hold `share` and `download`. Conditions on that are asked of whoever opens the link.
 *
 * @param address of whoever opens it
 * @throws Problem gone LINK_REVOKED, FILE_DESTROYED; missing LINK_NOT_FOUND
 */
export async function requireLive(ctx: Reading, address: string, link: FileLinkRow): Promise<LiveLink> {
  if (link.revoked_at !== null) throw linkRevoked();
  const place = await placeOf(ctx, { memberId: link.created_by, address }, link.file_id);
  // Whoever doesn't have the password learns nothing of the file, and so not that it was destroyed.
  const destroyed = link.protected === 1 ? linkRevoked() : fileDestroyed();
  if (place === undefined) throw (await wasDestroyed(ctx, link.file_id)) ? destroyed : linkNotFound();
  const { node, container, rights, inTrash } = place;
  if (container.state === 'destroyed') throw destroyed;
  if (!rights.flags.has('share') || !rights.flags.has('download') || !(await isActive(ctx, link.created_by)))
    throw linkRevoked();
  if (inTrash) throw linkNotFound();
  const version = await ctx.db
    .selectFrom('file_versions')
    .selectAll()
    .where('id', '=', link.version_id)
    .where('file_id', '=', link.file_id)
    .executeTakeFirst();
  const content = await ctx.db
    .selectFrom('file_contents')
    .selectAll()
    .where('id', '=', link.content_id)
    .where('file_id', '=', link.file_id)
    .executeTakeFirst();
  if (version === undefined || content === undefined) throw linkNotFound();
  return { link, node, container, version, content };
}

async function wasDestroyed({ db }: Reading, fileId: string): Promise<boolean> {
  const row = await db
    .selectFrom('file_destructions')
    .select('file_id')
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Looks again, in a transaction or while a body is on its way. @throws Problem as `requireLive` does */
export async function stillLive(ctx: Reading, address: string, id: string): Promise<LiveLink> {
  const link = await ctx.db.selectFrom('file_links').selectAll().where('id', '=', id).executeTakeFirst();
  if (link === undefined) throw linkNotFound();
  return await requireLive(ctx, address, link);
}
