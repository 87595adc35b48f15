import { audit } from '../../shared/members/audit.ts';
import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { theNode } from './acl/signer.ts';

/** Writes one log line for each action on the pool. Inside a transaction it is written after the commit. */
export function note(
  ctx: Context,
  actor: Actor | typeof theNode,
  action: string,
  target?: string,
  version?: number,
): void {
  const more = version === undefined ? {} : { version };
  if (actor === theNode) ctx.afterCommit(() => ctx.log.info('audit', { actor, action, target, ...more }));
  else audit(ctx, actor, action, target, more);
}

/** As `note`, for an access list that is named by its hash. The log shows a hash only in a field for hashes, because keys look alike. */
export function noteList(ctx: Context, actor: Actor, action: string, hash: string, version?: number): void {
  audit(ctx, actor, action, undefined, { hash, ...(version !== undefined && { version }) });
}
