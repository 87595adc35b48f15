import type { Context } from '../../../service/context.ts';
import { concat, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { containerKeyContext, contentKeyContext } from '../../../crypto/formats/file-content/file-content.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { FileContainerKeyRow, FileContentRow } from '../../../platform/store/tables/filevault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { fileDamaged, fileDestroyed } from '../problems.ts';

/** Every content has a random key. The key of its container wraps it, and around that wrap is another under an erasure key. */
type Named = Pick<FileContentRow, 'id' | 'file_id' | 'container_id' | 'key_number' | 'slot'>;

function innerContext(named: Named): Uint8Array {
  return contentKeyContext(named.container_id, named.key_number, named);
}

function outerContext(named: Named): Uint8Array {
  return concat(innerContext(named), utf8(`\0${named.slot}`));
}

const findKey = writtenQuery<Pick<FileContainerKeyRow, 'for_node'>>(
  'select for_node from file_container_keys where container_id = $1 and number = $2',
);

/** Wraps the key of a content, for its row. @param erasureKey of the slot that the row names */
export function wrapContentKey(
  { random }: Pick<Context, 'random'>,
  named: Named,
  keys: { readonly content: Uint8Array; readonly container: Uint8Array; readonly erasure: Uint8Array },
): Uint8Array {
  const inner = sealWithKey(keys.container, keys.content, innerContext(named), random);
  return wrapAround({ random }, named, keys.erasure, inner);
}

/** Puts the outer wrap around one that a client made. */
export function wrapAround(
  { random }: Pick<Context, 'random'>,
  named: Named,
  erasure: Uint8Array,
  inner: Uint8Array,
): Uint8Array {
  return sealWithKey(erasure, inner, outerContext(named), random);
}

/**
 * The wrap that a client made, for members who have the key of the container. Not for use in a transaction.
 * @throws Problem internal FILE_DAMAGED, unavailable ERASURE_KEYS_MISSING, gone FILE_DESTROYED
 */
export async function unwrapAround(
  ctx: Pick<Context, 'erasure'>,
  content: Named & Pick<FileContentRow, 'wrapped_key'>,
): Promise<Uint8Array> {
  const erasure = await ctx.erasure.keyOf(content.slot);
  if (erasure === undefined) throw fileDestroyed();
  return opened(erasure, content.wrapped_key, outerContext(content));
}

/**
 * The key of a content. Not for use in a transaction, because it reads the file of erasure keys.
 * @throws Problem internal FILE_DAMAGED, unavailable ERASURE_KEYS_MISSING, gone FILE_DESTROYED
 */
export async function contentKey(ctx: Context, content: FileContentRow): Promise<Uint8Array> {
  const inner = await unwrapAround(ctx, content);
  const { rows } = await ctx.db.executeQuery(findKey(content.container_id, content.key_number));
  const [row] = rows;
  if (row === undefined) throw fileDamaged();
  const container = opened(ctx.keys.wrap, row.for_node, containerKeyContext(content.container_id, content.key_number));
  return opened(container, inner, innerContext(content));
}

/** Opens a key that another one seals. @throws Problem internal FILE_DAMAGED */
export function opened(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Uint8Array {
  try {
    return openWithKey(key, sealed, context);
  } catch (cause) {
    throw cause instanceof CryptoError ? fileDamaged(cause) : cause;
  }
}
