import type { Context } from '../context.ts';
import { announceBlock } from './block-drops.ts';
import type { Sealer } from './pages.ts';
import { openBytes, sealBytes, type Place } from './sealing.ts';

function placeOf(vaultId: string, attachmentId: string): Place {
  return { vaultId, id: attachmentId, version: 1, fieldClass: 'attachment-content' };
}

/**
 * Puts the content of an attachment where blocks are, to be kept by the transaction that refers to it (`keepBlocks`). No two
 * attachments share a block: each is sealed with randomness of its own.
 * @returns the id of the block
 */
export async function putContent(
  ctx: Context,
  vault: Sealer,
  attachmentId: string,
  bytes: Uint8Array,
): Promise<string> {
  const sealed = sealBytes(ctx, vault.dataKey, placeOf(vault.id, attachmentId), bytes);
  const { id } = await ctx.blocks.put(sealed, (blockId) => announceBlock(ctx, blockId));
  return id;
}

/** @throws CryptoError, Problem missing BLOCK_NOT_FOUND */
export async function getContent(
  ctx: Context,
  vault: Sealer,
  attachmentId: string,
  blockId: string,
): Promise<Uint8Array> {
  return openBytes(vault.dataKey, placeOf(vault.id, attachmentId), await ctx.blocks.get(blockId));
}
