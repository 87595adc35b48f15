import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { conversations } from '../../../contract/social/conversations.ts';
import type { SocialConversation } from '../../../contract/social/message.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { requireSeat, roomOf, type Seat } from '../../../shared/conversations/conversation.ts';
import { removeMember } from '../../../shared/conversations/moderation.ts';
import { addMembers } from '../../../shared/conversations/rooms.ts';
import { tellUpdated } from '../../../shared/conversations/social-facts.ts';
import { rulesOf, socialTypes } from '../../../shared/conversations/types.ts';
import { requirePermission } from '../../../shared/conversations/voice.ts';
import { recordDeed } from '../../../shared/groups/log.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { changePicture, dropPicture } from './pictures.ts';
import { requireNamed, requireOpenToGroups } from './reach.ts';
import { showNow } from './shown.ts';

type Contract = typeof conversations;

/** @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; invalid VALIDATION_ERROR for a conversation of two */
async function requireGroup(ctx: Context, actor: Actor, id: string): Promise<Seat> {
  const seat = await requireSeat(ctx, actor, socialTypes, id);
  if (seat.pair === null) return seat;
  throw new Problem('invalid', 'VALIDATION_ERROR', 'This is a conversation of two. Begin a group for more.');
}

const types = ['social_group'] as const;

export async function addParticipants(
  ctx: Context,
  actor: Actor,
  { id, userIds }: InputOf<Contract['addParticipants']>,
): Promise<SocialConversation> {
  const { memberId } = actor;
  await requireGroup(ctx, actor, id);
  const memberIds = await requireNamed(ctx, actor, userIds);
  return await addMembers(
    ctx,
    memberId,
    { types, id, memberIds },
    async (tx, add) =>
      await once(tx, async () => {
        await requireOpenToGroups(
          tx,
          memberId,
          memberIds.filter((one) => one !== memberId),
        );
        if ((await add()).length > 0) await tellUpdated(tx, id);
        return await showNow(tx, memberId, id);
      }),
  );
}

export async function removeParticipant(
  ctx: Context,
  actor: Actor,
  { id, userId }: InputOf<Contract['removeParticipant']>,
): Promise<SocialConversation> {
  const { memberId } = actor;
  await requireGroup(ctx, actor, id);
  // Whoever blocked the owner, or is suspended, can be removed too.
  const [member] = await membersNamed(ctx, [userId]);
  const and = async (tx: Context): Promise<SocialConversation> => {
    await tellUpdated(tx, id);
    return await showNow(tx, memberId, id);
  };
  const subject = { types, id, subjectId: member?.id ?? '' };
  return await removeMember(ctx, memberId, subject, { permission: 'MANAGE_MEMBERS', and });
}

/** What goes with leaving a group. @param isGone whether it was deleted, because nobody else was in it */
export async function afterLeaving(tx: Context, seat: Seat, isGone: boolean): Promise<void> {
  if (isGone) await dropPicture(tx, seat);
  else await tellUpdated(tx, seat.id);
}

export async function changeConversation(
  ctx: Context,
  actor: Actor,
  { id, name, avatarUrl }: InputOf<Contract['changeConversation']>,
): Promise<SocialConversation> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const seat = await requireGroup(tx, actor, id);
    requirePermission(seat, rulesOf(seat).changing);
    const picture = avatarUrl === undefined ? seat.picture_id : await changePicture(tx, actor, seat, avatarUrl);
    const changed = { name: name ?? seat.name, picture_id: picture };
    if (changed.name !== seat.name || picture !== seat.picture_id) {
      await tx.db.updateTable('conversations').set(changed).where('id', '=', id).execute();
      await recordDeed(tx, roomOf(id), { by: memberId, action: 'settings' });
      await tellUpdated(tx, id);
    }
    return await showNow(tx, memberId, id);
  });
}
