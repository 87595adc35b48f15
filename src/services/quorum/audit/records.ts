import type { Context } from '../../../context.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import { commitmentOf, type LedgerEntry } from '../../../ledger/entry.ts';
import type { Fault } from '../../../ledger/faults.ts';
import type { QuorumAuditRow } from '../../../store/tables/quorum.ts';
import { auditHash } from './record.ts';

/** The type of the entries of the ledger that commit to the audit trail. */
export const QUORUM_AUDIT = 'QUORUM_AUDIT';

interface Checked {
  /** records in the order of their entries */
  readonly records: readonly QuorumAuditRow[];
  readonly faults: readonly Fault[];
}

/** The records to which entries of the ledger commit. An entry whose record is missing or another one is a fault. */
export async function recordsOf({ db }: Pick<Context, 'db'>, entries: readonly LedgerEntry[]): Promise<Checked> {
  if (entries.length === 0) return { records: [], faults: [] };
  const indexes = entries.map(({ index }) => index);
  const openings = await db.selectFrom('ledger_openings').selectAll().where('leaf_index', 'in', indexes).execute();
  const rows = await db
    .selectFrom('ledger_entries as e')
    .innerJoin('quorum_audit as a', 'a.ledger_entry', 'e.entry_id')
    .selectAll('a')
    .select('e.leaf_index')
    .where('e.leaf_index', 'in', indexes)
    .execute();
  const candidates = new Map<number, typeof rows>();
  for (const row of rows) candidates.set(row.leaf_index, [...(candidates.get(row.leaf_index) ?? []), row]);
  const opened = new Map(openings.map((opening) => [opening.leaf_index, opening]));
  const records: QuorumAuditRow[] = [];
  const faults: Fault[] = [];
  for (const { index, commit } of entries) {
    const opening = opened.get(index);
    const hash =
      opening !== undefined && commit === commitmentOf(opening.salt, opening.details) ? opening.details : undefined;
    const found = hash === undefined ? undefined : candidates.get(index)?.find((row) => isCommitted(hash, row));
    if (hash === undefined)
      faults.push({ index, what: `what entry ${index} of the ledger commits to is not in the store` });
    else if (found === undefined)
      faults.push({
        index,
        what: `the record of the audit trail to which entry ${index} of the ledger commits is not in the store`,
      });
    else {
      const { leaf_index: _, ...row } = found;
      records.push(row);
    }
  }
  return { records, faults };
}

/** @param details what the entry commits to: canonical JSON of `{hash}` */
function isCommitted(details: Uint8Array, row: QuorumAuditRow): boolean {
  return fromUtf8(details) === `{"hash":"${auditHash(row)}"}`;
}
