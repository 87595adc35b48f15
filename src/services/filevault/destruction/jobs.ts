import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { emptyContainer } from './containers.ts';
import { finishDestructions } from './destroy.ts';
import { destroyScheduled } from './schedule.ts';

/** Goes on with a destruction where a process stopped. */
export function destructionHandler(ctx: Context): JobHandler {
  return async (payload) => {
    const { fileId } = payload as { fileId: string };
    const row = await ctx.db
      .selectFrom('file_destructions')
      .selectAll()
      .where('file_id', '=', fileId)
      .executeTakeFirst();
    if (row !== undefined) await finishDestructions(ctx, { memberId: row.requested_by, address: 'local' }, [row]);
  };
}

/** The same for a container. */
export function containerHandler(ctx: Context): JobHandler {
  return async (payload) => {
    const { id } = payload as { id: string };
    const row = await ctx.db.selectFrom('file_containers').selectAll().where('id', '=', id).executeTakeFirst();
    if (row?.state === 'destroyed') await emptyContainer(ctx, { memberId: row.owner_id, address: 'local' }, row);
  };
}

interface ScheduledDestruction {
  readonly fileId: string;
  readonly memberId: string;
  readonly address: string;
  /** the approval that was used up when it was scheduled */
  readonly approvalId?: string;
}

/** Destroys a file whose time has come, if whoever scheduled it still may. */
export function scheduledHandler(ctx: Context): JobHandler {
  return async (payload) => {
    const { fileId, memberId, address, approvalId } = payload as ScheduledDestruction;
    try {
      await destroyScheduled(ctx, { memberId, address }, fileId, approvalId);
    } catch (error) {
      // Who lost the right, or a decision of the quorum, is no reason to try again.
      if (!(error instanceof Problem) || error.kind === 'internal' || error.kind === 'unavailable') throw error;
      ctx.log.warn('a scheduled destruction was refused', { fileId, code: error.code });
    }
  };
}
