import type { Context } from '../../../service/context.ts';
import { announceBlock } from '../../../shared/attachments/blocks.ts';
import { attachmentPlace, type AttachmentId } from './entry-rows.ts';
import type { Sealer } from '../vaults/pages.ts';
import { openContentBytes, sealContentBytes } from '../vaults/sealing.ts';

/**
 * Writes the content of an attachment as a block. The transaction that refers to the block keeps it (`keepBlocks`). Attachments never share
 * a block, because each is sealed with its own randomness.
 * @returns the id of the block
 */
export async function putContent(ctx: Context, vault: Sealer, which: AttachmentId, bytes: Uint8Array): Promise<string> {
  const place = attachmentPlace(vault.id, which, 'attachment-content');
  const sealed = await sealContentBytes(ctx, vault.dataKey, place, bytes);
  const { id } = await ctx.blocks.put(sealed, (blockId) => announceBlock(ctx, blockId));
  return id;
}

/** @throws CryptoError, Problem missing BLOCK_NOT_FOUND, unavailable OVERLOADED */
export async function getContent(
  ctx: Context,
  vault: Sealer,
  which: AttachmentId,
  blockId: string,
): Promise<Uint8Array> {
  const place = attachmentPlace(vault.id, which, 'attachment-content');
  return await openContentBytes(ctx, vault.dataKey, place, await ctx.blocks.get(blockId));
}
