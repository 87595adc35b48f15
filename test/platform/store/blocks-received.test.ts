import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { nodeFiles } from '../../../src/platform/store/files.ts';
import { bundle } from '../../support/bundle.ts';
import { temporaryFolder } from '../../support/stores.ts';

const content = randomBytes(500_000);
const id = createHash('sha3-512').update(content).digest('hex');

describe('blocks that are received', () => {
  it('become blocks when their content has the hash, also over several runs', async () => {
    await using folder = await temporaryFolder();
    const announced: string[] = [];
    for (let run = 0; run < 5; run += 1) {
      await using incoming = await lentBlocks(folder.path).receive(id);
      expect(incoming.size).toBe(run * 100_000);
      for (let at = incoming.size; at < (run + 1) * 100_000; at += 10_000)
        await incoming.append(content.subarray(at, at + 10_000));
      expect(await lentBlocks(folder.path).head(id)).toBeUndefined();
      if (run < 4) continue;
      expect(await incoming.finish(async () => void announced.push(id))).toBe(true);
    }
    const blocks = lentBlocks(folder.path);
    expect(Buffer.from(await blocks.get(id)).equals(content)).toBe(true);
    expect(announced).toEqual([id]);
    expect(await readdir(join(folder.path, 'blocks', 'tmp'))).toEqual([]);
  });

  it('are thrown away when the hash is another, and can begin again', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    {
      await using incoming = await blocks.receive(id);
      await incoming.append(content.subarray(1));
      expect(await incoming.finish(() => Promise.reject(new Error('announced')))).toBe(false);
      await expect(incoming.append(content)).rejects.toThrow('finished');
    }
    expect(await readdir(join(folder.path, 'blocks', 'tmp'))).toEqual([]);
    await using again = await blocks.receive(id);
    await again.append(randomBytes(70_000));
    await again.restart();
    expect(again.size).toBe(0);
    await again.append(content);
    expect(await again.finish()).toBe(true);
    expect(await blocks.verify(id)).toBe(true);
  });

  it('are received by one at a time, and the next one goes on', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    const first = await blocks.receive(id);
    let begun = false;
    const second = blocks.receive(id).then((incoming) => {
      begun = true;
      return incoming;
    });
    await first.append(content.subarray(0, 1_000));
    expect(begun).toBe(false);
    await first[Symbol.asyncDispose]();
    await using next = await second;
    expect(next.size).toBe(1_000);
    await expect(blocks.receive('../x')).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  });

  it('that nobody goes on with are cleared away after a day', async () => {
    await using folder = await temporaryFolder();
    const blocks = lentBlocks(folder.path);
    await (await blocks.receive(id))[Symbol.asyncDispose]();
    const path = join(folder.path, 'blocks', 'tmp', `${id}.part`);
    await writeFile(path, content.subarray(0, 10));
    await lentBlocks(folder.path).put(randomBytes(10));
    expect((await readFile(path)).length).toBe(10);
    const [yesterday] = [(Date.now() - 25 * 3_600_000) / 1000];
    await utimes(path, yesterday ?? 0, yesterday ?? 0);
    await lentBlocks(folder.path).put(randomBytes(10));
    expect(await readdir(join(folder.path, 'blocks', 'tmp'))).toEqual([]);
  });

  it('on a full disk keep what was there before', async () => {
    await using folder = await temporaryFolder();
    let full = false;
    const open: typeof nodeFiles.open = async (...how) => {
      const file = await nodeFiles.open(...how);
      const write = file.write.bind(file) as (...all: unknown[]) => Promise<unknown>;
      file.write = (async (bytes: Uint8Array, from: number) => {
        if (!full) return await write(bytes, from);
        await write(bytes, from, 10);
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      }) as typeof file.write;
      return file;
    };
    const blocks = lentBlocks(folder.path, { ...nodeFiles, open });
    {
      await using incoming = await blocks.receive(id);
      await incoming.append(content.subarray(0, 200_000));
      full = true;
      await expect(incoming.append(content.subarray(200_000))).rejects.toMatchObject({ code: 'STORE_FULL' });
    }
    full = false;
    await using incoming = await blocks.receive(id);
    expect(incoming.size).toBe(200_000);
    await incoming.append(content.subarray(200_000));
    expect(await incoming.finish()).toBe(true);
  });

  it('go on after a process that received them was killed', async () => {
    await using program = await bundle('test/support/block-receiver.ts');
    await using folder = await temporaryFolder();
    const [from, path] = [join(folder.path, 'content'), join(folder.path, 'store')];
    await writeFile(from, content);
    let had = 0;
    for (let kill = 0; kill < 3; kill += 1) {
      const receiving = execa(process.execPath, [program.path, path, id, from], { reject: false });
      // Each line tells how much has arrived; the process never ends by itself.
      receiving.stdout.on('data', (lines: Buffer) => {
        const [told = ''] = lines.toString().trim().split('\n').slice(-1);
        if (Number(told) <= had && Number(told) < content.length) return;
        had = Number(told);
        receiving.kill('SIGKILL');
      });
      expect((await receiving).signal).toBe('SIGKILL');
      await using incoming = await lentBlocks(path).receive(id);
      expect(incoming.size).toBeGreaterThanOrEqual(had);
      had = incoming.size;
    }
    const blocks = lentBlocks(path);
    await using incoming = await blocks.receive(id);
    await incoming.append(content.subarray(incoming.size));
    expect(await incoming.finish()).toBe(true);
    expect(await blocks.verify(id)).toBe(true);
  });
});
