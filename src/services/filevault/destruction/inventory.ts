import type { Context } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { leafHash, rootOfLeaves } from '../../../crypto/merkle.ts';
import type { FileDestructionRow } from '../../../platform/store/tables/filevault.ts';

/** What a file consists of, and what is destroyed with it. Hashes alone: nothing of it helps to bring the file back. */
export interface Inventory {
  readonly contents: readonly {
    readonly id: string;
    /** SHA-256 of the wrapped key, hex */
    readonly wrap: string;
    /** SHA-256 of the sealed manifest, hex */
    readonly manifest: string;
    /** SHA3-512 of the ciphertext of each block, hex */
    readonly blocks: readonly string[];
    /** every key that was given for a share or link, also one that was revoked; missing if there was none */
    readonly shared?: readonly {
      /** of the share or link */
      readonly id: string;
      /** SHA-256 of the encrypted key, hex */
      readonly wrap: string;
    }[];
  }[];
}

/** Ids of the blocks of a file that is destroyed. */
export function blocksOf({ inventory }: Pick<FileDestructionRow, 'inventory'>): string[] {
  return (JSON.parse(inventory) as Inventory).contents.flatMap(({ blocks }) => blocks);
}

export interface Taken {
  readonly inventory: Inventory;
  readonly slots: readonly number[];
  /** ids of block files */
  readonly files: readonly string[];
  /** bytes of all contents */
  readonly size: number;
}

/** Takes the inventory of a file, in the transaction that removes it. */
export async function takeInventory({ db }: Pick<Context, 'db'>, fileId: string): Promise<Taken> {
  const contents = await db
    .selectFrom('file_contents')
    .selectAll()
    .where('file_id', '=', fileId)
    .orderBy('id')
    .execute();
  const blocks =
    contents.length === 0
      ? []
      : await db
          .selectFrom('file_blocks')
          .select(['content_id', 'hash', 'block_id'])
          .where(
            'content_id',
            'in',
            contents.map(({ id }) => id),
          )
          .orderBy('content_id')
          .orderBy('place')
          .execute();
  const keys = await db
    .selectFrom('file_share_keys')
    .select(['content_id', 'share_id', 'hash'])
    .where('file_id', '=', fileId)
    .orderBy('share_id')
    .execute();
  const inventory = {
    contents: contents.map(({ id, wrapped_key, manifest }) => {
      const shared = keys.filter((key) => key.content_id === id);
      return {
        id,
        wrap: sha256Hex(wrapped_key),
        manifest: sha256Hex(manifest ?? new Uint8Array()),
        blocks: blocks.filter((block) => block.content_id === id).map(({ hash }) => hash),
        ...(shared.length > 0 && { shared: shared.map(({ share_id, hash }) => ({ id: share_id, wrap: hash })) }),
      };
    }),
  };
  return {
    inventory,
    slots: contents.map(({ slot }) => slot),
    files: blocks.flatMap(({ block_id }) => block_id ?? []),
    size: contents.reduce((sum, content) => sum + content.size, 0),
  };
}

/**
 * Leaf hashes (RFC 6962) of what a file consists of: one for the file, and one for each wrap, manifest, block and shared key. A leaf is
 * canonical JSON with a kind, an id and a hash.
 */
export function inventoryLeaves(fileId: string, { contents }: Inventory): Uint8Array[] {
  const items = contents.flatMap(({ id, wrap, manifest, blocks, shared = [] }) => [
    { kind: 'wrap', id, commit: wrap },
    { kind: 'manifest', id, commit: manifest },
    ...blocks.map((block, place) => ({ kind: 'block', id, place, commit: block })),
    ...shared.map((key) => ({ kind: 'shared-key', id, share: key.id, commit: key.wrap })),
  ]);
  return [{ kind: 'file', id: fileId }, ...items].map((item) => leafHash(utf8(canonicalJson(item))));
}

/** The Merkle root (RFC 6962) over these leaves, hex. */
export function inventoryRoot(fileId: string, inventory: Inventory): string {
  return toHex(rootOfLeaves(inventoryLeaves(fileId, inventory)));
}
