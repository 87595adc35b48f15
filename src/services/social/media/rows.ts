import type { Part } from '../../../shared/attachments/sealed-parts.ts';
import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { Problem } from '../../../base/problem.ts';
import type { SocialMediaBlockRow, SocialMediaRow } from '../../../platform/store/tables/social-media.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/** A row whose content is here. */
export interface StoredMedia extends SocialMediaRow {
  readonly mime_type: string;
  readonly node_key: Uint8Array;
}

const keyContext = (id: string) => utf8(`conclave/social/media-key/v1\0${id}`);

export function sealedKey({ keys, random }: Pick<Context, 'keys' | 'random'>, id: string, key: Uint8Array): Uint8Array {
  return sealWithKey(keys.wrap, key, keyContext(id), random);
}

const selectMedia = writtenQuery<SocialMediaRow>('select * from social_media where id = $1');
const selectBlocks = writtenQuery<SocialMediaBlockRow>(
  'select * from social_media_blocks where media_id = $1 order by piece',
);

/** Media whose content is here and whose time is not over; the clock decides, whenever expired ones are deleted. */
export async function findMedia(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  id: string,
): Promise<StoredMedia | undefined> {
  const { rows } = await db.executeQuery(selectMedia(id));
  const [row] = rows;
  const [type, key] = [row?.mime_type ?? undefined, row?.node_key ?? undefined];
  if (row === undefined || type === undefined || key === undefined) return undefined;
  if (row.expires_at !== null && row.expires_at <= clock.now()) return undefined;
  return { ...row, mime_type: type, node_key: key };
}

/** @throws Problem internal STORE_DAMAGED */
export async function openMedia({ db, keys }: Pick<Context, 'db' | 'keys'>, row: StoredMedia): Promise<Part> {
  const { rows } = await db.executeQuery(selectBlocks(row.id));
  const blocks = rows.map(({ hash, sealed, size }) => ({ hash, sealed: sealed ?? undefined, size }));
  try {
    return { key: openWithKey(keys.wrap, row.node_key, keyContext(row.id)), size: row.size, blocks };
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    const words = 'A picture, video or sound in the store is damaged. Restore the store from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', words, { cause });
  }
}
