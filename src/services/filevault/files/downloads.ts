import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import type { ByteRange, Download } from '../../../raw-bodies.ts';
import { requirePlace } from '../access/places.ts';
import { openContent, readContent } from '../content/reading.ts';
import { clientEncrypted, fileDamaged } from '../problems.ts';
import { noted, recordAccess, reported, watched } from './accesses.ts';
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
  const { download, name, version } = await opened(ctx, actor, { id, flag: 'preview', action: 'FILE_PREVIEWED' });
  return { ...download, filename: name, ...previewOf(version.mime_type) };
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
      read: (range: ByteRange) => watched(ctx, actor, found, readContent(ctx, content, range)),
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
  return { download, name: node.name, version };
}
