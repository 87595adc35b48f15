// How long sealing and unsealing take at the server, in one process and on a fresh embedded store, against the sum of their parts measured
// alone, and how long 255 members hold up the event loop.
//
//   npx tsx scripts/bench/quorum-seal.ts [--rounds 50]
//
// Ends with 1 when a target is missed.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { operatorId } from '../../src/actor.ts';
import { loadConfig } from '../../src/config/load.ts';
import { transaction } from '../../src/context.ts';
import { systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import { generateMnemonic, mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { openDocument, sealDocument, unwrapShare, wrapShare } from '../../src/crypto/quorum/document.ts';
import { openEngine, type Engine } from '../../src/engine.ts';
import { silentLog } from '../../src/log.ts';
import { record } from '../../src/services/quorum/audit/record.ts';
import { holdEpoch } from '../../src/services/quorum/members/epochs.ts';
import { admit } from '../../src/services/quorum/members/membership.ts';
import { printTable } from './table.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const rounds = Number(values.rounds);
const MEBIBYTE = 1024 ** 2;

interface Holder {
  readonly memberId: string;
  readonly mnemonic: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

async function newHolder(): Promise<Holder> {
  const mnemonic = generateMnemonic();
  const { privateKey, publicKey } = deriveIdentity(await mnemonicToSeed(mnemonic));
  return { memberId: memberIdOf(publicKey), mnemonic, publicKey, privateKey };
}

async function admitAll({ context }: Engine, holders: readonly Holder[]): Promise<void> {
  await transaction(context, async (tx) => {
    for (const [at, { publicKey }] of holders.entries()) {
      const candidate = { publicKey: toHex(publicKey), name: `Member ${at}` };
      const { row, changed } = await admit(tx, await holdEpoch(tx), candidate, null);
      await record(tx, operatorId, { action: 'MEMBER_ADDED', subject: `member/${row.id}` }, changed);
    }
  });
}

type Ask = <T>(path: string, body: string) => Promise<T>;

async function signedUp(engine: Engine): Promise<Ask> {
  const post = async <T>(path: string, body: string, token?: string): Promise<T> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const response = await engine.fetch(new Request(`http://bench.test${path}`, { method: 'POST', headers, body }));
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${path}: ${response.status} ${text}`);
    // What is large was unsealed, and reading it is the client's work.
    return (text.length > MEBIBYTE ? undefined : JSON.parse(text)) as T;
  };
  const account = { username: 'alice', email: 'alice@example.org', password: 'the password of the bench' };
  const { data } = await post<{ data: { token: string } }>('/api/user/register', JSON.stringify(account));
  return async (path, body) => await post(`/api/quorum${path}`, body, data.token);
}

async function timed(work: () => unknown, times = rounds): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  // What others do on the machine only ever adds: the fastest quarter is what it takes.
  return taken.toSorted((one, other) => one - other)[taken.length >> 2] ?? Number.NaN;
}

/** Times several things in turns, so that whatever else the machine does slows all of them. Milliseconds, in the same order. */
async function inTurns(...works: readonly (() => unknown)[]): Promise<number[]> {
  const taken = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, work] of works.entries()) taken[at]?.push(await timed(work, 1));
  return taken.map((times) => times.toSorted((one, other) => one - other)[times.length >> 2] ?? Number.NaN);
}

/** The longest stall of the event loop in some rounds of work, in milliseconds: the shortest of them, as others only ever add. */
async function stalled(work: () => Promise<unknown>, times = 5): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await work();
    delay.disable();
    longest.push(delay.max / 1e6);
  }
  return Math.min(...longest);
}

const dataDir = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const rows: (readonly [what: string, taken: string, target: string, ok: boolean])[] = [];
const add = (what: string, taken: number, unit: string, target?: number): void => {
  const ok = target === undefined || taken <= target;
  rows.push([what, `${taken.toFixed(2)} ${unit}`, target === undefined ? '' : `${target} ${unit}`, ok]);
};
try {
  const { config, secrets } = await loadConfig({
    flags: { 'data-dir': dataDir },
    env: {},
    home: dataDir,
    cwd: dataDir,
  });
  const free = { ...config, limits: { ...config.limits, enabled: false } };
  await using engine = await openEngine(free, secrets, { create: true, log: silentLog });
  const ask = await signedUp(engine);

  const all = await Promise.all(Array.from({ length: 255 }, newHolder));
  await admitAll(engine, all);
  const five = all.slice(0, 5);
  const seal = async (holders: readonly Holder[], document: string): Promise<string> => {
    const memberIds = JSON.stringify(holders.map(({ memberId }) => memberId));
    const body = `{"memberIds":${memberIds},"sharesRequired":${holders.length},"document":${document}}`;
    return (await ask<{ documentId: string }>('/documents/seal', body)).documentId;
  };
  const unseal = async (documentId: string, holders: readonly Holder[]): Promise<void> => {
    const memberCredentials = holders.map(({ memberId, mnemonic }) => ({ memberId, mnemonic }));
    await ask(`/documents/${documentId}/unseal`, JSON.stringify({ memberCredentials }));
  };

  const document = JSON.stringify(toHex(systemRandom(MEBIBYTE / 2 - 1)));
  const content = utf8(document);
  const key = systemRandom(32);
  const sealed = sealDocument(key, 'header', content);
  const share = systemRandom(33);
  const place = { documentId: '00', epochNumber: 1, generation: 1 };
  const wrap = ({ memberId, publicKey }: Holder) => wrapShare(publicKey, share, { ...place, memberId });
  const wrapped = five.map((holder) => ({ holder, one: wrap(holder) }));
  const commit = async (): Promise<void> =>
    await engine.context.store.transaction(async (tx) => {
      await tx
        .insertInto('quorum_verified_rows')
        .values({ place: toHex(systemRandom(12)), digest: '' })
        .execute();
    });

  const documentId = await seal(five, document);
  const derive = async (): Promise<void> => {
    for (const { mnemonic } of five) deriveIdentity(await mnemonicToSeed(mnemonic));
  };
  const unwrap = (): void => {
    for (const { holder, one } of wrapped) unwrapShare(holder.privateKey, one, { ...place, memberId: holder.memberId });
  };
  const sealOne = async (): Promise<string> => await seal(five, document);
  const unsealOne = async (): Promise<void> => await unseal(documentId, five);
  for (const warmUp of [commit, derive, unwrap, sealOne, unsealOne]) await timed(warmUp, 5);

  const [aes = 0, wraps = 0, durable = 0, sealing = 0] = await inTurns(
    () => sealDocument(key, 'header', content),
    () => five.map(wrap),
    commit,
    sealOne,
  );
  add('AES-GCM of 1 MiB', aes, 'ms');
  add('5 shares wrapped', wraps, 'ms');
  add('a durable commit', durable, 'ms');
  add('sealing 1 MiB for 5 members', sealing, 'ms');
  add('sealing, times its parts', sealing / (aes + wraps + durable), '×', 3);

  const [derivations = 0, unwraps = 0, opening = 0, recorded = 0, unsealing = 0] = await inTurns(
    derive,
    unwrap,
    () => openDocument(key, 'header', sealed),
    commit,
    unsealOne,
  );
  add('5 phrases derived', derivations, 'ms');
  add('5 shares opened', unwraps, 'ms');
  add('1 MiB opened', opening, 'ms');
  add('unsealing 1 MiB with 5 members', unsealing, 'ms');
  add('unsealing, times its parts', unsealing / (derivations + unwraps + opening + recorded), '×', 3);

  const ofAll = await seal(all, document);
  add('event loop, sealing 1 MiB for 255', await stalled(() => seal(all, document)), 'ms', 20);
  add('event loop, unsealing with 255', await stalled(() => unseal(ofAll, all), 3), 'ms', 20);
  const large = JSON.stringify(toHex(systemRandom(5 * (MEBIBYTE / 2) - 1)));
  const fiveMebibytes = await seal(five, large);
  add('event loop, sealing 5 MiB for 5', await stalled(() => seal(five, large)), 'ms', 20);
  add('event loop, unsealing 5 MiB with 5', await stalled(() => unseal(fiveMebibytes, five)), 'ms', 20);
  add('sealing for 255', await timed(() => seal(all, document), 5), 'ms');
  add('unsealing with 255', await timed(() => unseal(ofAll, all), 3), 'ms');
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
printTable(
  ['what', 'taken', 'target', ''],
  rows.map(([what, taken, target, ok]) => [what, taken, target, ok ? '' : 'MISSED']),
);
process.exitCode = rows.every(([, , , ok]) => ok) ? 0 : 1;
