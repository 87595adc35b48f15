import { sql } from 'kysely';
import type { LedgerReader } from '../../../service/ports/ledger-check.ts';
import type { Fault } from '../../../base/faults.ts';
import type { Db } from '../../../platform/store/database.ts';
import { recordsOf, type Committed } from './records.ts';

/** Entries that one statement looks up. */
const PAGE = 500;

/** Compares the entries of the quorum with its audit trail. `quorum audit verify` also compares the rows that the trail is about. */
export function readAuditTrail(db: Db): LedgerReader {
  const entries: Committed[] = [];
  return {
    // Of very many entries only what is compared is kept.
    read: ({ index, commit }) => void entries.push({ index, commit }),
    async end() {
      const faults: Fault[] = [];
      for (let at = 0; at < entries.length; at += PAGE)
        faults.push(...(await recordsOf({ db }, entries.slice(at, at + PAGE))).faults);
      const strays = await countStrays(db);
      if (strays > 0)
        faults.push({ index: null, what: `records of the audit trail that have no entry in the ledger: ${strays}` });
      return { detail: `${entries.length} records of the quorum`, faults };
    },
  };
}

/** Records without an entry of their own. That of the newest ones may wait for its place. */
async function countStrays(db: Db): Promise<number> {
  const { rows } = await sql<{ strays: number }>`
    select count(*) - count(distinct case when exists (select 1 from ledger_entries e where e.entry_id = a.ledger_entry)
      or exists (select 1 from ledger_waiting w where w.id = a.ledger_entry) then a.ledger_entry end) as strays
    from quorum_audit a`.execute(db);
  return rows[0]?.strays ?? 0;
}
