// The quorum, on a fresh embedded store in one process: how long sealing and unsealing take at the server, next to the sum of their parts
// measured alone, and how long 255 members hold up the event loop; how fast the audit trail is verified, all of it and two new records after all
// the others, next to SHA-256 over the same bytes; and how long a page of proposals of one status takes, next to a bare select.
// npx tsx scripts/bench/quorum.ts [--rounds 50] [--entries 40000] [--proposals 10000] [--small]
import { operatorId, type Actor } from '../../src/service/actor.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import { generateMnemonic, mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { openDocument, sealDocument, unwrapShare, wrapShare } from '../../src/crypto/formats/quorum/document.ts';
import type { Engine } from '../../src/node/engine.ts';
import { record } from '../../src/services/quorum/audit/record.ts';
import { verifyAudit } from '../../src/services/quorum/audit/verify.ts';
import { holdEpoch } from '../../src/services/quorum/members/epochs.ts';
import { admit } from '../../src/services/quorum/members/membership.ts';
import { listProposals } from '../../src/services/quorum/proposals/proposals.ts';
import { recordId } from '../../src/platform/store/record-id.ts';
import type { QuorumProposalRow } from '../../src/platform/store/tables/quorum.ts';
import { stalled, withEngine } from './engine.ts';
import { inTurns, lowerQuarter, median, type Measured, report, settings, timed } from './harness.ts';

const { rounds, entries, proposals, members } = settings(
  { rounds: 50, entries: 40_000, proposals: 10_000, members: 255 },
  { rounds: 3, entries: 2_000, proposals: 1_000, members: 20 },
);
const MEBIBYTE = 1024 ** 2;
/** Rows in a transaction. */
const BATCH = 500;
const operator = { memberId: operatorId, type: 'System' } as Actor;

report('Sealing', await withEngine(sealing));
report('The audit trail', await withEngine(auditing));
report(`Pages of 100 of ${proposals} proposals`, await withEngine(listing));

async function sealing(engine: Engine): Promise<Measured[]> {
  const ask = await signedUp(engine);

  const all = await Promise.all(Array.from({ length: members }, newHolder));
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
  const took = await inTurns(
    rounds,
    {
      aes: () => void sealDocument(key, 'header', content),
      wraps: () => void five.map(wrap),
      commit,
      sealing: async () => void (await seal(five, document)),
      async derive() {
        for (const { mnemonic } of five) deriveIdentity(await mnemonicToSeed(mnemonic));
      },
      unwraps() {
        for (const { holder, one } of wrapped)
          unwrapShare(holder.privateKey, one, { ...place, memberId: holder.memberId });
      },
      opening: () => void openDocument(key, 'header', sealed),
      unsealing: async () => await unseal(documentId, five),
    },
    { warmUps: Math.min(rounds, 5) },
  );
  const of = (name: keyof typeof took): number => lowerQuarter(took[name]);
  const row = (what: string, name: keyof typeof took, parts: Readonly<Record<string, keyof typeof took>>): Measured => {
    const sum = Object.values(parts).reduce((total, part) => total + of(part), 0);
    const nextTo = Object.entries(parts).map(([said, part]) => `${said} ${of(part).toFixed(1)}`);
    return { what, value: of(name), unit: 'ms', nextTo: nextTo.join(', '), ratio: of(name) / sum, ratioAtMost: 3 };
  };
  const stall = async (what: string, work: () => Promise<unknown>, times = 5): Promise<Measured> => ({
    what: `the event loop stands still, ${what}`,
    value: await stalled(times, work),
    unit: 'ms',
    atMost: 20,
  });
  const ofAll = await seal(all, document);
  const large = JSON.stringify(toHex(systemRandom(5 * (MEBIBYTE / 2) - 1)));
  const fiveMebibytes = await seal(five, large);
  return [
    row('sealing 1 MiB for 5 members', 'sealing', { 'AES-GCM': 'aes', '5 shares': 'wraps', 'a commit': 'commit' }),
    row('unsealing it', 'unsealing', {
      '5 phrases': 'derive',
      '5 shares': 'unwraps',
      'AES-GCM': 'opening',
      'a commit': 'commit',
    }),
    await stall(`sealing 1 MiB for ${members}`, async () => await seal(all, document)),
    await stall(`unsealing with ${members}`, async () => await unseal(ofAll, all), 3),
    await stall('sealing 5 MiB for 5', async () => await seal(five, large)),
    await stall('unsealing 5 MiB with 5', async () => await unseal(fiveMebibytes, five)),
  ];
}

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

function proposalRow(now: number, at: number, status: QuorumProposalRow['status']): QuorumProposalRow {
  return {
    id: recordId(now + at, systemRandom),
    description: `Proposal ${at}: ${'what we want to do, and why. '.repeat(10)}`,
    action_type: 'CUSTOM',
    action_payload: JSON.stringify({ at, text: 'x'.repeat(200) }),
    action_hash: '0'.repeat(64),
    proposer_id: '1'.repeat(24),
    status,
    reason: null,
    required_threshold: 3,
    epoch: 5,
    attachment_cbl_id: null,
    created_at: now + at,
    expires_at: now + 86_400_000,
    decided_at: null,
    executes_at: null,
    executed_at: null,
  };
}

