import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { filevaultLimits, flagsOfLevel, type PermissionLevel } from '../../../contract/filevault/limits.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileShareKeyRow, FileShareRow } from '../../../platform/store/tables/file-shares.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { placeOf, type Place } from '../access/places.ts';
import { record } from '../audit.ts';
import { noticeRevoked, noticeShared } from '../notices.ts';
import { flagMissing, shareIdTaken, shareNotFound } from '../problems.ts';
import { assertBrought, requireGrantable, requireShareApproved } from './granting.ts';
import { requireRecipient } from './recipients.ts';
import { contentsOf, dropSharedKeys, erasureKeyOf, keyFor, sealedKey } from './keys.ts';

interface NewShare {
  readonly fileId: string;
  readonly recipientId: string;
  readonly permissionLevel: PermissionLevel;
  readonly shareId?: string | undefined;
  readonly wrappedKeys?: readonly { readonly contentId: string; readonly wrapped: string }[] | undefined;
}

interface Shared {
  readonly shared: true;
  readonly shareId: string;
}

/** How often the keys are made again because another request changed the share, or stored a version, meanwhile. */
const ATTEMPTS = 4;

/** The keys are encrypted before the transaction, which looks whether they still are what is needed. */
export async function shareInternally(ctx: Context, actor: Actor, input: NewShare): Promise<Shared> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const { place, recipientId } = await checked(ctx, actor, input);
    const earlier = await earlierShare(ctx, actor, input.fileId, recipientId);
    const id = idOf(ctx, place, input, earlier);
    const keys = await keysFor(ctx, place, input, id, recipientId);
    const shared = await transaction(ctx, async (tx) => {
      const again = await checked(tx, actor, input);
      return await once(tx, async () => await store(tx, actor, again, input, id, keys));
    }).catch(ifOutdated);
    if (shared !== undefined) return shared;
  }
  throw new Problem('unavailable', 'OVERLOADED', 'The file changes too often. Share it again in a moment.');
}

interface Checked {
  readonly place: Place;
  readonly recipientId: string;
}

/** @throws Problem missing MEMBER_NOT_FOUND, also for one who blocked the actor */
async function checked(
  ctx: Context,
  actor: Actor,
  { fileId, recipientId, permissionLevel, shareId, wrappedKeys }: NewShare,
): Promise<Checked> {
  const place = await requireGrantable(ctx, actor, fileId, flagsOfLevel[permissionLevel]);
  assertBrought(place, { shareId, wrappedKeys }, ['shareId', 'wrappedKeys']);
  const found = await requireRecipient(ctx, actor, recipientId);
  if (found.id === actor.memberId) throw fieldProblem('recipientId', 'must not be yourself');
  if (found.id === place.container.owner_id) throw fieldProblem('recipientId', 'owns the container of the file');
  return { place, recipientId: found.id };
}

async function earlierShare(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  fileId: string,
  recipientId: string,
): Promise<FileShareRow | undefined> {
  return await db
    .selectFrom('file_shares')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('recipient_id', '=', recipientId)
    .where('shared_by', '=', actor.memberId)
    .executeTakeFirst();
}

/** Keys of a client are bound to the id that it chose. @throws Problem conflict SHARE_ID_TAKEN */
function idOf(ctx: Context, { container }: Place, { shareId }: NewShare, earlier: FileShareRow | undefined): string {
  const id = earlier?.id ?? shareId ?? recordId(ctx.clock.now(), ctx.random);
  if (container.client_encrypted === 1 && id !== shareId) throw shareIdTaken();
  return id;
}

/** Keys of the contents that the share doesn't have yet. @throws Problem invalid VALIDATION_ERROR for keys that are missing */
async function keysFor(
  ctx: Context,
  { node, container }: Place,
  { wrappedKeys = [] }: NewShare,
  shareId: string,
  recipientId: string,
): Promise<Map<string, FileShareKeyRow>> {
  const missing = await contentsWithout(ctx, node.id, shareId);
  const made = new Map<string, FileShareKeyRow>();
  if (container.client_encrypted === 1) {
    const brought = new Map(wrappedKeys.map(({ contentId, wrapped }) => [contentId, fromHex(wrapped)]));
    for (const content of missing) {
      const message = brought.get(content.id);
      if (message === undefined) throw fieldProblem('wrappedKeys', `lacks the key of the content ${content.id}`);
      made.set(content.id, sealedKey(ctx, shareId, content, message, await erasureKeyOf(ctx, content)));
    }
    return made;
  }
  const [holder] = await publicKeysOf(ctx, [recipientId]);
  if (holder === undefined) throw shareNotFound();
  for (const content of missing) made.set(content.id, await keyFor(ctx, shareId, content, holder.publicKey));
  return made;
}

