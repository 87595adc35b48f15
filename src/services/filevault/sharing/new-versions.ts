import type { Context } from '../../../service/context.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import type { FileShareRow } from '../../../platform/store/tables/file-shares.ts';
import type { FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { liveShares } from '../access/shares.ts';
import { encryptedFor, erasureKeyOf, sealedKey } from './keys.ts';

/** The key of a new content, encrypted for those with whom the file is shared. */
interface Prepared {
  readonly content: FileContentRow;
  readonly key: Uint8Array;
  readonly erasure: Uint8Array;
  /** by the id of the share */
  readonly messages: Map<string, Uint8Array>;
}

/** Encrypts before the transaction, which would keep others waiting. @param address of whoever stores the version */
export async function prepareSharedKeys(
  ctx: Context,
  address: string,
  content: FileContentRow,
  key: Uint8Array,
): Promise<Prepared> {
  const erasure = await erasureKeyOf(ctx, content);
  const prepared = { content, key, erasure, messages: new Map<string, Uint8Array>() };
  await encryptFor(ctx, prepared, await liveShares(ctx, address, [content.file_id]));
  return prepared;
}

/** Gives the key to every share that counts, in the transaction that makes the content a version. */
export async function storeSharedKeys(tx: Context, address: string, prepared: Prepared): Promise<void> {
  const { content, erasure, messages } = prepared;
  const shares = await liveShares(tx, address, [content.file_id]);
  await encryptFor(tx, prepared, shares);
  const rows = shares.flatMap(({ id }) => {
    const message = messages.get(id);
    return message === undefined ? [] : [sealedKey(tx, id, content, message, erasure)];
  });
  if (rows.length > 0) await insertRows(tx.db, 'file_share_keys', rows);
}

async function encryptFor(ctx: Context, { content, key, messages }: Prepared, shares: readonly FileShareRow[]) {
  const left = shares.filter(({ id }) => !messages.has(id));
  const holders = await publicKeysOf(ctx, [...new Set(left.map(({ recipient_id }) => recipient_id))]);
  const keys = new Map(holders.map(({ memberId, publicKey }) => [memberId, publicKey]));
  for (const { id, recipient_id: recipient } of left) {
    const publicKey = keys.get(recipient);
    if (publicKey !== undefined) messages.set(id, encryptedFor(ctx, id, content, key, publicKey));
  }
}
