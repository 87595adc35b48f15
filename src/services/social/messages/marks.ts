import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { conversations } from '../../../contract/social/conversations.ts';
import { messageLimits } from '../../../contract/social/messages/limits.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { Problem } from '../../../base/problem.ts';
import { requireSeat, type Seat } from '../../../shared/conversations/conversation.ts';
import { changeSettings, type SettingsChange } from '../../../shared/conversations/settings.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import { onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';

type Contract = typeof conversations;
type Own = InputOf<Contract['pinConversation']>;

/** A mute that has no end, in what has room for one. */
const FOREVER = '9999-12-31T23:59:59.999Z';

async function change(
  ctx: Context,
  actor: Actor,
  id: string,
  changed: SettingsChange,
  check?: (tx: Context, seat: Seat) => Promise<void>,
): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, socialTypes, id);
    await check?.(tx, seat);
    await changeSettings(tx, seat, actor.memberId, changed);
    return {};
  });
}

const pinned = writtenQuery<{ count: number }>(`
  select count(*) as count from conversation_places p join conversations c on c.id = p.conversation_id
  where p.member_id = $1 and p.pinned = 1 and p.left_seq is null and p.conversation_id <> $2
    and c.type in ('social_direct', 'social_group')`);

export async function pinConversation(ctx: Context, actor: Actor, { id }: Own): Promise<object> {
  return await change(ctx, actor, id, { pinned: true }, async (tx) => {
    const { count } = onlyRow((await tx.db.executeQuery(pinned(actor.memberId, id))).rows);
    if (count < messageLimits.pinned) return;
    const message = `At most ${messageLimits.pinned} conversations are pinned. Unpin one.`;
    throw new Problem('invalid', 'TOO_MANY_PINNED', message);
  });
}

export async function unpinConversation(ctx: Context, actor: Actor, { id }: Own): Promise<object> {
  return await change(ctx, actor, id, { pinned: false });
}

export async function archiveConversation(ctx: Context, actor: Actor, { id }: Own): Promise<object> {
  return await change(ctx, actor, id, { archived: true });
}

export async function unarchiveConversation(ctx: Context, actor: Actor, { id }: Own): Promise<object> {
  return await change(ctx, actor, id, { archived: false });
}

export async function muteConversation(
  ctx: Context,
  actor: Actor,
  { id, expiresAt = FOREVER }: InputOf<Contract['muteConversation']>,
): Promise<object> {
  return await change(ctx, actor, id, { mutedUntil: expiresAt });
}

export async function unmuteConversation(ctx: Context, actor: Actor, { id }: Own): Promise<object> {
  return await change(ctx, actor, id, { mutedUntil: null });
}
