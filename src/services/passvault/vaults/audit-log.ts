import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { AuditAction, AuditEntry } from '../../../contract/passvault/sharing.ts';
import { readPage, type PageRequest } from '../../../store/page.ts';
import type { PassvaultAuditRow } from '../../../store/tables/passvault.ts';
import { requireOwner } from './access.ts';
import type { AuditMetadata } from './audit.ts';
import { usernamesOf } from '../sharing/named-members.ts';

export interface AuditPage {
  entries: AuditEntry[];
  usernames: Record<string, string>;
  cursor?: string;
  hasMore: boolean;
}

/** The newest first. */
export async function auditLog(
  ctx: Context,
  actor: Actor,
  { vaultId, ...page }: { vaultId: string } & PageRequest,
): Promise<AuditPage> {
  await requireOwner(ctx, actor, vaultId);
  const { rows, next } = await readPage(
    ctx.db.selectFrom('passvault_audit').selectAll().where('vault_id', '=', vaultId),
    {
      key: ctx.keys.cursor,
      list: 'passvault.audit-log',
      memberId: actor.memberId,
      filter: { vaultId },
      order: 'desc',
      by: [['ledger_index', (row) => row.ledger_index]],
    },
    page,
  );
  const entries = rows.map(entryOf);
  const ids = entries.flatMap(({ memberId, metadata }) => [memberId, metadata?.['recipientId'] ?? memberId]);
  const usernames = await usernamesOf(ctx, new Set(ids.filter((id) => typeof id === 'string')));
  return { entries, usernames, ...next };
}

function entryOf(row: PassvaultAuditRow): AuditPage['entries'][number] {
  return {
    id: row.id,
    vaultId: row.vault_id,
    memberId: row.member_id,
    action: row.action as AuditAction,
    timestamp: new Date(row.created_at).toISOString(),
    blockHeight: row.ledger_index,
    ledgerEntryHash: row.ledger_hash,
    ...(row.metadata !== null && {
      metadata: JSON.parse(row.metadata) as { -readonly [K in keyof AuditMetadata]: AuditMetadata[K] },
    }),
  };
}
