import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { PermissionFlag } from '../../../contract/filevault/limits.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sign } from '../../../crypto/signature.ts';
import { Problem } from '../../../problem.ts';
import type { ByteRange, Download } from '../../../raw-bodies.ts';
import type { FileVersionRow } from '../../../store/tables/filevault.ts';
import { requirePlace } from '../access/places.ts';
import { record } from '../audit.ts';
import { canaryOpened } from '../canary/opened.ts';
import { openContent, readContent, type OpenContent } from '../content/reading.ts';
import { fileDamaged } from '../problems.ts';
import { previewOf } from './preview.ts';
import { versionOf } from './versions.ts';

const RECEIPT_BYTES = 32;
const RECEIPT_CONTEXT = 'conclave/filevault/access-receipt/v1';

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
  const version = await versionOf(ctx, node.id, access.versionId ?? node.version_id ?? '');
  const content = await openContent(ctx, version.content_id).catch(noted(ctx, actor, container.id, node.id));
  if (content.manifest.size !== version.size) throw await reported(ctx, actor, container.id, node.id, fileDamaged());
  const download = {
    version: version.content_id,
    content: {
      size: version.size,
      read: (range: ByteRange) => watched(ctx, actor, container.id, node.id, content, range),
    },
    opening: async (range: ByteRange) => {
      const receipt = await recordAccess(ctx, actor, access, version, range);
      return { 'x-access-receipt': receipt };
    },
  };
  return { download, name: node.name, version };
}

/** What an integrity check finds goes to the audit log. */
async function* watched(
  ctx: Context,
  actor: Actor,
  containerId: string,
  nodeId: string,
  content: OpenContent,
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readContent(ctx, content, range);
  } catch (error) {
    throw await reported(ctx, actor, containerId, nodeId, error);
  }
}

function noted(ctx: Context, actor: Actor, containerId: string, nodeId: string) {
  return async (error: unknown): Promise<never> => {
    throw await reported(ctx, actor, containerId, nodeId, error);
  };
}

async function reported(
  ctx: Context,
  actor: Actor,
  containerId: string,
  nodeId: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'FILE_DAMAGED') return error;
  try {
    await transaction(ctx, async (tx) => await record(tx, actor, { action: 'FILE_DAMAGED', containerId, nodeId }));
  } catch (failure) {
    ctx.log.error('the damage of a file was not recorded', { fileId: nodeId, error: failure });
  }
  return error;
}

/**
 * Records an access, durably, before the first byte. The right is checked again in the transaction.
 * @returns a receipt that the node signs: whoever has it can show that the access must be in the ledger
 */
async function recordAccess(
  ctx: Context,
  actor: Actor,
  { id, flag, action }: Access,
  version: FileVersionRow,
  { start, end }: ByteRange,
): Promise<string> {
  const receipt = toHex(ctx.random(RECEIPT_BYTES));
  const now = ctx.clock.now();
  await transaction(ctx, async (tx) => {
    const { node, container } = await requirePlace(tx, actor, 1, id, { flag });
    await record(tx, actor, {
      action,
      containerId: container.id,
      nodeId: id,
      metadata: { versionId: version.id, start, end },
      data: { receipt },
    });
    await canaryOpened(tx, id, actor.memberId);
    if (node.accessed_at === null)
      await tx.db.updateTable('file_nodes').set({ accessed_at: now }).where('id', '=', id).execute();
  });
  const time = new Date(now).toISOString();
  const signature = sign(ctx.keys.identity.privateKey, utf8([RECEIPT_CONTEXT, receipt, id, time].join('\n')));
  return `v1.${receipt}.${time}.${toHex(signature)}`;
}
