import type { Implementation } from '../../service/implement.ts';
import type { Context } from '../../service/context.ts';
import { toHex } from '../../crypto/bytes.ts';
import { emptyRoot, leavesOf, rootOf, subtreesOf } from '../../crypto/merkle.ts';
import { Problem } from '../../base/problem.ts';
import type { LedgerHeadRow } from '../store/tables/ledger.ts';
import type { LedgerReader } from '../../service/ports/ledger-check.ts';
import { GENESIS_TYPE, parseEntry, type LedgerEntry } from '../../crypto/formats/ledger/entry.ts';
import { collectFaults, type Fault, type Faults } from '../../base/faults.ts';
import { genesisOf, type Genesis } from '../../crypto/formats/ledger/genesis.ts';
import { hashesIn, onesOf, sealOf } from './head.ts';
import { logKeyOf } from '../../crypto/formats/ledger/log-key.ts';
import { followLog } from './follow-log.ts';
import { rootAt } from './proofs.ts';
import { checkWaiting } from './verify-waiting.ts';
import { checkCheckpoints } from './verify-checkpoints.ts';
import { findStrays, same, walkEntries } from './verify-tree.ts';
import { requireRole } from '../../service/actor.ts';
import type { ledger } from '../../contract/ledger.ts';
import { evidenceOf } from './witness/evidence.ts';
import { noticesOf } from './witness/notices.ts';
import { stopDto, stopsOf } from './witness/stop.ts';

export interface LedgerReport {
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly faults: readonly Fault[];
  readonly moreFaults: number;
}

/**
 * Checks that the ledger in the store is unchanged since this node wrote it: its head, its keys and its newest checkpoint. With `full`
 * it checks every entry, every hash of the tree, every commitment and every published checkpoint. The ledger may grow during the check.
 */
export async function verifyLedger(ctx: Context, { full }: { readonly full: boolean }): Promise<LedgerReport> {
  const readers = full ? await beginChecks(ctx) : [];
  await ctx.ledger.settled();
  const faults = collectFaults();
  const row = await ctx.db.selectFrom('ledger_head').selectAll().where('id', '=', 1).executeTakeFirst();
  const size = row?.size ?? 0;
  const details = new Map<string, string>();
  const frontier = row === undefined ? [] : checkHead(ctx, row, faults);
  details.set('head', `${size} entries`);
  details.set('waiting', await checkWaiting(ctx, faults));
  const geneses = full
    ? await checkAll(ctx, size, frontier, faults, details, readers)
    : await checkNewest(ctx, row, faults);
  if (row !== undefined) details.set('keys', checkKeys(row, geneses, faults));
  const known = [...geneses.values()];
  const checkpoints = await checkCheckpoints(ctx, size, known, faults, !full);
  details.set('checkpoints', full ? `${checkpoints} given out` : 'the newest one');
  return {
    ok: faults.named.length === 0,
    size,
    root: toHex(frontier.length === 0 ? emptyRoot() : rootOf(frontier)),
    checks: [...details].map(([name, detail]) => {
      const count = faults.countOf(name);
      return { name, ok: count === 0, detail: count === 0 ? detail : `${detail}; ${count} faults` };
    }),
    faults: faults.named,
    moreFaults: faults.more,
  };
}

interface Reading {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  readonly reader: LedgerReader;
}

async function beginChecks(ctx: Context): Promise<Reading[]> {
  return await Promise.all(
    ctx.ledgerChecks.map(async (check) => ({
      name: check.name,
      types: check.types,
      reader: await check.begin(ctx.db),
    })),
  );
}

function checkHead({ keys }: Context, row: LedgerHeadRow, faults: Faults): Uint8Array[] {
  if (row.log_key !== logKeyOf(keys) && !followLog(keys, row.log_key)) {
    faults.add(
      'head',
      null,
      'the head was written under another log key: the store was restored without its node secret',
    );
  } else if (!same(row.seal, sealOf(keys, row))) {
    faults.add('head', null, 'the head was not written by this node');
  }
  const fits = row.size > 0 && row.frontier.length === 32 * onesOf(row.size);
  if (!fits) faults.add('head', null, 'the head does not have the hashes for a ledger of its size');
  return fits ? hashesIn(row.frontier) : [];
}

