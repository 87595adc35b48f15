import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { AuditRecord, quorumAudit } from '../../../contract/quorum/audit.ts';
import { placesOf, type Place } from '../../../platform/ledger/places.ts';
import { timeFrom } from '../../../base/iso-time.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next } from '../../../platform/store/page.ts';
import type { QuorumAuditRow } from '../../../platform/store/tables/quorum.ts';
import { requireInsider } from '../access.ts';

/** The audit trail, newest first. */
export async function listAudit(
  ctx: Context,
  actor: Actor,
  { subject, action, from, to, ...page }: InputOf<typeof quorumAudit.listAudit>,
): Promise<{ records: AuditRecord[] } & Next> {
  await requireInsider(ctx, actor);
  let query = ctx.db.selectFrom('quorum_audit').selectAll();
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (action !== undefined) query = query.where('action', '=', action);
  if (from !== undefined) query = query.where('created_at', '>=', moment('from', from));
  if (to !== undefined) query = query.where('created_at', '<', moment('to', to));
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'quorum.audit',
      memberId: actor.memberId,
      filter: { subject, action, from, to },
      // The ids of entries keep the order in which a process recorded them, also within a millisecond.
      by: [desc('ledger_entry', (row) => row.ledger_entry)],
    },
    page,
  );
  const places = await placesOf(
    ctx,
    rows.map((row) => row.ledger_entry),
  );
  return { records: rows.map((row) => shown(row, places.get(row.ledger_entry) ?? lost(row))), ...next };
}

/** @throws Problem invalid VALIDATION_ERROR */
function moment(path: string, text: string): number {
  const at = timeFrom(text);
  if (at === undefined) throw fieldProblem(path, 'is not a time');
  return at;
}

function lost({ id }: QuorumAuditRow): never {
  throw new Problem(
    'internal',
    'LEDGER_DAMAGED',
    `The entry of the ledger about the record ${id} is not in the store. Check it with: conclave quorum audit verify`,
  );
}

function shown(row: QuorumAuditRow, { index, leafHash }: Place): AuditRecord {
  return {
    id: row.id,
    action: row.action,
    actorId: row.actor_id,
    subject: row.subject,
    details: JSON.parse(row.details) as Record<string, unknown>,
    timestamp: new Date(row.created_at).toISOString(),
    blockHeight: index,
    ledgerEntryHash: leafHash,
  };
}
