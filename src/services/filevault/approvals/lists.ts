import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Approval } from '../../../contract/filevault/approvals.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileApprovalRow } from '../../../platform/store/tables/file-workflow.ts';
import { administeredBy, isAdministered, isOfOwn } from '../access/administered.ts';
import { visibleApproval } from './decisions.ts';
import { shownApproval, shownApprovals } from './shown.ts';

export async function showApproval(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Approval> {
  return await shownApproval(ctx, await visibleApproval(ctx, actor, id));
}

interface Filter {
  readonly status?: Approval['status'] | undefined;
  readonly mine?: 'true' | 'false' | undefined;
  readonly waitingForMe?: 'true' | undefined;
}

/** What the status is can depend on permissions of today, so rows of another status are left out after the page was read. */
export async function listApprovals(
  ctx: Context,
  actor: Actor,
  { status, mine, waitingForMe, ...page }: Filter & PageRequest,
): Promise<{ approvals: Approval[] } & Next> {
  const { memberId } = actor;
  const scope = await administeredBy(ctx, actor);
  const now = ctx.clock.now();
  let query = ctx.db
    .selectFrom('file_approvals')
    .selectAll()
    .where((e) =>
      e.or([e('requester_id', '=', memberId), isOfOwn('container_id', memberId), isAdministered('node_id', scope)]),
    );
  if (mine !== undefined) query = query.where('requester_id', mine === 'true' ? '=' : '!=', memberId);
  if (status === 'expired')
    query = query.where((e) =>
      e.or([e('status', '=', 'expired'), e.and([e('status', '=', 'pending'), e('expires_at', '<=', now)])]),
    );
  else if (status === 'approved' || status === 'pending' || waitingForMe === 'true')
    query = query.where('status', '=', 'pending').where('expires_at', '>', now);
  else if (status !== undefined) query = query.where('status', '=', status);
  if (waitingForMe === 'true')
    query = query.where('requester_id', '!=', memberId).where(
      sql<boolean>`not exists (select 1 from file_approval_votes v
          where v.approval_id = file_approvals.id and v.member_id = ${memberId})`,
    );
  const listing = {
    list: 'filevault.list-approvals',
    memberId,
    filter: { status, mine, waitingForMe },
    by: [desc<FileApprovalRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, page);
  const shown = await shownApprovals(ctx, rows);
  const approvals = shown.filter((one) => status === undefined || one.status === status);
  return { approvals, ...next };
}
