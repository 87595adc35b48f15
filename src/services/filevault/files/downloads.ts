import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import type { ByteRange, Download } from '../../../service/raw-bodies.ts';
import { requirePlace } from '../access/places.ts';
import { openContent, readContent } from '../content/reading.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import { clientEncrypted, fileDamaged, flagMissing } from '../problems.ts';
import { keepWatermark, marked, watermarkOf } from '../watermarks/preview.ts';
import { noted, recordAccess, reported, watched, whileAllowed } from './accesses.ts';
import { previewOf } from './preview.ts';
import { versionOf } from './versions.ts';

interface Access {
  readonly id: string;
  /** undefined: the current version */
  readonly versionId?: string;
  readonly flag: PermissionFlag;
  readonly action: 'FILE_DOWNLOADED' | 'FILE_PREVIEWED';
}

export async function downloadFile(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Download> {
  const { download, name } = await opened(ctx, actor, { id, flag: 'download', action: 'FILE_DOWNLOADED' });
  return { ...download, type: 'application/octet-stream', filename: name };
}

export async function downloadVersion(
  ctx: Context,
  actor: Actor,
  { id, versionId }: { readonly id: string; readonly versionId: string },
): Promise<Download> {
  const access = { id, versionId, flag: 'download', action: 'FILE_DOWNLOADED' } as const;
  const { download, name } = await opened(ctx, actor, access);
  return { ...download, type: 'application/octet-stream', filename: name };
}

export async function previewFile(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Download> {
  const access = { id, flag: 'preview', action: 'FILE_PREVIEWED' } as const;
  const { download, name, version, node } = await opened(ctx, actor, access);
  const watermark = watermarkOf(ctx, node, version);
  const shown = previewOf(version.mime_type);
  if (watermark === undefined) return { ...download, filename: name, ...shown };
  // The mark is of one access, so that is recorded before anything is decrypted, also where no byte is sent in the end.
  const range = { start: 0, end: version.size };
  const receipt = await recordAccess(ctx, actor, node.id, range, async (tx) => {
    const place = await requirePlace(tx, actor, 1, node.id, { flag: 'preview' });
    return {
      ...place,
      action: 'FILE_PREVIEWED',
      metadata: { versionId: version.id, ...(watermark.id !== undefined && { watermark: watermark.id }) },
      recorded: async (entry) => {
        if (watermark.id === undefined) return;
        await keepWatermark(tx, actor, version, { id: watermark.id, container: place.container, entry });
      },
    };
  });
  ctx.caller?.reserve(version.size);
  const pieces: Uint8Array[] = [];
  for await (const piece of download.content.read(range)) pieces.push(piece);
  const bytes = await marked(ctx, actor, watermark, new Uint8Array(Buffer.concat(pieces)));
  return {
    content: bytes,
    ...shown,
    ...(watermark.kind === 'text' ? { filename: name } : markedImage(name)),
    headers: { ...shown.headers, 'x-access-receipt': receipt, 'cache-control': 'no-store' },
    whole: true,
  };
}

/** Whatever it was, it is a PNG now, because only that keeps every bit of a pixel. */
function markedImage(name: string): Pick<Download, 'type' | 'inline' | 'filename'> {
  return {
    type: 'image/png',
    inline: true,
    filename: `${name.replace(/\.(?:bmp|gif|jfif|jpe?g|png|webp)$/i, '')}.png`,
  };
}

/** Nothing is decrypted before the access is recorded, and nothing is recorded where no byte is sent. */
async function opened(ctx: Context, actor: Actor, access: Access) {
  const { node, container } = await requirePlace(ctx, actor, 1, access.id, { flag: access.flag });
  if (container.client_encrypted === 1) throw clientEncrypted();
  const version = await versionOf(ctx, node.id, access.versionId ?? node.version_id ?? '');
  const found = { containerId: container.id, nodeId: node.id };
  const content = await openContent(ctx, version.content_id).catch(noted(ctx, actor, found));
  if (content.manifest.size !== version.size) throw await reported(ctx, actor, found, fileDamaged());
  const download = {
    version: version.content_id,
    content: {
      size: version.size,
      read: (range: ByteRange) =>
        watched(
          ctx,
          actor,
          found,
          whileAllowed(readContent(ctx, content, range), async () => {
            await requireStill(ctx, actor, node.id, access.flag);
            await versionOf(ctx, node.id, version.id);
          }),
        ),
    },
    opening: async (range: ByteRange) => {
      const receipt = await recordAccess(ctx, actor, node.id, range, async (tx) => ({
        ...(await requirePlace(tx, actor, 1, node.id, { flag: access.flag })),
        action: access.action,
        metadata: { versionId: version.id },
      }));
      return { 'x-access-receipt': receipt };
    },
  };
  return { download, name: node.name, version, node };
}

/** Whether a body that is on its way may go on. @throws Problem as `requirePlace` does */
export async function requireStill(ctx: Context, actor: Actor, id: string, flag: PermissionFlag): Promise<void> {
  await requirePlace(ctx, actor, 1, id, { flag });
  if (!(await isActive(ctx, actor.memberId))) throw flagMissing(flag);
}
