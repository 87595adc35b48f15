// How many files of 1 KiB are stored a second over 32 connections, each in three durable steps; what metadata costs over a bare h3 handler;
// and how long a folder of 100,000 files takes to list and to search, and the rights of a member 20 folders deep.
// Run after `npm run build`: npx tsx scripts/bench/files-requests.ts [--seconds 10] [--files 100000] [--engine sqljs] [--small]
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/store/open.ts';
import type { FileNodeRow } from '../../src/platform/store/tables/filevault.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import { inTurns, median, type Measured, ownFolder, ratioOf, report, settings } from './harness.ts';
import { load } from './load.ts';
import { initStore, startBare, startConclave, startEngine } from './server.ts';
import { openVault, upload, type Vault } from './vault-client.ts';
import { headOf, openWire, type Wire, wireRequest } from './wire.ts';

const { seconds, rounds, files, engine } = settings(
  { seconds: 10, rounds: 5, files: 100_000, engine: 'sqljs' },
  { seconds: 1, rounds: 1, files: 2_000 },
);
const CONNECTIONS = 32;
const DEPTH = 20;
/** As many rows as one statement takes. */
const BATCH = 1_000;
const content = randomBytes(1024);

await using folder = await ownFolder();
await using database = await startEngine(engine);
const dataDir = join(folder.path, 'data');
const env = { ...initStore(dataDir, database.env), CONCLAVE_LOG_LEVEL: 'error', CONCLAVE_RATE_LIMITS: 'off' };
report(`Requests of files on ${engine}`, [...(await requests()), ...(await lists())]);

async function requests(): Promise<Measured[]> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  return [await smallFiles(vault), await metadata(vault), await rights(vault)];
}

/** Each connection stores one file after another: begin, the one chunk, finish. */
async function smallFiles(vault: Vault): Promise<Measured> {
  let [stored, next] = [0, 0];
  const store = async (until: number): Promise<void> => {
    using wire = await openWire(vault.port);
    while (performance.now() < until) {
      const target = { targetFolderId: vault.rootId, vaultContainerId: vault.containerId };
      const file = { fileName: `small ${(next += 1)}`, mimeType: 'application/octet-stream', totalSizeBytes: 1024 };
      const { sessionId } = await json(wire, vault, 'POST', '/upload/init', 201, { ...file, ...target });
      const head = headOf('PUT', `/filevault/upload/${sessionId}/chunk/0`, vault.token, content.length);
      const { status } = await wire.ask(head, content);
      if (status !== 200) throw new Error(`a chunk was answered ${status}`);
      await json(wire, vault, 'POST', `/upload/${sessionId}/finalize`, 200, {});
      stored += 1;
    }
  };
  const forSome = async (many: number): Promise<void> => {
    const until = performance.now() + many * 1000;
    await Promise.all(Array.from({ length: CONNECTIONS }, async () => await store(until)));
  };
  // For V8 to compile what is hot.
  await forSome(Math.min(3, seconds));
  stored = 0;
  const began = performance.now();
  await forSome(seconds);
  const value = (stored * 1000) / (performance.now() - began);
  return { what: `files of 1 KiB, ${CONNECTIONS} connections`, value, unit: '/s', atLeast: 300 };
}

async function json(
  wire: Wire,
  { token }: Vault,
  method: string,
  path: string,
  wanted: number,
  body: object,
): Promise<{ readonly sessionId: string }> {
  const text = JSON.stringify(body);
  const request = wireRequest(method, `/filevault${path}`, { authorization: `Bearer ${token}` }, text);
  const answer = await wire.ask(request);
  if (answer.status === wanted) return JSON.parse(answer.body.toString()) as { sessionId: string };
  throw new Error(`${path} was answered ${answer.status}: ${answer.body.toString()}`);
}

async function metadata(vault: Vault): Promise<Measured> {
  const id = await upload(vault, { name: 'read often', size: content.length, atOnce: 1 }, () => content);
  const request = wireRequest('GET', `/filevault/files/${id}/metadata`, { authorization: `Bearer ${vault.token}` });
  const body = JSON.stringify(await vault.ask('GET', `/files/${id}/metadata`));
  await using bare = await startBare(body);
  const rate = async (port: number): Promise<number> =>
    (await load({ port, connections: CONNECTIONS, seconds: Math.min(3, seconds), request })).perSecond;
  const rates = await inTurns(rounds, {
    mine: async () => await rate(vault.port),
    bare: async () => await rate(bare.port),
  });
  const nextTo = `bare h3, ${median(rates.bare).toFixed(0)}/s`;
  const value = median(rates.mine);
  return { what: 'metadata', value, unit: '/s', nextTo, ratio: ratioOf(rates.mine, rates.bare), ratioAtLeast: 0.4 };
}

