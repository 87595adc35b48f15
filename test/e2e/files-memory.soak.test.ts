import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';
import { foundVault, startFilesServer } from './files-server.ts';

const MEBIBYTE = 1024 ** 2;
const CHUNK = 8 * MEBIBYTE;
const CHUNKS = 38;

async function memory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

describe.runIf(process.platform === 'linux')('a server of large files', { tags: 'needs-system' }, () => {
  it('receives and sends a file in memory that does not grow with it', { timeout: 600_000 }, async () => {
    await using folder = await temporaryFolder();
    const place = await foundVault(folder.path, { CONCLAVE_RATE_LIMITS: 'off' });
    await using server = await startFilesServer(place);
    const vault = await server.ask('POST', '/vaults', { name: 'Home' });
    const content = randomBytes(CHUNK);
    const store = async (chunks: number): Promise<string> => {
      const { sessionId } = await server.ask('POST', '/upload/init', {
        fileName: `${chunks} chunks`,
        mimeType: 'application/octet-stream',
        totalSizeBytes: chunks * CHUNK,
        targetFolderId: vault.rootFolderId,
        vaultContainerId: vault.id,
      });
      let next = 0;
      const send = async (): Promise<void> => {
        for (let index = next++; index < chunks; index = next++) {
          const headers = { 'content-type': 'application/octet-stream' };
          const path = `/filevault/upload/${sessionId}/chunk/${index}`;
          expect((await server.fetch(path, { method: 'PUT', headers, body: content })).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 8 }, send));
      return (await server.ask('POST', `/upload/${sessionId}/finalize`, {})).fileId as string;
    };
    // Threads and compiled code are there after the first one.
    await store(8);
    const before = await memory(server.pid, 'VmRSS');
    const id = await store(CHUNKS);
    const afterUpload = await memory(server.pid, 'VmHWM');
    const hash = createHash('sha256');
    let length = 0;
    for await (const piece of await server.stream(`/filevault/files/${id}`)) {
      hash.update(piece);
      length += piece.length;
    }
    const wanted = createHash('sha256');
    for (let index = 0; index < CHUNKS; index += 1) wanted.update(content);
    expect([length, hash.digest('hex')]).toEqual([CHUNKS * CHUNK, wanted.digest('hex')]);
    const peak = await memory(server.pid, 'VmHWM');
    // A server that held the 304 MiB, or half of them, would be far above it. Running from source takes more than the built program.
    expect(afterUpload - before).toBeLessThan(120);
    expect(peak - before).toBeLessThan(120);
  });
});
