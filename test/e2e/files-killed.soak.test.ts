import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lookLater } from './files-look.ts';
import { foundVault, Killed, sha256, startFilesServer, type FilesServer, type Place } from './files-server.ts';
import { faultsOf } from '../services/filevault/faults.ts';
import { rounds } from '../support/stage.ts';
import { testRandom } from '../support/seeded.ts';
import { createPostgresDatabase, engines, temporaryFolder } from '../support/stores.ts';

/** What the clients were told. */
interface Told {
  /** by id of the file: the hash of its current content, and of its versions by number */
  readonly files: Map<string, { hash: string; versions: Map<string, string> }>;
  readonly destroyed: Set<string>;
  /** files that somebody was changing when the server was killed, with the hashes that they may have now */
  readonly unsure: Map<string, Set<string>>;
  /** uploads of two chunks, of which the second one is there */
  readonly uploads: string[];
}

interface Vault {
  readonly containerId: string;
  readonly rootId: string;
}

/** After so many kills, what they left unsure is looked at, and so many files of before. At the end, everything is. */
const LOOK = 4;
const EARLIER = 6;

const sizes = [1, 1_000, 32_768, 32_769, 70_000, 400_000];

/** Stores a content, as a new file or as a version of one, and notes what is acknowledged. Returns the file. */
async function store(
  server: FilesServer,
  vault: Vault,
  told: Told,
  content: Buffer,
  replaces?: string,
): Promise<string> {
  const hash = sha256(content);
  if (replaces !== undefined) unsureOf(told, replaces).add(hash);
  const { sessionId } = await server.ask('POST', '/upload/init', {
    // not named by their hash: of contents of one byte there are 256
    fileName: `${randomUUID()}.bin`,
    mimeType: 'application/octet-stream',
    totalSizeBytes: content.length,
    targetFolderId: vault.rootId,
    vaultContainerId: vault.containerId,
    ...(replaces !== undefined && { targetFileId: replaces }),
  });
  const path = `/filevault/upload/${sessionId}/chunk/0`;
  const headers = { 'content-type': 'application/octet-stream' };
  const { status } = await server.fetch(path, { method: 'PUT', headers, body: Uint8Array.from(content) });
  if (status !== 200) throw new Error(`a chunk was answered ${status}`);
  const [one, other] = await Promise.all(
    [1, 2].map(async () => await server.ask('POST', `/upload/${sessionId}/finalize`, {})),
  );
  if (one.fileId !== other.fileId) throw new Error('two answers of one upload differ');
  const file = told.files.get(one.fileId) ?? { hash, versions: new Map() };
  told.files.set(one.fileId, file);
  file.hash = hash;
  file.versions.set(one.metadata.currentVersionId, hash);
  if (replaces !== undefined) told.unsure.delete(replaces);
  return one.fileId;
}

/** Begins an upload of two chunks, and sends the second. */
async function beginLarge(server: FilesServer, vault: Vault, told: Told): Promise<void> {
  const { sessionId, chunkSize } = await server.ask('POST', '/upload/init', {
    fileName: `${randomUUID()}.bin`,
    mimeType: 'application/octet-stream',
    totalSizeBytes: 8 * 1024 ** 2 + 50_000,
    targetFolderId: vault.rootId,
    vaultContainerId: vault.containerId,
  });
  if (chunkSize !== 8 * 1024 ** 2) throw new Error(`chunks of ${chunkSize} bytes`);
  const headers = { 'content-type': 'application/octet-stream' };
  const body = Uint8Array.from(randomBytes(50_000));
  const { status } = await server.fetch(`/filevault/upload/${sessionId}/chunk/1`, { method: 'PUT', headers, body });
  if (status !== 200) throw new Error(`a chunk was answered ${status}`);
  told.uploads.push(sessionId);
}

function unsureOf(told: Told, id: string): Set<string> {
  const known = told.unsure.get(id) ?? new Set([told.files.get(id)!.hash]);
  told.unsure.set(id, known);
  return known;
}

async function restore(server: FilesServer, told: Told, id: string): Promise<void> {
  const file = told.files.get(id)!;
  const [versionId, hash] = [...file.versions][0]!;
  unsureOf(told, id).add(hash);
  const { currentVersionId } = await server.ask('POST', `/files/${id}/versions/${versionId}/restore`, {});
  file.hash = hash;
  file.versions.set(currentVersionId, hash);
  told.unsure.delete(id);
}

async function destroy(server: FilesServer, told: Told, id: string): Promise<void> {
  unsureOf(told, id).add('destroyed');
  await server.ask('POST', `/destroy/${id}`);
  told.destroyed.add(id);
  told.unsure.delete(id);
  told.files.delete(id);
}

/**
 * Some clients at once, each with files of its own, until the server is gone.
 * @param onStored hears of every file that was acknowledged
 * @param onBegun hears of the upload of two chunks
 */
