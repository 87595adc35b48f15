import type { Actor } from '../actor.ts';
import type { Context } from '../context.ts';
import type { AuditAction, AuditEntry } from '../contract/passvault/sharing.ts';
import { decodeCursor, encodeCursor } from '../store/cursor.ts';
import { requireOwner } from './access.ts';
import type { AuditMetadata } from './audit.ts';
import { usernamesOf } from './named-members.ts';

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
  { vaultId, limit, cursor }: { vaultId: string; limit: number; cursor?: string | undefined },
): Promise<AuditPage> {
  await requireOwner(ctx, actor, vaultId);
  let query = ctx.db
    .selectFrom('passvault_audit')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .orderBy('ledger_index', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined)
    query = query.where('ledger_index', '<', Number(decodeCursor(ctx.keys.cursor, cursor).sort));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const entries = page.map((row) => ({
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
  }));
  const ids = entries.flatMap(({ memberId, metadata }) => [memberId, metadata?.['recipientId'] ?? memberId]);
  const usernames = await usernamesOf(ctx, new Set(ids.filter((id) => typeof id === 'string')));
  const last = page.at(-1);
  if (rows.length <= limit || last === undefined) return { entries, usernames, hasMore: false };
  const next = encodeCursor(ctx.keys.cursor, { sort: last.ledger_index, id: last.id });
  return { entries, usernames, cursor: next, hasMore: true };
}
