import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginMessage, CHUNK, sealMessage } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { giveAway, giveOn } from '../../../src/base/given-pieces.ts';
import { createBlockThreads } from '../../../src/platform/store/blocks/block-threads.ts';
import { sealFile, type Sealing } from '../../../src/platform/store/blocks/seal-file.ts';
import { nodeFiles } from '../../../src/platform/store/files.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { temporaryFolder } from '../../support/stores.ts';

const SEGMENT = CHUNK.segmentBytes;
const sealed = { key: randomBytes(32), context: randomBytes(10), salt: randomBytes(24) };
const messageOf = (content: Uint8Array) => sealMessage(sealed.key, sealed.context, sealed.salt, content);
const digestOf = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest();

function sealing(accept: Sealing['accept'] = () => undefined, checksums = ['sha256']): Sealing {
  return { ...beginMessage(sealed.key, sealed.context, sealed.salt), checksums, accept };
}

/** The same memory each time, as readers of files do it. */
async function* reused(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let start = 0; start < content.length; start += size) {
    const piece = content.subarray(start, start + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

async function* each(pieces: readonly Uint8Array[], failure?: Error): AsyncGenerator<Uint8Array> {
  yield* pieces;
  if (failure !== undefined) throw failure;
}

describe('a content that is encrypted while it is stored', () => {
  it.each([
    ...[0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT].flatMap((size) => [
      [size, 1],
      [size, SEGMENT],
    ]),
    [100_000, 7],
    [1_000_000, 9973],
    [16 * SEGMENT, 16 * SEGMENT],
    [1_000_000, 65_536],
    [3_000_001, 1_000_000],
  ])('is the message of %i bytes in pieces of %i, with its checksums', async (size, piece) => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const content = randomBytes(size);
    const message = messageOf(content);
    let sums: readonly Uint8Array[] = [];
    let announced = '';
    const accept = (digests: readonly Uint8Array[]): void => {
      expect(announced).toBe('');
      sums = digests;
    };
    const { id, ...rest } = await blocks.put(
      reused(content, piece),
      async (block) => void (announced = block),
      sealing(accept, ['sha256', 'sha3-512']),
    );
    expect(rest).toEqual({ size: message.length, created: true });
    expect([id, id]).toEqual([digestOf('sha3-512', message).toString('hex'), announced]);
    expect(Buffer.compare(await blocks.get(id), message)).toBe(0);
    expect(sums.map((sum) => Buffer.from(sum))).toEqual([digestOf('sha256', content), digestOf('sha3-512', content)]);
  });

  it('comes with others at the same time', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const contents = Array.from({ length: 12 }, (_, index) => randomBytes(200_000 * (index % 5) + index));
    const ids = await Promise.all(
      contents.map(async (content, index) => {
        return (await blocks.put(reused(content, 500 + 9_000 * (index % 5)), undefined, sealing())).id;
      }),
    );
    const messages = contents.map(messageOf);
    expect(ids).toEqual(messages.map((message) => digestOf('sha3-512', message).toString('hex')));
    for (const [at, id] of ids.entries()) expect(Buffer.compare(await blocks.get(id), messages[at]!)).toBe(0);
  });

  it('keeps its memory unless it was given away, and what lies beside a piece always', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const pieces = Array.from({ length: 5 }, () => new Uint8Array(randomBytes(100_000)));
    const beside = new Uint8Array(randomBytes(100_000));
    const all = [...pieces, beside.subarray(0, 50_000)];
    const copies = all.map((piece) => Buffer.from(piece));
    const whole = messageOf(Buffer.concat(copies));
    const put = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
      const { id } = await blocks.put(content, undefined, sealing());
      expect(Buffer.compare(await blocks.get(id), whole)).toBe(0);
      await blocks.delete(id);
    };
    await put(each(all));
    await put(giveOn(each(all), each(all)));
    for (const [at, copy] of copies.entries()) expect(Buffer.compare(all[at]!, copy)).toBe(0);
    const given = giveAway(each(all));
    await put(giveOn(given, given));
    expect(pieces.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
    expect(Buffer.compare(beside.subarray(0, 50_000), copies[5]!)).toBe(0);
    expect(beside).toHaveLength(100_000);
  });

  it.each([
    ['is refused', new Error('the checksum is wrong'), undefined],
    ['breaks off', undefined, new Error('the sender went away')],
  ])('leaves nothing when it %s', async (_, refusal, failure) => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const accept = (): void => {
      if (refusal !== undefined) throw refusal;
    };
    const content = each([randomBytes(500_000), randomBytes(1)], failure);
    const announce = async (): Promise<void> => expect.unreachable();
    await expect(blocks.put(content, announce, sealing(accept))).rejects.toBe(refusal ?? failure);
    expect(await readdir(join(folder.path, 'blocks'))).toEqual(['tmp']);
    expect(await readdir(join(folder.path, 'blocks', 'tmp'))).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('meets a full disk in the thread with a clear error', async () => {
    await using folder = await temporaryFolder();
    const full = { ...nodeFiles, open: async () => await open('/dev/full', 'w') };
    for (const size of [1, 2_000_000]) {
      const put = lentBlocks(folder.path, full).put(each([randomBytes(size)]), undefined, sealing());
      await expect(put).rejects.toMatchObject({ code: 'STORE_FULL', cause: { code: 'ENOSPC', syscall: 'write' } });
    }
  });

  it('is not stored in part when a thread can not be asked, which memory that is given twice does', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    // Of whole segments: the rest of the message is in order without them.
    const twice = new Uint8Array(randomBytes(4 * SEGMENT));
    await expect(blocks.put(giveAway(each([twice, twice])), undefined, sealing())).rejects.toThrow(
      'duplicate ArrayBuffer',
    );
    const { id } = await blocks.put(each([twice]), undefined, sealing());
    expect(Buffer.compare(await blocks.get(id), messageOf(twice))).toBe(0);
  });

  it('is written by nobody any more when it has failed', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'file');
    await using file = await open(path, 'wx');
    const job = createBlockThreads(1)();
    const pieces = Array.from({ length: 8 }, () => randomBytes(1_000_000));
    const failure = new Error('the sender went away');
    await expect(sealFile(file, each(pieces, failure), sealing(), job)).rejects.toBe(failure);
    const left = await readFile(path);
    expect(Buffer.compare(left, messageOf(Buffer.concat(pieces)).subarray(0, left.length))).toBe(0);
    // A thread answers in order, so it has done everything before.
    await job.digest();
    expect(await readFile(path)).toHaveLength(left.length);
  });

  it.each([
    ['throws', "throw new Error('no memory')", 'no memory'],
    ['ends', 'process.exit(1)', 'the thread of blocks has ended'],
  ])('fails when its thread %s, and the next one gets another thread', async (_, statement, message) => {
    await using folder = await temporaryFolder();
    const dying = `require('node:worker_threads').parentPort.on('message', ([what]) => { if (what === 'seal') ${statement}; });`;
    const startJob = createBlockThreads(1, dying);
    for (const name of ['one', 'other']) {
      await using file = await open(join(folder.path, name), 'wx');
      const pieces = Array.from({ length: 8 }, () => randomBytes(1_000_000));
      const job = startJob();
      await expect(sealFile(file, each(pieces), sealing(), job)).rejects.toThrow(message);
      await expect(job.digest()).rejects.toThrow(message);
      job.close();
    }
  });
});
