import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localNames } from '../../src/cli/files/transfer/local-names.ts';
import { persistently } from '../../src/cli/files/transfer/patience.ts';
import { receiveFile } from '../../src/cli/files/transfer/receiving.ts';
import { slots } from '../../src/cli/files/transfer/slots.ts';
import type { Range, Source } from '../../src/cli/files/transfer/source.ts';
import { describeProgress } from '../../src/cli/kit/waiting.ts';
import { pacer } from '../../src/cli/kit/pace.ts';
import { Problem } from '../../src/base/problem.ts';
import { temporaryFolder } from '../support/stores.ts';

const MiB = 1024 ** 2;
const lost = (): Problem => new Problem('network', 'NETWORK', 'The server is gone.');

/** A file of a server that can go away. */
function sourceOf(content: Uint8Array, tag = createHash('sha256').update(content).digest('hex')) {
  const state = { asked: [] as Range[], breaksAt: Number.POSITIVE_INFINITY };
  const source: Source = {
    size: content.length,
    tag,
    async *read({ start, end }) {
      state.asked.push({ start, end });
      for (let at = start; at < end; at += MiB) {
        if (at >= state.breaksAt) throw lost();
        yield content.subarray(at, Math.min(end, at + MiB));
      }
    },
  };
  return { state, source };
}

async function receive(source: Source, path: string, delays: readonly number[] = []): Promise<number> {
  let moved = 0;
  const receiving = { slots: slots(), delays, moved: (bytes: number) => void (moved += bytes) };
  await receiveFile(receiving, { source, path, modifiedAt: 1_700_000_000_123, mayReplace: async () => false });
  return moved;
}

describe('a file that is received in ranges', () => {
  it('goes on with what is proven to be there, and not with what was damaged', async () => {
    await using folder = await temporaryFolder();
    const content = randomBytes(30 * MiB);
    const path = join(folder.path, 'large.bin');
    const { state, source } = sourceOf(content);
    state.breaksAt = 20 * MiB;
    await expect(receive(source, path)).rejects.toMatchObject({ code: 'NETWORK' });
    expect((await readdir(folder.path)).toSorted()).toEqual(['large.bin.part', 'large.bin.part.log']);
    {
      await using part = await open(`${path}.part`, 'r+');
      await part.write(Buffer.from('damage'), 0, 6, 9 * MiB);
    }
    Object.assign(state, { breaksAt: Number.POSITIVE_INFINITY, asked: [] });
    expect(await receive(source, path)).toBe(30 * MiB);
    // The first range is there; the second one was damaged, and the others had not arrived.
    expect(state.asked.map(({ start }) => start / MiB).toSorted((one, other) => one - other)).toEqual([8, 16, 24]);
    expect((await readFile(path)).equals(content)).toBe(true);
    expect(Math.floor((await stat(path)).mtimeMs)).toBe(1_700_000_000_123);
    expect(await readdir(folder.path)).toEqual(['large.bin']);
  });

  it('begins anew when the file has changed, and leaves alone what it did not make', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'a');
    const first = sourceOf(randomBytes(20 * MiB));
    first.state.breaksAt = 12 * MiB;
    await expect(receive(first.source, path)).rejects.toMatchObject({ code: 'NETWORK' });
    const content = randomBytes(20 * MiB);
    const second = sourceOf(content);
    await receive(second.source, path);
    expect(second.state.asked).toHaveLength(3);
    expect((await readFile(path)).equals(content)).toBe(true);
    await expect(receive(second.source, path)).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    await writeFile(join(folder.path, 'b.part'), 'of somebody');
    await receive(second.source, join(folder.path, 'b'));
    expect(await readFile(join(folder.path, 'b.part'), 'utf8')).toBe('of somebody');
    expect((await readdir(folder.path)).toSorted()).toEqual(['a', 'b', 'b.part']);
  });

  it('goes on inside of a range when the server comes back', async () => {
    await using folder = await temporaryFolder();
    const content = randomBytes(8 * MiB);
    const { state, source } = sourceOf(content);
    state.breaksAt = 5 * MiB;
    const read = source.read.bind(source);
    const healing: Source = {
      ...source,
      async *read(range) {
        if (state.asked.length > 0) state.breaksAt = Number.POSITIVE_INFINITY;
        yield* read(range);
      },
    };
    await receive(healing, join(folder.path, 'c'), [1, 1]);
    expect(state.asked.map(({ start }) => start)).toEqual([0, 5 * MiB]);
    expect((await readFile(join(folder.path, 'c'))).equals(content)).toBe(true);
  });
});

describe('patience', () => {
  it('is for what passes, and as long as the server asks for', async () => {
    let tries = 0;
    const failing = (error: Problem, times: number) => async (): Promise<number> => {
      tries += 1;
      if (tries <= times) throw error;
      return tries;
    };
    expect(await persistently(failing(lost(), 2), { delays: [1, 1] })).toBe(3);
    tries = 0;
    await expect(persistently(failing(lost(), 9), { delays: [1, 1] })).rejects.toMatchObject({ code: 'NETWORK' });
    expect(tries).toBe(3);
    tries = 0;
    await expect(
      persistently(failing(new Problem('forbidden', 'FORBIDDEN', 'no'), 9), { delays: [1] }),
    ).rejects.toThrow('no');
    expect(tries).toBe(1);
    tries = 0;
    const full = new Problem('tooMany', 'RATE_LIMITED', 'wait', { retryAfterSeconds: 3_600 });
    await expect(persistently(failing(full, 9), { delays: [1] })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(tries).toBe(1);
  });
});

describe('the bar', () => {
  it('has speed and time left, of what this run moves', () => {
    let now = 0;
    const paceOf = pacer(() => now);
    const at = (done: number) =>
      ({ what: 'sending', unit: 'bytes', done, before: 512 * MiB, total: 1024 * MiB }) as const;
    expect(paceOf(at(512 * MiB))).toBeUndefined();
    now = 4_000;
    const progress = at(562 * MiB);
    expect(describeProgress(progress, paceOf(progress))).toBe(
      '███████░░░░░  54 %  sending 562 MiB of 1.0 GiB, 13 MiB/s, 37 s left',
    );
  });

  it('names things of one folder apart', () => {
    expect(
      localNames([
        { name: 'a:b', id: '1' },
        { name: 'a?b', id: '2' },
      ]),
    ).toEqual(['a_b', 'a_b-2']);
  });
});
