import { type Context, transaction } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { appendEntry } from '../append.ts';
import {
  checkEvidence,
  contradictions,
  writeEvidence,
  type Contradiction,
  type Evidence,
} from '../../../crypto/formats/ledger/evidence-file.ts';

/** Of one node. What comes after is counted: the first contradictions show as much as a thousand. */
const MOST_OF_A_NODE = 16;

/** The entries of the ledger that say which evidence was kept, so that nobody can delete it unseen. */
const EVIDENCE_TYPE = 'LEDGER_EVIDENCE';

export function evidenceId(document: string): string {
  return toHex(sha256(utf8(document)));
}

/**
 * Keeps what shows that a node contradicts itself, and says so in the log and the ledger. What shows nothing is not kept.
 *
 * @param source the node that showed the second checkpoint
 * @returns whether it shows a contradiction, known before or not
 */
export async function keepEvidence(ctx: Context, evidence: Evidence, source: string): Promise<boolean> {
  const { contradicts, checkpoints } = checkEvidence(evidence);
  if (!contradicts) return false;
  const { nodeId, kind, one, other } = evidence;
  const document = writeEvidence(evidence);
  const id = evidenceId(document);
  const isNew = await transaction(ctx, async (tx) => {
    const { db, clock } = tx;
    const known = await db
      .selectFrom('ledger_evidence')
      .select(['id', 'more'])
      .where('node_id', '=', nodeId)
      .orderBy('found_at')
      .orderBy('id')
      .execute();
    if (known.some((row) => row.id === id)) return false;
    const last = known.at(-1);
    if (last !== undefined && known.length >= MOST_OF_A_NODE) {
      await db
        .updateTable('ledger_evidence')
        .set({ more: last.more + 1 })
        .where('id', '=', last.id)
        .execute();
      return true;
    }
    await db
      .insertInto('ledger_evidence')
      .values({ id, node_id: nodeId, kind, one, other, source, found_at: clock.now(), more: 0, document })
      .execute();
    await appendEntry(tx, { type: EVIDENCE_TYPE, data: { id, nodeId, kind } });
    return true;
  });
  if (isNew)
    ctx.log.error(`a node ${contradictions[kind]}; see conclave ledger evidence`, {
      nodeId,
      sizes: checkpoints.map(({ size }) => size),
      source,
    });
  return true;
}

export interface EvidenceSummary {
  /** by node id: how many contradictions */
  readonly nodes: ReadonlyMap<string, number>;
  readonly total: number;
}

export async function countEvidence({ db }: Pick<Context, 'db'>): Promise<EvidenceSummary> {
  const rows = await db.selectFrom('ledger_evidence').select(['node_id', 'more']).execute();
  const nodes = new Map<string, number>();
  for (const row of rows) nodes.set(row.node_id, (nodes.get(row.node_id) ?? 0) + 1 + row.more);
  return { nodes, total: [...nodes.values()].reduce((sum, count) => sum + count, 0) };
}

/** All contradictions that this node keeps, oldest first. */
export async function evidenceOf({ db }: Pick<Context, 'db'>) {
  const rows = await db.selectFrom('ledger_evidence').selectAll().orderBy('found_at').orderBy('id').execute();
  return rows.map(({ id, node_id: nodeId, kind, one, other, source, found_at: foundAt, more, document }) => {
    const known = kind as Contradiction;
    const what = contradictions[known];
    return {
      id,
      nodeId,
      kind: known,
      what,
      one,
      other,
      source,
      foundAt: new Date(foundAt).toISOString(),
      more,
      document,
    };
  });
}