async function contentsWithout(ctx: Pick<Context, 'db'>, fileId: string, shareId: string) {
  const contents = await contentsOf(ctx, fileId);
  const rows = await ctx.db
    .selectFrom('file_share_keys')
    .select('content_id')
    .where('share_id', '=', shareId)
    .execute();
  const there = new Set(rows.map(({ content_id }) => content_id));
  return contents.filter(({ id }) => !there.has(id));
}

/** @returns undefined if other keys are needed than were prepared */
async function store(
  tx: Context,
  actor: Actor,
  { place, recipientId }: Checked,
  { fileId, permissionLevel: level }: NewShare,
  id: string,
  keys: ReadonlyMap<string, FileShareKeyRow>,
): Promise<Shared> {
  const earlier = await earlierShare(tx, actor, fileId, recipientId);
  const missing = await contentsWithout(tx, fileId, id);
  if ((earlier !== undefined && earlier.id !== id) || missing.some((content) => !keys.has(content.id)))
    throw new Outdated();
  await requireShareApproved(tx, actor, place, { recipientId, level });
  if (earlier === undefined) {
    await assertRoom(tx, fileId);
    await assertFree(tx, id);
    const row = { id, file_id: fileId, container_id: place.container.id, recipient_id: recipientId, level };
    await tx.db
      .insertInto('file_shares')
      .values({ ...row, shared_by: actor.memberId, created_at: tx.clock.now() })
      .execute();
  } else await tx.db.updateTable('file_shares').set({ level }).where('id', '=', id).execute();
  const rows = missing.flatMap((content) => keys.get(content.id) ?? []);
  if (rows.length > 0) await insertRows(tx.db, 'file_share_keys', rows);
  await record(tx, actor, {
    action: 'FILE_SHARED',
    containerId: place.container.id,
    nodeId: fileId,
    metadata: { shareId: id, recipientId, permissionLevel: level },
  });
  await noticeShared(tx, { actorId: actor.memberId, item: place.node, recipientIds: [recipientId] });
  return { shared: true, shareId: id };
}

/** Another request came first. */
class Outdated extends Error {}

function ifOutdated(error: unknown): undefined {
  if (error instanceof Outdated || isUniqueViolation(error, 'recipient_id')) return undefined;
  throw isUniqueViolation(error, 'id') ? shareIdTaken() : error;
}

/** @throws Problem conflict SHARES_FULL */
async function assertRoom({ db }: Pick<Context, 'db'>, fileId: string): Promise<void> {
  const rows = await db.selectFrom('file_shares').select('id').where('file_id', '=', fileId).execute();
  if (rows.length >= filevaultLimits.sharesOfFile)
    throw new Problem('conflict', 'SHARES_FULL', 'The file is shared with too many members. End a share first.');
}

/** An id that a client chose must never have been used, also not by a share that is over. @throws Problem conflict SHARE_ID_TAKEN */
export async function assertFree({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  const taken =
    (await db.selectFrom('file_shares').select('id').where('id', '=', id).executeTakeFirst()) ??
    (await db.selectFrom('file_links').select('id').where('id', '=', id).executeTakeFirst()) ??
    (await db.selectFrom('file_share_keys').select('share_id as id').where('share_id', '=', id).executeTakeFirst());
  if (taken !== undefined) throw shareIdTaken();
}

const REVOKED_NOTE =
  'Versions that are stored from now on are under keys that the recipient never had. What they downloaded before stays with them.';

export async function revokeShare(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ revoked: true; note: string }> {
  return await transaction(ctx, async (tx) => {
    const row = await tx.db.selectFrom('file_shares').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw shareNotFound();
    if (row.shared_by !== actor.memberId) await requireOverseer(tx, actor, row);
    await tx.db.deleteFrom('file_shares').where('id', '=', id).execute();
    await dropSharedKeys(tx, id);
    await record(tx, actor, {
      action: 'SHARE_REVOKED',
      containerId: row.container_id,
      nodeId: row.file_id,
      metadata: { shareId: id, recipientId: row.recipient_id },
    });
    const item = { id: row.file_id, kind: 1, name: '' } as const;
    await noticeRevoked(tx, { actorId: actor.memberId, item, recipientIds: [row.recipient_id] });
    return { revoked: true, note: REVOKED_NOTE } as const;
  });
}

/** Others than the maker need `share` and `admin`. Who may not know of the share gets 404. */
async function requireOverseer(ctx: Context, actor: Actor, { file_id, recipient_id }: FileShareRow): Promise<void> {
  const flags = (await placeOf(ctx, actor, file_id))?.rights.flags;
  const [share, admin] = [flags?.has('share') === true, flags?.has('admin') === true];
  if (share && admin) return;
  if (!share && !admin && recipient_id !== actor.memberId) throw shareNotFound();
  throw flagMissing(share ? 'admin' : 'share');
}
