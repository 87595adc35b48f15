import { randomBytes } from 'node:crypto';
import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sealedLength } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { concat, utf8 } from '../../../src/crypto/bytes.ts';
import {
  contentKeyContext,
  openManifest,
  sealManifest,
} from '../../../src/crypto/formats/file-content/file-content.ts';
import { openWithKey, sealWithKey } from '../../../src/crypto/sealing.ts';
import { contentKey } from '../../../src/services/filevault/content/keys.ts';
import type { FileBlockRow, FileContentRow } from '../../../src/platform/store/tables/filevault.ts';
import type { Scene } from './scene.ts';
import { CHUNK_BYTES, type SmallFile } from './small-chunks.ts';

async function contentOf({ house }: Scene, id: string): Promise<FileContentRow> {
  return await house.ctx.db.selectFrom('file_contents').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function blocksOf({ house }: Scene, contentId: string): Promise<FileBlockRow[]> {
  return await house.ctx.db
    .selectFrom('file_blocks')
    .selectAll()
    .where('content_id', '=', contentId)
    .orderBy('place')
    .execute();
}

export function pathOf({ house }: Scene, blockId: string): string {
  return join(house.ctx.config.dataDir, 'blocks', blockId.slice(0, 2), blockId.slice(2, 4), blockId);
}

export async function setBlock({ house }: Scene, contentId: string, place: number, values: Partial<FileBlockRow>) {
  await house.ctx.db
    .updateTable('file_blocks')
    .set(values)
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .execute();
}

export async function setContent({ house }: Scene, id: string, values: Partial<FileContentRow>): Promise<void> {
  await house.ctx.db.updateTable('file_contents').set(values).where('id', '=', id).execute();
}

/** Makes the list of blocks say what the rows say, under the key of the content: only the block itself can show what is wrong. */
export async function resealManifest(scene: Scene, contentId: string): Promise<void> {
  const { ctx } = scene.house;
  const row = await contentOf(scene, contentId);
  const key = await contentKey(ctx, row);
  const manifest = openManifest(key, row, row.manifest!)!;
  const hashes = (await blocksOf(scene, contentId)).map(({ hash }) => hash);
  await setContent(scene, contentId, { manifest: sealManifest(key, row, { ...manifest, hashes }, randomBytes(24)) });
}

export interface Damage {
  readonly name: string;
  readonly detail: string;
  /** whether quick finds it, too */
  readonly quick?: true;
  /** whether it is noticed where another one is, so that the soak stage alone has it */
  readonly again?: boolean;
  readonly change: (scene: Scene, file: SmallFile, other: SmallFile) => Promise<void>;
}

/** What can be wrong with the file in the middle of a store, of which each is an error. */
export const damages: readonly Damage[] = [
  ...[0, 40, 60, 20_000, -1].map((at): Damage => ({
    name: `a flipped byte of a block, at ${at}`,
    detail: 'block 1 does not have its hash',
    again: at !== 20_000,
    async change(scene, { contentId }) {
      const path = pathOf(scene, (await blocksOf(scene, contentId))[1]!.block_id!);
      const bytes = await readFile(path);
      const index = at < 0 ? bytes.length + at : at;
      bytes[index]! ^= 1;
      await writeFile(path, bytes);
    },
  })),
  {
    name: 'a flipped byte of a block under a new hash, in the row and in a list of blocks that was sealed again',
    detail: 'block 1 does not open: it was changed, or belongs elsewhere',
    again: true,
    async change(scene, { contentId }) {
      const bytes = await readFile(pathOf(scene, (await blocksOf(scene, contentId))[1]!.block_id!));
      bytes[100]! ^= 1;
      const { id } = await scene.house.ctx.blocks.put(bytes);
      await setBlock(scene, contentId, 1, { hash: id, block_id: id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'a flipped byte of the manifest',
    detail: 'its list of blocks does not open',
    quick: true,
    async change(scene, { contentId }) {
      const manifest = Buffer.from((await contentOf(scene, contentId)).manifest!);
      manifest[80]! ^= 1;
      await setContent(scene, contentId, { manifest });
    },
  },
  {
    name: 'a flipped byte of the wrap',
    detail: 'its key does not open',
    again: true,
    quick: true,
    async change(scene, { contentId }) {
      const wrapped_key = Buffer.from((await contentOf(scene, contentId)).wrapped_key);
      wrapped_key[50]! ^= 1;
      await setContent(scene, contentId, { wrapped_key });
    },
  },
  {
    name: 'a row of a block that says another size',
    detail: 'its rows are not those of its list of blocks',
    again: true,
    quick: true,
    change: async (scene, { contentId }) => await setBlock(scene, contentId, 3, { size: 39_999 }),
  },
  {
    name: 'a row of a content that says another size',
    detail: 'its row has another size than its list of blocks',
    quick: true,
    change: async (scene, { contentId, bytes }) => await setContent(scene, contentId, { size: bytes.length - 1 }),
  },
  {
    name: 'two blocks swapped on the disk',
    detail: 'block 0 does not have its hash',
    again: true,
    async change(scene, { contentId }) {
      const [first, second] = (await blocksOf(scene, contentId)).map(({ block_id }) => pathOf(scene, block_id!));
      await copyFile(first!, `${first!}.kept`);
      await copyFile(second!, first!);
      await copyFile(`${first!}.kept`, second!);
    },
  },
  {
    name: 'two blocks swapped in their rows',
    detail: 'its rows are not those of its list of blocks',
    quick: true,
    async change(scene, { contentId }) {
      const [first, second] = await blocksOf(scene, contentId);
      await setBlock(scene, contentId, 0, { hash: second!.hash, block_id: second!.block_id });
      await setBlock(scene, contentId, 1, { hash: first!.hash, block_id: first!.block_id });
    },
  },
  {
    name: 'two blocks swapped in rows and list, which was sealed again',
    detail: 'block 0 does not open: it was changed, or belongs elsewhere',
    async change(scene, { contentId }) {
      const [first, second] = await blocksOf(scene, contentId);
      await setBlock(scene, contentId, 0, { hash: second!.hash, block_id: second!.block_id });
      await setBlock(scene, contentId, 1, { hash: first!.hash, block_id: first!.block_id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'a block of another file in rows and list, which was sealed again',
    detail: 'block 1 does not open: it was changed, or belongs elsewhere',
    again: true,
    async change(scene, { contentId }, other) {
      const { hash, block_id } = (await blocksOf(scene, other.contentId))[1]!;
      await setBlock(scene, contentId, 1, { hash, block_id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'a block of another version in rows and list, which was sealed again',
    detail: 'block 0 does not open: it was changed, or belongs elsewhere',
    async change(scene, { id, contentId }) {
      const older = await scene.house.ctx.db
        .selectFrom('file_versions')
        .select('content_id')
        .where('file_id', '=', id)
        .where('content_id', '!=', contentId)
        .executeTakeFirstOrThrow();
      const { hash, block_id } = (await blocksOf(scene, older.content_id))[0]!;
      await setBlock(scene, contentId, 0, { hash, block_id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'a block file that was cut',
    detail: 'block 2 has the wrong size',
    quick: true,
    async change(scene, { contentId }) {
      const path = pathOf(scene, (await blocksOf(scene, contentId))[2]!.block_id!);
      await truncate(path, sealedLength(CHUNK_BYTES) - 5);
    },
  },
  {
    name: 'a truncated last segment, under a new hash in the row and in a list of blocks that was sealed again',
    detail: 'block 2 has the wrong size',
    again: true,
    quick: true,
    async change(scene, { contentId }) {
      const bytes = await readFile(pathOf(scene, (await blocksOf(scene, contentId))[2]!.block_id!));
      // At the border of a segment: what is left is whole segments, each of them right.
      const cut = bytes.subarray(0, 56 + 3 * (16_384 + 16));
      const { id } = await scene.house.ctx.blocks.put(cut);
      await setBlock(scene, contentId, 2, { hash: id, block_id: id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'a last segment that was cut and made as long as before',
    detail: 'block 3 does not open: it was changed, or belongs elsewhere',
    again: true,
    async change(scene, { contentId }) {
      const bytes = await readFile(pathOf(scene, (await blocksOf(scene, contentId))[3]!.block_id!));
      bytes.fill(0, bytes.length - 40);
      const { id } = await scene.house.ctx.blocks.put(bytes);
      await setBlock(scene, contentId, 3, { hash: id, block_id: id });
      await resealManifest(scene, contentId);
    },
  },
  {
    name: 'the wraps of two files swapped',
    detail: 'its key does not open',
    again: true,
    quick: true,
    async change(scene, { contentId }, other) {
      const [one, two] = [await contentOf(scene, contentId), await contentOf(scene, other.contentId)];
      await setContent(scene, contentId, { wrapped_key: two.wrapped_key, slot: two.slot });
      await setContent(scene, other.contentId, { wrapped_key: one.wrapped_key, slot: one.slot });
    },
  },
  {
    name: 'the wrap of another file, sealed again under the erasure key as that of this one',
    detail: 'its key does not open',
    quick: true,
    async change(scene, { contentId }, other) {
      const { ctx } = scene.house;
      const [one, two] = [await contentOf(scene, contentId), await contentOf(scene, other.contentId)];
      const outer = (row: FileContentRow) =>
        concat(contentKeyContext(row.container_id, row.key_number, row), utf8(`\0${row.slot}`));
      const inner = openWithKey((await ctx.erasure.keyOf(two.slot))!, two.wrapped_key, outer(two));
      const wrapped_key = sealWithKey((await ctx.erasure.keyOf(one.slot))!, inner, outer(one), randomBytes);
      await setContent(scene, contentId, { wrapped_key });
    },
  },
];
