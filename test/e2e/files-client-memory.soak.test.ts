import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { programOnNode } from '../support/program.ts';
import { foundVault, startFilesServer } from './files-server.ts';

const MEBIBYTE = 1024 ** 2;
const SIZE = 512 * MEBIBYTE;
/** What a transfer may take beside what the program takes to say its version: buffers, and code. It took 36 to 44. */
const MOST_MEBIBYTES = 120;

/** Written when a process ends, whatever it did. */
const probe = `process.on('exit', () => require('node:fs').writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));`;

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** In memory where there is room, because it is written four times. */
async function roomyFolder(): Promise<string> {
  const space = await statfs('/dev/shm').catch(() => undefined);
  const hasRoom = space !== undefined && space.bavail * space.bsize > 6 * SIZE;
  return await mkdtemp(join(hasRoom ? '/dev/shm' : tmpdir(), 'conclave-memory-'));
}

describe('the memory of commands', () => {
  it('does not grow with the file that they move', { tags: 'needs-node-options', timeout: 600_000 }, async () => {
    const folder = await roomyFolder();
    try {
      const place = await foundVault(join(folder, 'data'), { CONCLAVE_RATE_LIMITS: 'off' });
      await using server = await startFilesServer(place);
      await server.ask('POST', '/vaults', { name: 'Home' });
      const local = join(folder, 'local');
      for (const name of [local, join(folder, 'pulled')]) await mkdir(name);
      const path = join(local, 'large.bin');
      {
        // Mostly holes, and different in every chunk.
        await using file = await open(path, 'w');
        await file.truncate(SIZE);
        for (let at = 0; at < SIZE; at += 4 * MEBIBYTE) await file.write(randomBytes(1_000), 0, 1_000, at + 12_345);
      }
      const wanted = await hashOf(createReadStream(path) as AsyncIterable<Uint8Array>);
      await writeFile(join(folder, 'probe.cjs'), probe);
      const peakFile = join(folder, 'peak');
      const env = {
        PATH: process.env['PATH'],
        HOME: folder,
        TMPDIR: folder,
        CONCLAVE_SERVER: server.url,
        CONCLAVE_TOKEN: place.token,
        PEAK_FILE: peakFile,
      };
      const run = (words: readonly string[]) =>
        execa(...programOnNode(['--require', join(folder, 'probe.cjs')], ...words), {
          env,
          extendEnv: false,
          cwd: folder,
          stdin: 'ignore',
          buffer: words[1] !== 'cat',
        });
      const peak = async (): Promise<number> => Number(await readFile(peakFile, 'utf8')) / 1024;
      await run(['--version']);
      const least = await peak();
      const grown: Record<string, number> = {};
      const measure = async (words: readonly string[]): Promise<void> => {
        const child = run(words);
        if (words[1] === 'cat') expect(await hashOf(child.stdout as AsyncIterable<Uint8Array>)).toBe(wanted);
        await child;
        grown[words.slice(1).join(' ')] = Math.round((await peak()) - least);
        await rm(peakFile);
      };
      await measure(['files', 'put', 'local/large.bin', 'Home:/put.bin']);
      await measure(['files', 'get', 'Home:/put.bin', 'got.bin']);
      expect(await hashOf(createReadStream(join(folder, 'got.bin')) as AsyncIterable<Uint8Array>)).toBe(wanted);
      await rm(join(folder, 'got.bin'));
      await measure(['files', 'cat', 'Home:/put.bin']);
      await run(['files', 'mkdir', 'Home:/Synced']);
      await measure(['files', 'sync', 'local', 'Home:/Synced']);
      await measure(['files', 'sync', 'Home:/Synced', 'pulled']);
      const pulled = createReadStream(join(folder, 'pulled', 'large.bin')) as AsyncIterable<Uint8Array>;
      expect(await hashOf(pulled)).toBe(wanted);
      expect(Object.keys(grown)).toHaveLength(5);
      for (const [words, mebibytes] of Object.entries(grown))
        expect([words, mebibytes, mebibytes < MOST_MEBIBYTES]).toEqual([words, mebibytes, true]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
