import { randomBytes } from 'node:crypto';
import { copyFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sealedLength } from '../../../src/crypto/chunked-encryption.ts';
import { concat, utf8 } from '../../../src/crypto/bytes.ts';
import { contentKeyContext, openManifest, sealManifest } from '../../../src/crypto/file-content.ts';
import { contentHash } from '../../../src/crypto/hash.ts';
import { openWithKey, sealWithKey } from '../../../src/crypto/sealing.ts';
import { contentKey } from '../../../src/services/filevault/content/keys.ts';
import type { FileBlockRow, FileContentRow } from '../../../src/store/tables/filevault.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, type Scene } from './scene.ts';
import { CHUNK_BYTES, smallChunkFile, type SmallFile } from './small-chunks.ts';

async function contentOf({ house }: Scene, id: string): Promise<FileContentRow> {
  return await house.ctx.db.selectFrom('file_contents').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function blocksOf({ house }: Scene, contentId: string): Promise<FileBlockRow[]> {
  return await house.ctx.db
    .selectFrom('file_blocks')
    .selectAll()
    .where('content_id', '=', contentId)
    .orderBy('place')
    .execute();
}

function pathOf({ house }: Scene, blockId: string): string {
  return join(house.ctx.config.dataDir, 'blocks', blockId.slice(0, 2), blockId.slice(2, 4), blockId);
}

async function setBlock({ house }: Scene, contentId: string, place: number, values: Partial<FileBlockRow>) {
  await house.ctx.db
    .updateTable('file_blocks')
    .set(values)
    .where('content_id', '=', contentId)
    .where('place', '=', place)
    .execute();
}

async function setContent({ house }: Scene, id: string, values: Partial<FileContentRow>): Promise<void> {
  await house.ctx.db.updateTable('file_contents').set(values).where('id', '=', id).execute();
}

/** Makes the list of blocks say what the rows say, under the key of the content: only the block itself can show what is wrong. */
async function resealManifest(scene: Scene, contentId: string): Promise<void> {
  const { ctx } = scene.house;
  const row = await contentOf(scene, contentId);
  const key = await contentKey(ctx, row);
  const manifest = openManifest(key, row, row.manifest!)!;
  const hashes = (await blocksOf(scene, contentId)).map(({ hash }) => hash);
  await setContent(scene, contentId, { manifest: sealManifest(key, row, { ...manifest, hashes }, randomBytes(24)) });
}

async function checked(scene: Scene, level: 'quick' | 'full') {
  const faults: { kind: string; fileId: string | null; detail: string }[] = [];
  for (let after: string | undefined; ;) {
    const part = await scene.get('POST', `/vaults/${scene.containerId}/check`, {
      level,
      ...(after !== undefined && { after }),
    });
    faults.push(...part.faults);
    if (part.next === null) return faults;
    after = part.next;
  }
}

/** What a reader gets: the bytes until the answer ends or breaks off. */
async function received(scene: Scene, fileId: string) {
  const answer = await scene.house.fetch(
    new Request(`http://house.test/filevault/files/${fileId}`, {
      headers: { authorization: `Bearer ${scene.owner.token}` },
    }),
  );
  if (answer.status !== 200)
    return { status: answer.status, code: ((await answer.json()) as { error: string }).error, bytes: '' };
  const pieces: Uint8Array[] = [];
  let broken = '';
  try {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
  } catch (error) {
    broken = (error as Error).message;
  }
  return { status: 200, code: broken, bytes: Buffer.concat(pieces).toString('latin1') };
}

interface Damage {
  readonly name: string;
  readonly detail: string;
  /** whether quick finds it, too */
  readonly quick?: true;
  readonly change: (scene: Scene, file: SmallFile, other: SmallFile) => Promise<void>;
}

const damages: readonly Damage[] = [
  ...[0, 40, 60, 20_000, -1].map((at): Damage => ({
    name: `a flipped byte of a block, at ${at}`,
    detail: 'block 1 does not have its hash',
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

describe.each(engines)('what was changed in the store on %s', (engine) => {
  it.each(damages)(
    'is an integrity error before a wrong byte leaves, an audit event, and fsck finds it: $name',
    async ({ detail, quick, change }) => {
      await using scene = await openScene(engine);
      const { db } = scene.house.ctx;
      const first = await smallChunkFile(scene);
      const file = await smallChunkFile(scene, first.bytes.length, first.id);
      const other = await smallChunkFile(scene);
      expect(await checked(scene, 'full')).toEqual([]);
      await change(scene, file, other);

      const found = async (level: 'quick' | 'full') =>
        (await checked(scene, level)).filter(({ fileId }) => fileId === file.id).map((fault) => fault.detail);
      expect(await found('full')).toContain(detail);
      const atOnce = await found('quick');
      if (quick === true) expect(atOnce).toContain(detail);
      else expect(atOnce).toEqual([]);
      const events = async () =>
        (await db.selectFrom('file_audit').select('node_id').where('action', '=', 'FILE_DAMAGED').execute()).filter(
          ({ node_id }) => node_id === file.id,
        ).length;
      const before = await events();
      expect(before).toBe(quick === true ? 2 : 1);

      const { status, code, bytes } = await received(scene, file.id);
      if (status === 200) expect(code).toContain('The stored content of the file is damaged');
      else expect([status, code, bytes]).toEqual([500, 'FILE_DAMAGED', '']);
      expect(bytes.length).toBeLessThan(file.bytes.length);
      expect(bytes).toBe(file.bytes.subarray(0, bytes.length).toString('latin1'));
      expect(await events()).toBe(before + 1);
    },
  );

  it('is found in a block that lies in a row, and sealed again as well', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('a small one');
    const { db } = scene.house.ctx;
    const row = await db.selectFrom('file_blocks').selectAll().executeTakeFirstOrThrow();
    const sealed = Buffer.from(row.sealed!);
    sealed[60]! ^= 1;
    const details = async (level: 'quick' | 'full') => (await checked(scene, level)).map((fault) => fault.detail);
    await setBlock(scene, row.content_id, 0, { sealed });
    expect(await details('quick')).toEqual(['block 0 does not have its hash']);
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('500 FILE_DAMAGED');
    await setBlock(scene, row.content_id, 0, { sealed, hash: contentHash(sealed) });
    expect(await details('quick')).toEqual(['its rows are not those of its list of blocks']);
    await resealManifest(scene, row.content_id);
    expect(await details('quick')).toEqual([]);
    expect(await details('full')).toEqual(['block 0 does not open: it was changed, or belongs elsewhere']);
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('500 FILE_DAMAGED');
  });

  it('leaves the other ranges of a file readable', async () => {
    await using scene = await openScene(engine);
    const { id, contentId, bytes } = await smallChunkFile(scene);
    const path = pathOf(scene, (await blocksOf(scene, contentId))[2]!.block_id!);
    await using file = await open(path, 'r+');
    await file.write(Uint8Array.of(1, 2, 3, 4), 0, 4, 30_000);
    const read = async (range: string) => await scene.read(id, { headers: { range } });
    expect((await read(`bytes=0-${2 * CHUNK_BYTES - 1}`)).bytes.equals(bytes.subarray(0, 2 * CHUNK_BYTES))).toBe(true);
    expect((await read('bytes=-40000')).bytes.equals(bytes.subarray(-40_000))).toBe(true);
    expect((await read(`bytes=${2 * CHUNK_BYTES + 29_000}-`)).status).toBe(500);
  });
});
