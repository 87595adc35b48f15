import type { Db } from '../../store/database.ts';
import type { LedgerReader } from '../../../service/ports/ledger-check.ts';
import type { Fault } from '../../../base/faults.ts';
import { evidenceId } from './evidence.ts';

/** Whether all evidence against other nodes that was ever kept is still there, and as it was. */
export async function readLedgerEvidence(db: Db): Promise<LedgerReader> {
  const recorded = new Map<string, { readonly index: number; readonly nodeId: unknown }>();
  return {
    read({ data, index }) {
      const { id, nodeId } = data ?? {};
      if (typeof id === 'string') recorded.set(id, { index, nodeId });
    },
    async end() {
      // Rows are never deleted, so they are read after the entries that name them.
      const rows = await db.selectFrom('ledger_evidence').select(['id', 'document']).execute();
      const kept = new Map(rows.map(({ id, document }) => [id, document]));
      const faults: Fault[] = [];
      for (const [id, { index, nodeId }] of recorded) {
        const document = kept.get(id);
        if (document !== undefined && evidenceId(document) === id) continue;
        const how = document === undefined ? 'is missing' : 'was changed';
        faults.push({ index, what: `the evidence ${id} against the node ${String(nodeId)} ${how}` });
      }
      return { detail: `contradictions of other nodes that are kept: ${recorded.size}`, faults };
    },
  };
}
