import type { Actor, Guest } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { LogFields } from '../../base/log.ts';

/**
 * Writes one log line for each action of an administrator and for each event that concerns the security of an account. The line has only
 * ids, no names and no addresses. Inside a transaction it is written after the commit.
 * @param target id of the member that the action concerns
 */
export function audit(ctx: Context, actor: Actor | Guest, action: string, target?: string, more: LogFields = {}): void {
  const fields = {
    actor: actor.kind === 'member' ? actor.memberId : 'guest',
    action,
    ...(target !== undefined && { target }),
    ...more,
  };
  ctx.afterCommit(() => ctx.log.info('audit', fields));
}
