import type { Context } from '../../../context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { eciesEncrypt } from '../../../crypto/ecies.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { publicKeysOf } from '../../../members/public-keys.ts';
import type { FileContainerRow, FileContentRow } from '../../../store/tables/filevault.ts';
import { fileDamaged, fileDestroyed } from '../problems.ts';

/**
 * Every content has a random key. The key of its container wraps it, and around that wrap is another under an erasure key. A container key
 * is random, too. It is sealed for the node, because the node decrypts downloads, and encrypted to the owner's public key, so that the
 * owner's recovery phrase opens it without the node.
 */
const KEY_BYTES = 32;

const containerContext = (id: string, number: number) => utf8(`conclave/filevault/container-key/v1\0${id}\0${number}`);

type Named = Pick<FileContentRow, 'id' | 'file_id' | 'container_id' | 'key_number' | 'slot'>;

function contentContext({ id, file_id, container_id, key_number, slot }: Named): Uint8Array {
  return utf8(`conclave/filevault/content-key/v1\0${container_id}\0${file_id}\0${id}\0${key_number}\0${slot}`);
}

interface NumberedKey {
  readonly number: number;
  readonly key: Uint8Array;
}

/** The newest key of a container, which is made when it is first needed. It must run in a transaction. */
export async function containerKey(
  tx: Context,
  { id, owner_id }: Pick<FileContainerRow, 'id' | 'owner_id'>,
): Promise<NumberedKey> {
  const row = await tx.db
    .selectFrom('file_container_keys')
    .select(['number', 'for_node'])
    .where('container_id', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined)
    return { number: row.number, key: opened(tx.keys.wrap, row.for_node, containerContext(id, row.number)) };
  const key = tx.random(KEY_BYTES);
  const context = containerContext(id, 1);
  const for_node = sealWithKey(tx.keys.wrap, key, context, tx.random);
  await tx.db
    .insertInto('file_container_keys')
    .values({ container_id: id, number: 1, for_node, created_at: tx.clock.now() })
    .execute();
  for (const { memberId, publicKey } of await publicKeysOf(tx, [owner_id]))
    await tx.db
      .insertInto('file_member_keys')
      .values({
        container_id: id,
        number: 1,
        member_id: memberId,
        wrapped: eciesEncrypt(publicKey, key, context, 'basic', tx.random),
      })
      .execute();
  return { number: 1, key };
}

/** Wraps the key of a content, for its row. @param erasureKey of the slot that the row names */
export function wrapContentKey(
  { random }: Pick<Context, 'random'>,
  named: Named,
  keys: { readonly content: Uint8Array; readonly container: Uint8Array; readonly erasure: Uint8Array },
): Uint8Array {
  const context = contentContext(named);
  return sealWithKey(keys.erasure, sealWithKey(keys.container, keys.content, context, random), context, random);
}

/**
 * The key of a content. Not for use in a transaction, because it reads the file of erasure keys.
 * @throws Problem internal FILE_DAMAGED, unavailable ERASURE_KEYS_MISSING, gone FILE_DESTROYED
 */
export async function contentKey(ctx: Context, content: FileContentRow): Promise<Uint8Array> {
  const erasure = await ctx.erasure.keyOf(content.slot);
  if (erasure === undefined) throw fileDestroyed();
  const row = await ctx.db
    .selectFrom('file_container_keys')
    .select('for_node')
    .where('container_id', '=', content.container_id)
    .where('number', '=', content.key_number)
    .executeTakeFirst();
  if (row === undefined) throw fileDamaged();
  const context = contentContext(content);
  const container = opened(ctx.keys.wrap, row.for_node, containerContext(content.container_id, content.key_number));
  return opened(container, opened(erasure, content.wrapped_key, context), context);
}

function opened(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Uint8Array {
  try {
    return openWithKey(key, sealed, context);
  } catch (cause) {
    throw cause instanceof CryptoError ? fileDamaged(cause) : cause;
  }
}
