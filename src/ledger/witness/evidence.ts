import { type Context, transaction } from '../../context.ts';
import { toHex, utf8 } from '../../crypto/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';
import type { PeerCheckpoint } from './peer-checkpoint.ts';

/** What two checkpoints show about the node that signed both. */
const contradictions = {
  'same-size': 'signed two different ledgers of the same size',
  'not-continued': 'signed a ledger, and a later one that does not continue it',
  'after-recovery': 'signed a larger ledger under a log key that it had given up',
  'recovered-twice': 'began two new logs in place of the same one',
  'forgot-entries': 'began a new log and left out entries that it had signed',
} as const;

export type Contradiction = keyof typeof contradictions;

/** Of one node. What comes after is counted: the first contradictions show as much as a thousand. */
const MOST_OF_A_NODE = 16;

/**
 * Keeps two checkpoints that contradict each other, and says so in the log.
 *
 * @param source the node that showed the second checkpoint
 * @returns whether they were not known before
 */
export async function keepEvidence(
  ctx: Context,
  kind: Contradiction,
  one: PeerCheckpoint,
  other: PeerCheckpoint,
  source: string,
): Promise<boolean> {
  const { nodeId } = one;
  const id = toHex(sha256(utf8(`${kind}\n${one.note.text}\n${other.note.text}`)));
  const isNew = await transaction(ctx, async ({ db, clock }) => {
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
      .values({ id, node_id: nodeId, kind, one: one.text, other: other.text, source, found_at: clock.now(), more: 0 })
      .execute();
    return true;
  });
  if (isNew)
    ctx.log.error(`a node ${contradictions[kind]}; see conclave ledger verify`, {
      nodeId,
      sizes: [one.size, other.size],
      source,
    });
  return isNew;
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
  return rows.map(({ node_id: nodeId, kind, one, other, source, found_at: foundAt, more }) => {
    const known = kind as Contradiction;
    const what = contradictions[known];
    return { nodeId, kind: known, what, one, other, source, foundAt: new Date(foundAt).toISOString(), more };
  });
}
