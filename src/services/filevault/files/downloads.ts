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
import { openContent, readContent, type OpenContent } from '../content/reading.ts';
import { fileDamaged } from '../problems.ts';
import { keepWatermark, marked, watermarkOf } from '../watermarks/preview.ts';
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
  const access = { id, flag: 'preview', action: 'FILE_PREVIEWED' } as const;
  const { download, name, version, node } = await opened(ctx, actor, access);
  const watermark = watermarkOf(ctx, node, version);
  const shown = previewOf(version.mime_type);
  if (watermark === undefined) return { ...download, filename: name, ...shown };
  // The mark is of one access, so that is recorded before anything is decrypted, also where no byte is sent in the end.
  const range = { start: 0, end: version.size };
  const receipt = await recordAccess(ctx, actor, access, version, range, watermark.id);
  ctx.caller?.reserve(version.size);
  const pieces: Uint8Array[] = [];
  for await (const piece of download.content.read(range)) pieces.push(piece);
  const bytes = await marked(ctx, actor, watermark, new Uint8Array(Buffer.concat(pieces)));
  return {
    content: bytes,
    filename: name,
    ...shown,
    ...(watermark.kind === 'image' && { type: 'image/png', inline: true }),
    headers: { ...shown.headers, 'x-access-receipt': receipt, 'cache-control': 'no-store' },
    whole: true,
  };
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
  return { download, name: node.name, version, node };
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
  watermark?: string,
): Promise<string> {
  const receipt = toHex(ctx.random(RECEIPT_BYTES));
  const now = ctx.clock.now();
  await transaction(ctx, async (tx) => {
    const { node, container } = await requirePlace(tx, actor, 1, id, { flag });
    const entry = await record(tx, actor, {
      action,
      containerId: container.id,
      nodeId: id,
      metadata: { versionId: version.id, start, end, ...(watermark !== undefined && { watermark }) },
      data: { receipt },
    });
    if (watermark !== undefined) await keepWatermark(tx, actor, version, { id: watermark, container, entry });
    if (node.accessed_at === null)
      await tx.db.updateTable('file_nodes').set({ accessed_at: now }).where('id', '=', id).execute();
  });
  const time = new Date(now).toISOString();
  const signature = sign(ctx.keys.identity.privateKey, utf8([RECEIPT_CONTEXT, receipt, id, time].join('\n')));
  return `v1.${receipt}.${time}.${toHex(signature)}`;
}
