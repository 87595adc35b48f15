import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { createHasher } from '../../../src/platform/store/blocks/block-hash.ts';
import type { BlockStore } from '../../../src/platform/store/blocks/blocks.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { bundle } from '../../support/bundle.ts';
import { temporaryFolder } from '../../support/stores.ts';

const idOf = (content: Uint8Array): string => createHash('sha3-512').update(content).digest('hex');
const notFound = { kind: 'missing', code: 'BLOCK_NOT_FOUND' };

async function all(blocks: BlockStore, after?: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of blocks.list(after)) ids.push(id);
  return ids;
}

async function* piecesOf(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let start = 0; start < content.length; start += size) {
    const piece = content.subarray(start, start + size);
    buffer.set(piece);
    // The same memory each time, as readers of files do it.
    yield buffer.subarray(0, piece.length);
    await Promise.resolve();
  }
}

describe('blocks on disk', () => {
  it.each([0, 1, 1000, 65_536, 65_537, 1_000_000])('keep %i bytes under their hash', async (size) => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const content = randomBytes(size);
    const id = idOf(content);
    expect(await blocks.put(content)).toEqual({ id, size, created: true });
    expect(await blocks.put(piecesOf(content, 7_000))).toEqual({ id, size, created: false });
    const path = join(folder.path, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
    expect(Buffer.compare(await readFile(path), content)).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder.path, 'blocks', 'tmp'))).toEqual([]);
    const found = await lentBlocks(folder.path).get(id);
    expect(found.constructor).toBe(Uint8Array);
    expect(Buffer.compare(found, content)).toBe(0);
    // Its age is what decides whether one without a reference is swept.
    await utimes(path, 1_750_000_000, 1_750_000_000.5);
    expect(await blocks.head(id)).toEqual({ id, size, storedAt: 1_750_000_000_500 });
    expect(await blocks.verify(id)).toBe(true);
  });

  it('come in pieces of any size, many at once', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const contents = Array.from({ length: 20 }, (_, index) => randomBytes(30_000 * (index % 7) + index));
    const answers = await Promise.all(
      contents.map((content, index) => blocks.put(piecesOf(content, 500 + 9_000 * (index % 5)))),
    );
    expect(answers.map(({ id }) => id)).toEqual(contents.map(idOf));
    for (const content of contents) expect(Buffer.compare(await blocks.get(idOf(content)), content)).toBe(0);
  });

  it('are read in part', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const content = randomBytes(100_000);
    const { id } = await blocks.put(content);
    for (const [start, end] of [
      [0, 0],
      [0, 1],
      [99_999, 100_000],
      [500, 70_000],
      [100_000, 100_000],
    ] as const)
      expect(Buffer.compare(await blocks.get(id, { start, end }), content.subarray(start, end))).toBe(0);
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [0, 100_001],
      [Number.NaN, 1],
    ] as const)
      await expect(blocks.get(id, { start, end })).rejects.toMatchObject({ kind: 'invalid', code: 'BLOCK_RANGE' });
  });

  it('are missing when they are, whatever is asked for', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    await writeFile(join(folder.path, 'secret'), 'secret');
    for (const id of [
      idOf(Buffer.from('other')),
      '',
      '../../secret',
      '../secret'.padEnd(128, 'a'),
      'A'.repeat(128),
      `${'a'.repeat(127)}\n`,
    ]) {
      await expect(blocks.get(id)).rejects.toMatchObject(notFound);
      await expect(blocks.get(id, { start: 0, end: 1 })).rejects.toMatchObject(notFound);
      await expect(blocks.verify(id)).rejects.toMatchObject(notFound);
      expect(await blocks.head(id)).toBeUndefined();
      expect(await blocks.delete(id)).toBe(false);
    }
    expect(await all(blocks)).toEqual([]);
    expect(await blocks.stat()).toEqual({ blocks: 0, bytes: 0 });
  });

  it('are listed in order, from any place on, and counted', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const contents = Array.from({ length: 60 }, (_, index) => Buffer.from(`block ${index}`));
    for (const content of contents) await blocks.put(content);
    const ids = contents.map(idOf).toSorted();
    await mkdir(join(folder.path, 'blocks', 'zz'));
    await writeFile(join(folder.path, 'blocks', 'ab.txt'), 'not a block');
    expect(await all(blocks)).toEqual(ids);
    expect(await all(blocks, ids[20])).toEqual(ids.slice(21));
    expect(await all(blocks, ids.at(-1))).toEqual([]);
    expect(await blocks.stat()).toEqual({ blocks: 60, bytes: contents.reduce((sum, { length }) => sum + length, 0) });
    expect(await blocks.delete(ids[0] ?? '')).toBe(true);
    expect(await blocks.delete(ids[0] ?? '')).toBe(false);
    expect(await all(blocks)).toEqual(ids.slice(1));
  });

  it('are known to be damaged, and whole again after they are put again', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const content = randomBytes(200_000);
    const { id } = await blocks.put(content);
    const path = join(folder.path, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
    await truncate(path, 150_000);
    await expect(blocks.get(id)).rejects.toMatchObject({ kind: 'internal', code: 'BLOCK_DAMAGED' });
    expect(await blocks.verify(id)).toBe(false);
    expect(await blocks.put(content)).toMatchObject({ created: true });
    expect(await blocks.verify(id)).toBe(true);
    const flipped = Buffer.from(content);
    flipped[100_000]! ^= 1;
    await writeFile(path, flipped);
    await expect(blocks.get(id)).rejects.toMatchObject({ code: 'BLOCK_DAMAGED' });
    expect(await blocks.verify(id)).toBe(false);
  });

  it('leave nothing behind when their content ends with an error, and clear what dead processes left', async () => {
    await using folder = await temporaryFolder();
    const temporary = join(folder.path, 'blocks', 'tmp');
    await mkdir(temporary, { recursive: true });
    await writeFile(join(temporary, 'old'), 'x');
    await utimes(join(temporary, 'old'), 0, 0);
    await writeFile(join(temporary, 'young'), 'x');
    const blocks = lentBlocks(folder.path);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(randomBytes(100_000));
      throw new Error('the sender went away');
    }
    await expect(blocks.put(failing())).rejects.toThrow('the sender went away');
    expect(await readdir(temporary)).toEqual(['young']);
    expect(await all(blocks)).toEqual([]);
  });

  it('are hashed beside the event loop', async () => {
    const content = Buffer.alloc(16 * 1024 * 1024, 7);
    const hash = createHasher()();
    let hashed = false;
    const hashing = hash.update(content).then(() => (hashed = true));
    // On this thread it would be done when nothing is left to do in this turn of the loop; another one can only answer in a later turn.
    await new Promise((resolve) => process.nextTick(resolve));
    expect(hashed).toBe(false);
    await hashing;
    expect(await hash.digest()).toBe(createHash('sha3-512').update(content).digest('hex'));
  });

  it('meet a full disk with a clear error', { tags: 'thorough' }, async () => {
    await using folder = await temporaryFolder();
    await using program = await bundle('test/support/block-filler.ts');
    const { stdout } = await execa('/bin/sh', [
      '-c',
      'ulimit -f 200; exec "$0" "$@"',
      process.execPath,
      program.path,
      folder.path,
    ]);
    expect(stdout).toBe('small true\nlarge STORE_FULL\nsealed STORE_FULL\nleft 0\nsmall true');
  });
});
