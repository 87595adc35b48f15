import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AuditEntry } from '../../../contract/filevault/audit.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileAuditRow } from '../../../platform/store/tables/filevault.ts';
import { shownRecords, visibleRecords, type AuditFilter } from './records.ts';

export async function listAudit(
  ctx: Context,
  actor: Actor,
  { limit, cursor, ...filter }: AuditFilter & PageRequest,
): Promise<{ entries: AuditEntry[] } & Next> {
  const query = await visibleRecords(ctx, actor, filter);
  const listing = {
    list: 'filevault.list-audit',
    memberId: actor.memberId,
    filter: { ...filter },
    by: [desc<FileAuditRow>('ledger_entry', (row) => row.ledger_entry)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  return { entries: await shownRecords(ctx, actor, rows), ...next };
}
