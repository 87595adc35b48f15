import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { hiddenFrom } from '../../../shared/members/blocks.ts';
import { addressHint, membersNamed, type NamedMember } from '../../../shared/members/named.ts';
import { Problem } from '../../../base/problem.ts';
import { requireSharing } from './granting.ts';

/** @throws Problem missing MEMBER_NOT_FOUND, also for one who blocked the actor */
export async function requireRecipient(ctx: Context, actor: Actor, name: string): Promise<NamedMember> {
  const [found] = await membersNamed(ctx, [name]);
  if (found?.active !== true || (await hiddenFrom(ctx, actor.memberId, [found.id], 'blocks')).size > 0)
    throw new Problem(
      'missing',
      'MEMBER_NOT_FOUND',
      `There is no such member${addressHint(name)}, or one of you has blocked the other.`,
    );
  return found;
}

export async function showRecipient(
  ctx: Context,
  actor: Actor,
  { fileId, member }: { readonly fileId: string; readonly member: string },
): Promise<{ memberId: string; username: string; publicKey: string }> {
  await requireSharing(ctx, actor, fileId, ['share']);
  const { id: memberId, username, publicKey } = await requireRecipient(ctx, actor, member);
  return { memberId, username, publicKey };
}
