import { requireRole, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { Problem } from '../../../base/problem.ts';
import {
  verifyGenesis,
  verifySuccessor,
  readList,
  type AclSignature,
  type SignedList,
} from '../../../crypto/formats/access-list/chain.ts';
import { administrators } from './signer.ts';
import { ensureList } from './commit.ts';
import { differingRows } from './proven-writers.ts';
import { checkEvidence } from './evidence-record.ts';
import { listRow, poolHead } from './store.ts';
import { note } from '../note.ts';

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

/** Checks every version again: form, hash, previous list and signatures. The last one is also checked against the ledger. */
export async function verifyAcl(
  ctx: Context,
  actor: Actor,
): Promise<{ valid: boolean; versions: number; checks: Check[] }> {
  requireRole(actor, administrators);
  const current = await ensureList(ctx);
  const { poolId, version } = current.document;
  const checks = [
    await checkChain(ctx, poolId, version),
    await checkWriters(ctx, current),
    await checkLedger(ctx),
    await checkKept(ctx),
  ];
  note(ctx, actor, 'pool.verify-acl');
  return { valid: checks.every(({ ok }) => ok), versions: version, checks };
}

async function checkChain(ctx: Context, poolId: string, newest: number): Promise<Check> {
  const checkedKeys = new Set<string>();
  let previous: SignedList | undefined;
  for (let version = 1; version <= newest; version += 1) {
    const row = await listRow(ctx.db, poolId, version);
    if (row === undefined) return failed('versions', `version ${version} is missing`);
    try {
      const wire = { document: row.document, signatures: JSON.parse(row.signatures) as AclSignature[] };
      const list = readList(wire, checkedKeys);
      if (list.hash !== row.hash || list.document.version !== version)
        return failed('versions', `version ${version} was changed`);
      previous = previous === undefined ? verifyGenesis(list) : verifySuccessor(previous, list);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return failed('versions', `version ${version}: ${error.message}`);
    }
  }
  return { name: 'versions', ok: true, detail: `${newest}, each signed by administrators of the one before` };
}

/** The table of writers is the index of the access list, so it must agree with it. */
async function checkWriters(ctx: Context, { document }: SignedList): Promise<Check> {
  const same = (await differingRows(ctx, document)).length === 0;
  return {
    name: 'nodes',
    ok: same,
    detail: same ? `${document.writers.length}, as the list names them` : 'the store has others than the list names',
  };
}

/** Detects evidence that somebody deleted or changed. */
async function checkKept(ctx: Context): Promise<Check> {
  const { detail, faults } = await checkEvidence(ctx);
  const [first] = faults;
  if (first === undefined) return { name: 'evidence', ok: true, detail };
  return failed('evidence', faults.length === 1 ? first.what : `${first.what}, and ${faults.length - 1} more`);
}

const PAGE = 1_000;

/** Detects a rollback: the active list must not be older than the last one in the ledger. */
async function checkLedger(ctx: Context): Promise<Check> {
  const head = await poolHead(ctx.db);
  if (head === undefined) return failed('ledger', 'no list counts');
  const place = (await placesOf(ctx, [head.ledger_entry])).get(head.ledger_entry);
  if (place === undefined) return failed('ledger', 'the entry about the list that counts is not in the ledger');
  let from = place.index;
  let last: unknown;
  for (;;) {
    const rows = await ctx.db
      .selectFrom('ledger_entries')
      .select(['leaf_index', 'body'])
      .where('leaf_index', '>=', from)
      .orderBy('leaf_index')
      .limit(PAGE)
      .execute();
    for (const row of rows) last = aclEntryOf(row.body) ?? last;
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) break;
    from = end.leaf_index + 1;
  }
  const wanted = JSON.stringify({ hash: head.hash, poolId: head.pool_id, version: head.version });
  const same = JSON.stringify(last) === wanted;
  const detail = same
    ? `entry ${place.index} names version ${head.version}`
    : 'the last entry about it names another list';
  return { name: 'ledger', ok: same, detail };
}

function aclEntryOf(body: Uint8Array): unknown {
  const entry = JSON.parse(fromUtf8(new Uint8Array(body))) as {
    type?: unknown;
    data?: { hash?: unknown; poolId?: unknown; version?: unknown };
  };
  if (entry.type !== 'POOL_ACL') return undefined;
  const { hash, poolId, version } = entry.data ?? {};
  return { hash, poolId, version };
}

function failed(name: string, detail: string): Check {
  return { name, ok: false, detail };
}