/** The whole request, over HTTP. */
async function rights(vault: Vault): Promise<Measured> {
  const owner = (await vault.ask('GET', `/vaults/${vault.containerId}`)) as { ownerId: string };
  let parentFolderId = vault.rootId;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const made = { name: `level ${depth}`, parentFolderId, vaultContainerId: vault.containerId };
    parentFolderId = ((await vault.ask('POST', '/folders', made)) as { id: string }).id;
  }
  using wire = await openWire(vault.port);
  const path = `/filevault/acl/folder/${parentFolderId}/effective/${owner.ownerId}`;
  const value = await timeOf(wire, vault.token, path, 500);
  return { what: `effective permissions ${DEPTH} folders deep, with the request`, value, unit: 'ms', atMost: 1 };
}

async function lists(): Promise<Measured[]> {
  const { folderId, containerId } = await filled();
  await using server = await startConclave(dataDir, env);
  const { port, token } = await openVault(server.port, dataDir);
  using wire = await openWire(port);
  const where = `vaultContainerId=${containerId}`;
  const found = encodeURIComponent(nameOf(7).slice(0, 6));
  const asked = {
    'first page': [`/filevault/folders/${folderId}?limit=100`, 20],
    'search for a rare word': [`/filevault/files/search?${where}&query=${found}&limit=20`, 50],
    'search for a word of nearly all': [`/filevault/files/search?${where}&query=photo&limit=20`, 50],
    'search for what is not there': [`/filevault/files/search?${where}&query=nowhere&limit=20`, 50],
    'search in the folder': [`/filevault/files/search?folderId=${folderId}&query=${found}&limit=20`, 50],
  } as const;
  const rows: Measured[] = [];
  for (const [name, [path, most]] of Object.entries(asked)) {
    const value = await timeOf(wire, token, path, 30);
    rows.push({ what: `${name}, a folder of ${files} files`, value, unit: 'ms', atMost: most });
  }
  return rows;
}

/** @returns the median, in milliseconds */
async function timeOf(wire: Wire, token: string, path: string, count: number): Promise<number> {
  const ask = async (): Promise<void> => {
    const { status, body } = await wire.ask(headOf('GET', path, token));
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.toString()}`);
  };
  return median((await inTurns(count, { ask }, { warmUps: Math.floor(count / 5) })).ask);
}

/** The file of an index: one in a thousand is a report, and each has a number of its own. */
function nameOf(index: number): string {
  return `${index % 1_000 === 7 ? 'report' : 'photo'} ${String(index).padStart(6, '0')}.jpg`;
}

/** Makes files without content directly in a folder of its own, for lists and searches. */
async function filled(): Promise<{ readonly folderId: string; readonly containerId: string }> {
  await using server = await startConclave(dataDir, env);
  const { containerId, rootId: folderId } = await openVault(server.port, dataDir);
  await server[Symbol.asyncDispose]();
  await using store = await openDatabase({ dataDir, url: database.url, command: 'a benchmark' });
  const { owner_id: owner } = await store.db
    .selectFrom('file_containers')
    .select('owner_id')
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const now = Date.now();
  const base = { container_id: containerId, parent_id: folderId, description: null, tags: '[]', version_id: null };
  const none = { quorum_governed: 0, visible_watermark: 0, invisible_watermark: 0 } as const;
  const times = { accessed_at: null, deleted_at: null, destruction_at: null, created_at: now, updated_at: now };
  for (let first = 0; first < files; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, files - first) }, (_, at): FileNodeRow => {
      const index = first + at;
      const name = nameOf(index);
      const file = {
        id: `01${index.toString(16).padStart(30, '0')}`,
        kind: 1,
        name,
        name_key: name,
        mime_type: 'image/jpeg',
      } as const;
      const by = { created_by: owner, updated_by: owner };
      return { ...file, ...base, ...none, ...times, ...by, size: 1_000 + index, modified_at: now + index };
    });
    await store.transaction(async (db) => await insertRows(db, 'file_nodes', rows));
  }
  return { folderId, containerId };
}
