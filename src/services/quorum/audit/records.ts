import type { Context } from '../../../service/context.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import { commitmentOf } from '../../../crypto/formats/ledger/entry.ts';
import type { Fault } from '../../../base/faults.ts';
import type { QuorumAuditRow } from '../../../platform/store/tables/quorum.ts';
import { auditHash } from './row-digests.ts';

/** The type of the entries of the ledger that commit to the audit trail. */
export const QUORUM_AUDIT = 'QUORUM_AUDIT';

/** An entry of the ledger, as far as it is compared with its record. */
export interface Committed {
  readonly index: number;
  readonly commit?: string | undefined;
}

export interface Checked {
  /** records in the order of their entries, with their hashes */
  readonly records: readonly { readonly row: QuorumAuditRow; readonly hash: string }[];
  readonly faults: readonly Fault[];
}

/** The records to which entries of the ledger commit. An entry whose record is missing or another one is a fault. */
export async function recordsOf({ db }: Pick<Context, 'db'>, entries: readonly Committed[]): Promise<Checked> {
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
  const records: Checked['records'][number][] = [];
  const faults: Fault[] = [];
  for (const { index, commit } of entries) {
    const opening = opened.get(index);
    if (opening === undefined || commit !== commitmentOf(opening.salt, opening.details)) {
      faults.push({ index, what: `what entry ${index} of the ledger commits to is not in the store` });
      continue;
    }
    const committed = fromUtf8(opening.details);
    const record = (candidates.get(index) ?? [])
      .map((row) => ({ row, hash: auditHash(row) }))
      .find(({ hash }) => committed === `{"hash":"${hash}"}`);
    if (record !== undefined) records.push(record);
    else {
      const what = `the record of the audit trail to which entry ${index} of the ledger commits is not in the store`;
      faults.push({ index, what });
    }
  }
  return { records, faults };
}
