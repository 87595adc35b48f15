// How many files of 1 KiB are stored a second over 32 connections, each in three durable steps; what metadata costs over a bare h3 handler;
// and how long a folder of 100,000 files takes to list and to search, and the rights of a member 20 folders deep.
// Run after `npm run build`: npx tsx scripts/bench/files-requests.ts [--seconds 10] [--files 100000] [--database URL]
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openVault, upload, type Vault } from './files-client.ts';
import { fillFolder, nameOf } from './fill-files.ts';
import { load, wireRequest } from './load-result.ts';
import { initMail } from './mail-store.ts';
import { startBare, startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';
import { headOf, openWire, type Wire } from './wire.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    files: { type: 'string', default: '100000' },
    database: { type: 'string' },
  },
});
const [seconds, rounds, files] = [values.seconds, values.rounds, values.files].map(Number) as [number, number, number];
const CONNECTIONS = 32;
const DEPTH = 20;
const content = randomBytes(1024);

interface Result {
  readonly what: string;
  readonly value: string;
  readonly bound: string;
  readonly kept: boolean;
}

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const results: Result[] = [];
try {
  const dataDir = join(folder, 'data');
  const database = values.database === undefined ? {} : { CONCLAVE_DATABASE: values.database };
  const env = { ...initMail(dataDir, database), CONCLAVE_LOG_LEVEL: 'error', CONCLAVE_RATE_LIMITS: 'off' };
  let filled: Pick<Vault, 'containerId' | 'rootId'>;
  {
    await using server = await startConclave(dataDir, env);
    const vault = await openVault(server.port, dataDir);
    results.push(await smallFiles(vault), await metadata(vault), await rights(vault));
    filled = await openVault(server.port, dataDir);
  }
  if (values.database === undefined) {
    const { containerId, rootId: folderId } = filled;
    await fillFolder(dataDir, { containerId, folderId }, files);
    await using server = await startConclave(dataDir, env);
    const { port, token } = await openVault(server.port, dataDir);
    results.push(...(await lists({ port, token, folderId, containerId })));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
printTable(
  ['', 'measured', 'bound', ''],
  results.map(({ what, value, bound, kept }) => [what, value, bound, kept ? 'ok' : 'MISSED']),
);
if (results.some(({ kept }) => !kept)) process.exitCode = 1;

/** Each connection stores one file after another: begin, the one chunk, finish. */
async function smallFiles(vault: Vault): Promise<Result> {
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
  await forSome(3);
  stored = 0;
  const began = performance.now();
  await forSome(seconds);
  const rate = (stored * 1000) / (performance.now() - began);
  const what = `files of 1 KiB, ${CONNECTIONS} connections`;
  return { what, value: `${rate.toFixed(0)} a second`, bound: '≥ 300', kept: rate >= 300 };
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

async function metadata(vault: Vault): Promise<Result> {
  const id = await upload(vault, { name: 'read often', size: content.length, atOnce: 1 }, () => content);
  const request = wireRequest('GET', `/filevault/files/${id}/metadata`, { authorization: `Bearer ${vault.token}` });
  const body = JSON.stringify(await vault.ask('GET', `/files/${id}/metadata`));
  await using bare = await startBare(body);
  const rates = { mine: [] as number[], bare: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const one = await load({ port: vault.port, connections: CONNECTIONS, seconds: 3, request });
    const other = await load({ port: bare.port, connections: CONNECTIONS, seconds: 3, request });
    if (round < 0) continue;
    rates.mine.push(one.perSecond);
    rates.bare.push(other.perSecond);
  }
  const ratio = median(rates.mine.map((rate, at) => rate / (rates.bare[at] ?? Number.NaN)));
  const value = `${ratio.toFixed(2)} (${median(rates.mine).toFixed(0)}/s, bare ${median(rates.bare).toFixed(0)}/s)`;
  return { what: 'metadata, to bare h3', value, bound: '≥ 0.4', kept: ratio >= 0.4 };
}

/** The whole request, over HTTP. */
async function rights(vault: Vault): Promise<Result> {
  const owner = (await vault.ask('GET', `/vaults/${vault.containerId}`)) as { ownerId: string };
  let parentFolderId = vault.rootId;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const made = { name: `level ${depth}`, parentFolderId, vaultContainerId: vault.containerId };
    parentFolderId = ((await vault.ask('POST', '/folders', made)) as { id: string }).id;
  }
  using wire = await openWire(vault.port);
  const path = `/filevault/acl/folder/${parentFolderId}/effective/${owner.ownerId}`;
  const took = await timesOf(wire, vault.token, path, 500);
  const what = `effective permissions ${DEPTH} folders deep, with the request`;
  return { what, value: `${took.toFixed(2)} ms`, bound: '< 1 ms', kept: took < 1 };
}

interface Filled {
  readonly port: number;
  readonly token: string;
  readonly folderId: string;
  readonly containerId: string;
}

async function lists({ port, token, folderId, containerId }: Filled): Promise<Result[]> {
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
  const rows: Result[] = [];
  for (const [name, [path, most]] of Object.entries(asked)) {
    const took = await timesOf(wire, token, path, 30);
    const what = `${name}, a folder of ${files} files`;
    rows.push({ what, value: `${took.toFixed(1)} ms`, bound: `< ${most} ms`, kept: took < most });
  }
  return rows;
}

/** @returns the median, in milliseconds */
async function timesOf(wire: Wire, token: string, path: string, count: number): Promise<number> {
  const took: number[] = [];
  for (let round = -Math.floor(count / 5); round < count; round += 1) {
    const began = performance.now();
    const { status, body } = await wire.ask(headOf('GET', path, token));
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${body.toString()}`);
    if (round >= 0) took.push(performance.now() - began);
  }
  return median(took);
}
