import type { Actor, Guest } from '../actor.ts';
import type { Context } from '../context.ts';
import type { LogFields } from '../log.ts';

/**
 * One line for everything that an administrator does and for what bears on the security of an account: ids alone, no names, no
 * addresses. Inside a transaction it is written after the commit.
 * @param target id of the member it is about
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
