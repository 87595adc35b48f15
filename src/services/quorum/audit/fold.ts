import { transaction, type Context } from '../../../service/context.ts';
import { concat } from '../../../crypto/bytes.ts';
import { addLeaf, leafHash } from '../../../crypto/merkle.ts';
import { parseEntry, type LedgerEntry } from '../../../crypto/formats/ledger/entry.ts';
import type { Fault } from '../../../base/faults.ts';
import { hashesIn, readHead } from '../../../platform/ledger/head.ts';
import { logKeyOf } from '../../../crypto/formats/ledger/log-key.ts';
import { integrateWaiting } from '../../../platform/ledger/sequencer.ts';
import { Problem } from '../../../base/problem.ts';
import type { Lease } from './lease.ts';
import { QUORUM_AUDIT, recordsOf, type Checked } from './records.ts';
import { placeOf, recordDigest } from './row-digests.ts';
import { nothingVerified, storeDigests, type Mark } from './verified.ts';
import { unsignedVotes } from './vote-signatures.ts';

/** Entries of one transaction. Other work can run between two pages. */
const PAGE = 500;

/** Entries are canonical JSON, so every entry of the type has these bytes. */
const typeBytes = Buffer.from(`"type":"${QUORUM_AUDIT}"`);

/** What a part of the ledger said. */
export interface Folded {
  readonly mark: Mark;
  /** places of the rows that changed in it */
  readonly touched: ReadonlySet<string>;
  readonly faults: readonly Fault[];
  /** whether the ledger could be read to its end, so that rows can be compared */
  readonly complete: boolean;
}

/**
 * Verifies the entries of the ledger after the mark: that they lead to the head that this node sealed, and that each record of the audit
 * trail is the one to which its entry commits. The digests in these records become those of the rows; see verified.ts. Everything that was
 * committed before the call is among the entries.
 *
 * @throws Problem unavailable AUDIT_BUSY
 */
export async function fold(ctx: Context, lease: Lease, from: Mark): Promise<Folded> {
  await ctx.ledger.now(async () => await integrateWaiting(ctx));
  const head = await endOf(ctx);
  if ('fault' in head) return nothingRead(from, head.fault);
  if (head.size < from.size) {
    const what = `the ledger has ${head.size} entries, and had ${from.size} when it was verified before`;
    return nothingRead(from, what);
  }
  const frontier = hashesIn(from.frontier);
  const touched = new Set<string>();
  const faults: Fault[] = [];
  let { size, records } = from;
  let complete = true;
  while (size < head.size && complete) {
    const page = await readEntries(ctx, size, Math.min(head.size, size + PAGE), frontier);
    faults.push(...page.faults);
    const checked = await recordsOf(ctx, page.entries);
    faults.push(...checked.faults);
    const digests = digestsIn(checked.records);
    faults.push(...(await unsignedVotes(ctx, digests)));
    complete = page.complete;
    size = page.next;
    records += checked.records.length;
    const mark = { size, records, frontier: concat(...frontier) };
    await transaction(ctx, async (tx) => {
      await lease.keep(tx, mark);
      await storeDigests(tx, digests);
    });
    for (const place of digests.keys()) touched.add(place);
    await lease.alive();
  }
  const mark = { size, records, frontier: concat(...frontier) };
  if (complete && Buffer.compare(mark.frontier, head.frontier) !== 0)
    faults.push({ index: null, what: 'the entries of the ledger do not lead to its head' });
  return { mark, touched, faults, complete };
}

function nothingRead(mark: Mark, what: string): Folded {
  return { mark, touched: new Set(), faults: [{ index: null, what }], complete: false };
}

async function endOf(ctx: Context): Promise<Mark | { readonly fault: string }> {
  try {
    const head = await readHead(ctx, logKeyOf(ctx.keys));
    return head === undefined ? nothingVerified : { size: head.size, records: 0, frontier: concat(...head.frontier) };
  } catch (error) {
    if (error instanceof Problem && error.code === 'LEDGER_DAMAGED')
      return { fault: 'the head of the ledger was not written by this node' };
    throw error;
  }
}

interface Page {
  /** index of the entry after those that were read */
  readonly next: number;
  /** those of the quorum */
  readonly entries: readonly LedgerEntry[];
  readonly faults: readonly Fault[];
  readonly complete: boolean;
}

/** @param frontier is changed to that after the page */
async function readEntries({ db }: Context, from: number, to: number, frontier: Uint8Array[]): Promise<Page> {
  const rows = await db
    .selectFrom('ledger_entries')
    .select(['leaf_index', 'body'])
    .where('leaf_index', '>=', from)
    .where('leaf_index', '<', to)
    .orderBy('leaf_index')
    .execute();
  const entries: LedgerEntry[] = [];
  const faults: Fault[] = [];
  let next = from;
  for (const { leaf_index: index, body } of rows) {
    if (index !== next) break;
    next += 1;
    addLeaf(frontier, index, leafHash(body));
    if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(typeBytes)) continue;
    const entry = parseEntry(body, index);
    if ('fault' in entry) faults.push({ index, what: `entry ${index} of the ledger ${entry.fault}` });
    else if (entry.type === QUORUM_AUDIT) entries.push(entry);
  }
  if (next < to) faults.push({ index: next, what: `entry ${next} of the ledger is missing` });
  return { next, entries, faults, complete: next === to };
}

/** The newest digest of each row that the records name, and of the records themselves. */
function digestsIn(records: Checked['records']): Map<string, string | null> {
  const digests = new Map<string, string | null>();
  for (const { row, hash } of records) {
    const changes = JSON.parse(row.changes) as Record<string, string | null>;
    for (const [place, digest] of Object.entries(changes)) digests.set(place, digest);
    digests.set(placeOf(['quorum_audit', row.id]), recordDigest(row.ledger_entry, hash));
  }
  return digests;
}