/** A proposal as it is made and cancelled: two records about one row. */
async function propose(tx: Context): Promise<void> {
  const now = tx.clock.now();
  const row = {
    ...proposalRow(now, 0, 'pending'),
    description: 'Paint the door green, and the window too',
    action_payload: '{"colour":"green"}',
  };
  const subject = `proposal/${row.id}`;
  await tx.db.insertInto('quorum_proposals').values(row).execute();
  await record(tx, operatorId, { action: 'PROPOSAL_CREATED', subject }, [['quorum_proposals', row.id]]);
  await tx.db
    .updateTable('quorum_proposals')
    .set({ status: 'cancelled', decided_at: now })
    .where('id', '=', row.id)
    .execute();
  await record(tx, operatorId, { action: 'PROPOSAL_CANCELLED', subject }, [['quorum_proposals', row.id]]);
}

async function auditing({ context: ctx }: Engine): Promise<Measured[]> {
  for (let done = 0; done < entries; done += 2 * BATCH)
    await transaction(ctx, async (tx) => {
      for (let left = BATCH; left > 0; left -= 1) await propose(tx);
    });
  let known = entries;
  const verify = async (expected: number): Promise<number> =>
    await timed(async () => {
      const { verification } = await verifyAudit(ctx, operator);
      if (!verification.valid || verification.newEntries !== expected)
        throw new Error(`expected ${expected} new entries: ${JSON.stringify(verification)}`);
    });
  const forget = async (): Promise<void> =>
    void (await ctx.db.updateTable('quorum_verified').set({ seal: new Uint8Array() }).execute());
  const stalls: number[] = [];
  const bytes = new Uint8Array(1_000);
  const took = await inTurns(
    5,
    {
      async all() {
        await forget();
        let ms = 0;
        stalls.push(await stalled(1, async () => (ms = await verify(known))));
        return ms;
      },
      none: async () => await verify(0),
      async two() {
        await transaction(ctx, propose);
        known += 2;
        return await verify(2);
      },
      hashing() {
        for (let left = entries; left > 0; left -= 1) sha256(bytes);
      },
    },
    { warmUps: 0 },
  );
  // What others do on the machine only ever adds.
  const [all, none, two, hashing] = [took.all, took.none, took.two, took.hashing].map((times) =>
    Math.min(...times),
  ) as [number, number, number, number];
  return [
    {
      what: `${entries} records verified`,
      value: (entries / all) * 1_000,
      unit: '/s',
      nextTo: `SHA-256 over 1,000 bytes, ${((entries / hashing) * 1_000).toFixed(0)}/s`,
      ratio: hashing / all,
      atLeast: 20_000,
    },
    {
      what: 'two new records',
      value: two,
      unit: 'ms',
      nextTo: `all, ${all.toFixed(0)} ms; none, ${none.toFixed(1)} ms`,
      ratio: two / all,
      ratioAtMost: 1 / 3,
    },
    { what: 'the event loop stands still', value: Math.min(...stalls), unit: 'ms' },
  ];
}

async function listing({ context: ctx }: Engine): Promise<Measured[]> {
  const now = Date.now();
  // In turn, so that every status is everywhere among the others.
  const statuses = ['pending', 'executed', 'executed', 'rejected', 'expired', 'cancelled', 'failed'] as const;
  for (let from = 0; from < proposals; from += BATCH)
    await ctx.store.transaction(async (db) => {
      for (let at = from; at < Math.min(proposals, from + BATCH); at += 1)
        await db
          .insertInto('quorum_proposals')
          .values(proposalRow(now, at, statuses[at % statuses.length] ?? 'pending'))
          .execute();
    });
  const results: Measured[] = [];
  for (const status of ['pending', 'executed', undefined] as const) {
    const page = async (cursor?: string) => await listProposals(ctx, operator, { status, cursor, limit: 100 });
    const { cursor } = await page();
    const took = await inTurns(rounds, {
      async bare() {
        const every = ctx.db.selectFrom('quorum_proposals').selectAll();
        const those = status === undefined ? every : every.where('status', '=', status);
        await those.orderBy('id', 'desc').limit(100).execute();
      },
      first: async () => void (await page()),
      next: async () => void (await page(cursor)),
    });
    const bare = median(took.bare);
    for (const name of ['first', 'next'] as const) {
      const value = median(took[name]);
      results.push({
        what: `${name} page of ${status ?? 'all'}`,
        value,
        unit: 'ms',
        nextTo: `a bare select, ${bare.toFixed(2)} ms`,
        ratio: value / bare,
        atMost: 30,
        ratioAtMost: 4,
      });
    }
  }
  return results;
}