async function checkAll(
  ctx: Context,
  size: number,
  frontier: readonly Uint8Array[],
  faults: Faults,
  details: Map<string, string>,
  readers: readonly Reading[],
): Promise<Map<number, Genesis>> {
  const geneses = new Map<number, Genesis>();
  let [committed, latest] = [0, ''];
  const walk = await walkEntries(ctx, size, faults, (entry) => {
    noteGenesis(entry, geneses, faults);
    if (entry.commit !== undefined) committed += 1;
    latest = entry.time;
    for (const { types, reader } of readers) if (types.has(entry.type)) reader.read(entry);
  });
  if (walk.entries === size) compareFrontiers(size, frontier, walk.frontier, faults);
  await findStrays(ctx, faults);
  const { kept } = await ctx.db
    .selectFrom('ledger_openings')
    .select(({ fn }) => fn.countAll<number>().as('kept'))
    .where('leaf_index', '<', size)
    .executeTakeFirstOrThrow();
  details.set('entries', `${walk.entries} entries, the newest of ${latest || 'never'}`);
  details.set('tree', `${size - onesOf(size)} hashes`);
  details.set('openings', `${kept} kept, ${Math.max(0, committed - kept)} erased`);
  for (const { name, reader } of readers) {
    const { detail, faults: found } = await reader.end();
    for (const { index, what } of found) faults.add(name, index, what);
    details.set(name, detail);
  }
  return geneses;
}

/** Checks the genesis entries of the first and the current key, and that the stored hashes give the root of the head. */
async function checkNewest(
  ctx: Context,
  row: LedgerHeadRow | undefined,
  faults: Faults,
): Promise<Map<number, Genesis>> {
  const geneses = new Map<number, Genesis>();
  if (row === undefined) {
    const entry = await ctx.db.selectFrom('ledger_entries').select('leaf_index').limit(1).executeTakeFirst();
    if (entry !== undefined) faults.add('head', null, 'there are entries but no head');
    return geneses;
  }
  for (const index of new Set([0, row.genesis])) {
    const found = await ctx.db
      .selectFrom('ledger_entries')
      .select('body')
      .where('leaf_index', '=', index)
      .executeTakeFirst();
    const entry = found === undefined ? { fault: 'is missing' } : parseEntry(found.body, index);
    if ('fault' in entry) faults.add('keys', index, `entry ${index} ${entry.fault}`);
    else noteGenesis(entry, geneses, faults);
  }
  if (faults.named.length === 0 && !(await isRootOf(ctx, row)))
    faults.add('head', null, 'the head does not match the hashes of the tree');
  return geneses;
}

async function isRootOf(ctx: Context, { size, frontier }: LedgerHeadRow): Promise<boolean> {
  try {
    return same(await rootAt(ctx, size), rootOf(hashesIn(frontier)));
  } catch (error) {
    if (error instanceof Problem && error.code === 'LEDGER_DAMAGED') return false;
    throw error;
  }
}

function noteGenesis(entry: LedgerEntry, geneses: Map<number, Genesis>, faults: Faults): void {
  if (entry.type !== GENESIS_TYPE) return;
  const genesis = genesisOf(entry);
  if (genesis === undefined)
    faults.add('keys', entry.index, `entry ${entry.index} is not signed by the keys that it names`);
  else geneses.set(entry.index, genesis);
}

function compareFrontiers(
  size: number,
  stored: readonly Uint8Array[],
  computed: readonly Uint8Array[],
  faults: Faults,
): void {
  for (const [at, subtree] of subtreesOf({ start: 0, end: size }).entries()) {
    const [one, other] = [stored[at], computed[at]];
    const { start, end } = leavesOf(subtree);
    if (one !== undefined && other !== undefined && same(one, other)) continue;
    const which = end - start === 1 ? `entry ${start}` : `the entries ${start} to ${end - 1}`;
    if (!faults.explains(start, end)) faults.add('head', start, `${which} do not give the hash in the head`);
  }
}

/** Checks that the log begins with a genesis entry, that the head's key has a genesis entry, and that no two entries name one key. */
function checkKeys(row: LedgerHeadRow, geneses: ReadonlyMap<number, Genesis>, faults: Faults): string {
  if (!geneses.has(0) && !faults.explains(0, 1)) faults.add('keys', 0, 'entry 0 does not name the owner of the log');
  const current = geneses.get(row.genesis);
  if (current?.logKey !== row.log_key && !faults.explains(row.genesis, row.genesis + 1))
    faults.add('keys', row.genesis, `entry ${row.genesis} does not name the key of the head`);
  const seen = new Set<string>();
  for (const [index, { logKey }] of geneses) {
    if (seen.has(logKey)) faults.add('keys', index, `entry ${index} names a key that an earlier entry named`);
    seen.add(logKey);
  }
  const changes = [...geneses.keys()].filter((index) => index > 0);
  if (changes.length === 0) return 'one log key, bound to this node';
  return `the log key changed at entry ${changes.join(', ')}: checkpoints of before and after do not vouch for each other`;
}

export const verify: Implementation<typeof ledger>['verify'] = async (ctx, actor, { full }) => {
  requireRole(actor, { all: ['admin', 'system'] });
  const { checks, faults, ...report } = await verifyLedger(ctx, { full });
  for (const { index, what } of faults) ctx.log.error('the ledger is damaged', { index, what });
  const stopped = (await stopsOf(ctx)).map(stopDto);
  const contradictions = await evidenceOf(ctx);
  return {
    ...report,
    checks: [...checks],
    faults: [...faults],
    stopped,
    contradictions,
    noticed: await noticesOf(ctx),
  };
};
