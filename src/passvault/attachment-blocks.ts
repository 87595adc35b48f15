import type { Context } from '../context.ts';
import type { Sealer } from './pages.ts';
import { openBytes, sealBytes, type Place } from './sealing.ts';

function placeOf(vaultId: string, attachmentId: string): Place {
  return { vaultId, id: attachmentId, version: 1, fieldClass: 'attachment-content' };
}

/** Puts the content of an attachment where blocks are. @returns the id of the block */
export async function putContent(
  ctx: Context,
  vault: Sealer,
  attachmentId: string,
  bytes: Uint8Array,
): Promise<string> {
  const { id } = await ctx.blocks.put(sealBytes(ctx, vault.dataKey, placeOf(vault.id, attachmentId), bytes));
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

/** Deletes blocks after the commit. No two attachments share one: each is sealed with randomness of its own. */
export function dropBlocks(tx: Context, ids: readonly string[]): void {
  if (ids.length === 0) return;
  tx.afterCommit(async () => {
    for (const id of ids) await tx.blocks.delete(id);
  });
}

/** Deletes blocks of a transaction that came to nothing. */
export async function withdrawBlocks(ctx: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) await ctx.blocks.delete(id);
}
