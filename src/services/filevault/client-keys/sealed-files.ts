import type { Actor } from '../../../service/actor.ts';
import { toBase64 } from '../../../shared/attachments/base64.ts';
import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { ByteRange, Download } from '../../../service/raw-bodies.ts';
import type { FileContentRow, FileVersionRow } from '../../../platform/store/tables/filevault.ts';
import { requirePlace, type Place } from '../access/places.ts';
import { sharedOn } from '../access/shares.ts';
import { unwrapAround } from '../content/keys.ts';
import { contentRow } from '../content/reading.ts';
import { sealedContent } from '../content/sealed.ts';
import { recordAccess, watched, whileAllowed } from '../files/accesses.ts';
import { requireStill } from '../files/downloads.ts';
import { versionOf } from '../files/versions.ts';
import { fileDamaged } from '../problems.ts';
import { keyNotGiven, notClientEncrypted } from './generations.ts';

interface Wanted {
  readonly id: string;
  readonly versionId?: string | undefined;
}

export async function showFileKeys(ctx: Context, actor: Actor, wanted: Wanted) {
  const { version, content } = await requireSealed(ctx, actor, wanted);
  const { container_id, key_number } = content;
  const key = await ctx.db
    .selectFrom('file_member_keys as m')
    .innerJoin('file_client_keys as k', (join) =>
      join.onRef('k.container_id', '=', 'm.container_id').onRef('k.number', '=', 'm.number'),
    )
    .select(['m.wrapped', 'k.signature'])
    .where('m.container_id', '=', container_id)
    .where('m.number', '=', key_number)
    .where('m.member_id', '=', actor.memberId)
    .executeTakeFirst();
  const shareId = key === undefined ? await shareWithKey(ctx, actor, content) : undefined;
  if (key === undefined && shareId === undefined) throw keyNotGiven();
  if (content.manifest === null) throw fileDamaged();
  return {
    fileId: version.file_id,
    versionId: version.id,
    contentId: content.id,
    sizeBytes: version.size,
    chunkSize: content.chunk_size,
    modifiedAt: new Date(version.modified_at).toISOString(),
    manifest: toBase64(content.manifest),
    wrappedKey: toHex(await unwrapAround(ctx, content)),
    keyNumber: key_number,
    ...(key !== undefined && { containerKey: toHex(key.wrapped), keySignature: toHex(key.signature) }),
    ...(shareId !== undefined && { shareId }),
  };
}

/** A share that counts and has the key of the content: its recipient opens the file without the key of the container. */
async function shareWithKey(ctx: Context, actor: Actor, content: FileContentRow): Promise<string | undefined> {
  const { shares = [] } = (await sharedOn(ctx, actor, content.file_id)) ?? {};
  if (shares.length === 0) return undefined;
  const row = await ctx.db
    .selectFrom('file_share_keys')
    .select('share_id')
    .where('content_id', '=', content.id)
    .where(
      'share_id',
      'in',
      shares.map(({ id }) => id),
    )
    .where('sealed', 'is not', null)
    .orderBy('share_id')
    .executeTakeFirst();
  return row?.share_id;
}

export async function downloadSealed(ctx: Context, actor: Actor, wanted: Wanted): Promise<Download> {
  const { node, version, content } = await requireSealed(ctx, actor, wanted);
  const sealed = sealedContent(ctx, content);
  return {
    type: 'application/octet-stream',
    version: content.id,
    content: {
      size: sealed.size,
      read: (range) =>
        watched(
          ctx,
          actor,
          { containerId: node.container_id, nodeId: node.id },
          whileAllowed(sealed.read(range), async () => await requireStill(ctx, actor, node.id, 'download')),
        ),
    },
    filename: `${node.id}.sealed`,
    opening: async (range: ByteRange) => {
      const receipt = await recordAccess(ctx, actor, node.id, range, async (tx) => ({
        ...(await requirePlace(tx, actor, 1, node.id, { flag: 'download' })),
        action: 'FILE_DOWNLOADED',
        metadata: { versionId: version.id },
      }));
      return { 'x-access-receipt': receipt };
    },
  };
}

/** @throws Problem as `requirePlace` does; conflict NOT_CLIENT_ENCRYPTED, missing VERSION_NOT_FOUND */
async function requireSealed(
  ctx: Context,
  actor: Actor,
  { id, versionId }: Wanted,
): Promise<Pick<Place, 'node'> & { version: FileVersionRow; content: FileContentRow }> {
  const { node, container } = await requirePlace(ctx, actor, 1, id, { flag: 'download' });
  if (container.client_encrypted !== 1) throw notClientEncrypted();
  const version = await versionOf(ctx, node.id, versionId ?? node.version_id ?? '');
  const content = await contentRow(ctx, version.content_id);
  return { node, version, content };
}
