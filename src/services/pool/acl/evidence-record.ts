import type { Context } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import type { LedgerReader } from '../../../service/ports/ledger-check.ts';
import { parseEntry, type LedgerEntry } from '../../../crypto/formats/ledger/entry.ts';
import type { Fault } from '../../../base/faults.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { PoolEvidenceRow } from '../../../platform/store/tables/pool.ts';
import { aclHash } from '../../../crypto/formats/access-list/document.ts';

/** The type of the entries that say which access lists the node keeps beside the active ones. */
export const EVIDENCE_TYPE = 'POOL_EVIDENCE';

/** An entry has at most 16,384 bytes. */
const LISTS_AN_ENTRY = 50;

/** The signatures are what makes a list a proof, and the hash of the list does not cover them. */
const signaturesHash = (signatures: string): string => toHex(sha256(utf8(signatures)));

/**
 * Records which access lists were kept as evidence. Without these entries, whoever can write to the database could delete the proof that
 * an administrator signed two lists, and nobody would notice. What is beyond the limit of a day is recorded the day after.
 */
export async function recordKept(
  tx: Context,
  rows: readonly Pick<PoolEvidenceRow, 'pool_id' | 'version' | 'hash' | 'signatures'>[],
): Promise<void> {
  const poolId = rows[0]?.pool_id ?? '';
  const kept = rows.map(({ version, hash, signatures }) => {
    return { version, hash, signatures: signaturesHash(signatures) };
  });
  // All are of one pool.
  for (let at = 0; at < kept.length; at += LISTS_AN_ENTRY)
    await appendEntry(tx, { type: EVIDENCE_TYPE, data: { poolId, kept: kept.slice(at, at + LISTS_AN_ENTRY) } });
}

/** Records which of them are no longer kept, because there were too many. */
export async function recordDropped(
  tx: Context,
  poolId: string,
  rows: readonly Pick<PoolEvidenceRow, 'version' | 'hash'>[],
): Promise<void> {
  const dropped = rows.map(({ version, hash }) => ({ version, hash }));
  for (let at = 0; at < dropped.length; at += LISTS_AN_ENTRY)
    await appendEntry(tx, { type: EVIDENCE_TYPE, data: { poolId, dropped: dropped.slice(at, at + LISTS_AN_ENTRY) } });
}

interface Recorded {
  readonly version: number;
  readonly hash: string;
  readonly signatures: unknown;
  /** the entry that says so */
  readonly index: number;
}

/** Whether every access list that was ever kept as evidence is still there and unchanged, or was dropped on the record. */
export async function readEvidence(db: Db): Promise<LedgerReader> {
  const kept = new Map<string, Recorded>();
  const before = await storedLists(db);
  return {
    read(entry) {
      for (const one of listsIn(entry, 'kept')) kept.set(one.hash, one);
      for (const { hash } of listsIn(entry, 'dropped')) kept.delete(hash);
    },
    async end() {
      const faults: Fault[] = [];
      const after = await storedLists(db);
      for (const one of kept.values()) {
        const state = after(one);
        // What was kept or dropped while the entries were read is there in one of the two looks.
        if (state === 'whole' || before(one) === 'whole') continue;
        const what = `the access list ${one.hash} of version ${one.version}, which was kept as evidence, ${state}`;
        faults.push({ index: one.index, what });
      }
      return { detail: `${kept.size} access lists kept as evidence`, faults };
    },
  };
}

/** The lists that an entry names. A newer program may record more in an entry than this one knows. */
function listsIn({ type, data, index }: LedgerEntry, what: 'kept' | 'dropped'): Recorded[] {
  const lists = type === EVIDENCE_TYPE ? data?.[what] : undefined;
  const named: readonly unknown[] = Array.isArray(lists) ? lists : [];
  return named.flatMap((one) => {
    const { version, hash, signatures } = (one ?? {}) as Record<string, unknown>;
    return typeof version === 'number' && typeof hash === 'string' ? [{ version, hash, signatures, index }] : [];
  });
}

/** Evidence that became an active list is stored with those, where the signatures are verified in their chain. */
async function storedLists(db: Db): Promise<(one: Recorded) => 'whole' | 'is missing' | 'was changed'> {
  const columns = ['hash', 'document', 'signatures'] as const;
  const evidence = await db.selectFrom('pool_evidence').select(columns).execute();
  const active = await db.selectFrom('pool_lists').select(columns).execute();
  const beside = new Map(evidence.map((row) => [row.hash, row]));
  const counting = new Map(active.map((row) => [row.hash, row]));
  return ({ hash, signatures }) => {
    const row = beside.get(hash) ?? counting.get(hash);
    if (row === undefined) return 'is missing';
    const isSigned = !beside.has(hash) || signaturesHash(row.signatures) === signatures;
    return isSigned && aclHash(row.document) === hash ? 'whole' : 'was changed';
  };
}

const PAGE = 1_000;

/** The same for the access list alone: reads the whole ledger, but parses only what is about evidence. */
export async function checkEvidence(
  ctx: Context,
): Promise<{ readonly detail: string; readonly faults: readonly Fault[] }> {
  const reader = await readEvidence(ctx.db);
  await ctx.ledger.settled();
  for (let from = 0; ;) {
    const rows = await ctx.db
      .selectFrom('ledger_entries')
      .select(['leaf_index', 'body'])
      .where('leaf_index', '>=', from)
      .orderBy('leaf_index')
      .limit(PAGE)
      .execute();
    for (const { leaf_index: index, body } of rows) {
      if (!Buffer.from(body.buffer, body.byteOffset, body.length).includes(EVIDENCE_TYPE)) continue;
      const entry = parseEntry(body, index);
      // What is wrong with an entry is told by `ledger verify`.
      if (!('fault' in entry)) reader.read(entry);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return await reader.end();
    from = end.leaf_index + 1;
  }
}