async function burst(
  server: FilesServer,
  vault: Vault,
  told: Told,
  { random, onStored, onBegun }: { random: () => number; onStored: () => void; onBegun: () => void },
): Promise<void> {
  const client = async (): Promise<void> => {
    const mine: string[] = [];
    for (;;) {
      mine.push(await store(server, vault, told, randomBytes(sizes[Math.floor(random() * sizes.length)]!)));
      onStored();
      const id = mine[Math.floor(random() * mine.length)]!;
      if (random() < 0.5)
        await store(server, vault, told, randomBytes(sizes[Math.floor(random() * sizes.length)]!), id);
      if (random() < 0.5) await restore(server, told, id);
      if (random() < 0.3) {
        mine.splice(mine.indexOf(id), 1);
        await destroy(server, told, id);
      }
    }
  };
  const ends = await Promise.allSettled([
    client(),
    client(),
    client(),
    beginLarge(server, vault, told).then(onBegun).then(client),
  ]);
  for (const end of ends) if (end.status === 'rejected' && !(end.reason instanceof Killed)) throw end.reason;
}

/**
 * Everything that was acknowledged is there, and what was under way is one of the two.
 * @param earlier so many of the earlier files, destroyed ones and uploads are asked for
 */
async function assertTold(server: FilesServer, told: Told, { earlier }: { earlier: number }): Promise<void> {
  const hashOf = async (path: string): Promise<string> => {
    const { status, bytes } = await server.fetch(`/filevault${path}`);
    if (status === 200) return sha256(bytes);
    return status === 410 ? 'destroyed' : `${status} ${bytes.toString()}`;
  };
  for (const id of [...told.destroyed].slice(-earlier))
    expect([id, await hashOf(`/files/${id}`)]).toEqual([id, 'destroyed']);
  for (const [id, possible] of told.unsure) {
    const now = await hashOf(`/files/${id}`);
    expect([...possible]).toContain(now);
    if (now === 'destroyed') {
      told.destroyed.add(id);
      told.files.delete(id);
    } else told.files.get(id)!.hash = now;
  }
  told.unsure.clear();
  for (const sessionId of told.uploads.slice(-earlier)) {
    const { chunksReceived, missing } = await server.ask('GET', `/upload/${sessionId}/status`);
    expect([sessionId, chunksReceived, missing]).toEqual([sessionId, 1, '0']);
  }
  for (const [id, { hash, versions }] of [...told.files].slice(-earlier)) {
    expect([id, await hashOf(`/files/${id}`)]).toEqual([id, hash]);
    for (const [version, wanted] of versions)
      expect([id, version, await hashOf(`/files/${id}/versions/${version}/download`)]).toEqual([id, version, wanted]);
  }
}

/** What a check of the store would complain about: rows without blocks, blocks without rows, sums that are wrong. */
async function assertWhole(place: Place, told: Told): Promise<void> {
  const found = await lookLater(place);
  expect(found.missing).toEqual([]);
  expect(found.stray).toEqual([]);
  expect(found.counted).toEqual(found.right);
  expect(found.unfinished).toBe(0);
  expect(found.waiting).toEqual([]);
  for (const id of told.destroyed) expect(found.contents).not.toContain(id);
  const left = await readdir(join(place.dataDir, 'blocks', 'tmp')).catch(() => []);
  expect(left).toEqual([]);
  expect((await readdir(place.dataDir)).filter((name) => name.startsWith('erasure.keys.'))).toEqual([]);
}

describe.each(engines)('check 25, a server that is killed while files come and go on %s', (engine) => {
  it('has all that it acknowledged, and nothing else', { timeout: 1_800_000 }, async () => {
    await using folder = await temporaryFolder();
    await using database = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
    const env = { CONCLAVE_RATE_LIMITS: 'off', ...(database && { CONCLAVE_DATABASE: database.url }) };
    const place = await foundVault(folder.path, env);
    const told: Told = { files: new Map(), destroyed: new Set(), unsure: new Map(), uploads: [] };
    const random = testRandom();
    let vault: Vault | undefined;
    // 200 of both engines
    const kills = rounds(8, engine === 'postgres' ? 50 : 150);
    let acknowledged = 0;
    for (let count = 0; count < kills; count += 1) {
      await using server = await startFilesServer(place);
      if (vault === undefined) {
        const made = await server.ask('POST', '/vaults', { name: 'Home' });
        vault = { containerId: made.id, rootId: made.rootFolderId };
      }
      // Looking at everything again after every kill would take most of the time.
      if (count % LOOK === 0) await assertTold(server, told, { earlier: EARLIER });
      const kill = (): void => void setTimeout(() => server.kill(), 30 + random() * 400);
      // Most are killed in the middle of it, however slow the machine is.
      const isEarly = random() < 0.2;
      if (isEarly) kill();
      const awaited = new Set(['a file', 'an upload']);
      const happened = (what: string): void => {
        if (awaited.delete(what) && awaited.size === 0 && !isEarly) kill();
      };
      const onStored = (): void => {
        acknowledged += 1;
        happened('a file');
      };
      await burst(server, vault, told, { random, onStored, onBegun: () => happened('an upload') });
    }
    {
      await using server = await startFilesServer(place);
      await assertTold(server, told, { earlier: Number.POSITIVE_INFINITY });
      // A full check opens every block.
      const check = `/vaults/${vault!.containerId}/check`;
      expect(await faultsOf('full', async (body) => await server.ask('POST', check, body))).toEqual([]);
    }
    await assertWhole(place, told);
    expect(acknowledged).toBeGreaterThan(kills / 2);
    expect(told.uploads.length).toBeGreaterThan(kills / 4);
  });
});
