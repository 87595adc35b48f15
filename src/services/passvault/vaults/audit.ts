import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AuditAction, AuditEntry } from '../../../contract/passvault/sharing.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import { placesOf, type Place } from '../../../platform/ledger/places.ts';
import { Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { PassvaultAuditRow } from '../../../platform/store/tables/passvault.ts';
import { requireOwner } from './access.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';

/** Ids and counts only, never the content of an entry. */
export type AuditMetadata = Readonly<Record<string, string | number | boolean>>;

/**
 * Writes a record to the audit log of a vault, in the transaction of the action. The ledger gets a commitment to the record. The opening of
 * the commitment is stored where it can be erased.
 */
export async function record(
  tx: Context,
  actor: Actor,
  vaultId: string,
  action: AuditAction,
  metadata?: AuditMetadata,
): Promise<void> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const entry = await appendEntry(tx, {
    type: 'PASSVAULT_AUDIT',
    tags: { vault: vaultId },
    details: {
      id,
      vaultId,
      memberId: actor.memberId,
      action,
      timestamp: new Date(now).toISOString(),
      ...(metadata !== undefined && { metadata: { ...metadata } }),
    },
  });
  await tx.db
    .insertInto('passvault_audit')
    .values({
      id,
      vault_id: vaultId,
      member_id: actor.memberId,
      action,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      ledger_entry: entry,
      created_at: now,
    })
    .execute();
}

export interface AuditPage extends Next {
  entries: AuditEntry[];
  usernames: Record<string, string>;
}

/** The audit log, newest first. */
export async function auditLog(
  ctx: Context,
  actor: Actor,
  { vaultId, ...page }: { vaultId: string } & PageRequest,
): Promise<AuditPage> {
  await requireOwner(ctx, actor, vaultId);
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('passvault_audit').selectAll().where('vault_id', '=', vaultId),
    {
      list: 'passvault.audit-log',
      memberId: actor.memberId,
      filter: { vaultId },
      by: [desc('ledger_entry', (row) => row.ledger_entry)],
    },
    page,
  );
  const places = await placesOf(
    ctx,
    rows.map((row) => row.ledger_entry),
  );
  const entries = rows.map((row) => entryOf(row, places.get(row.ledger_entry) ?? lost(row)));
  const ids = entries.flatMap(({ memberId, metadata }) => [memberId, metadata?.['recipientId'] ?? memberId]);
  const members = await memberSummaries(
    ctx,
    ids.filter((id) => typeof id === 'string'),
  );
  const usernames = Object.fromEntries([...members.values()].map(({ id, username }) => [id, username]));
  return { entries, usernames, ...next };
}

function lost(row: PassvaultAuditRow): never {
  throw new Problem(
    'internal',
    'LEDGER_DAMAGED',
    `The entry of the ledger about the record ${row.id} is not in the store.`,
  );
}

function entryOf(row: PassvaultAuditRow, { index, leafHash }: Place): AuditPage['entries'][number] {
  return {
    id: row.id,
    vaultId: row.vault_id,
    memberId: row.member_id,
    action: row.action as AuditAction,
    timestamp: new Date(row.created_at).toISOString(),
    blockHeight: index,
    ledgerEntryHash: leafHash,
    ...(row.metadata !== null && {
      metadata: JSON.parse(row.metadata) as { -readonly [K in keyof AuditMetadata]: AuditMetadata[K] },
    }),
  };
}
