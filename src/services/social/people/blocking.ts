import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { social } from '../../../contract/social.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { muteDurations } from '../../../contract/social/limits.ts';
import {
  block as addBlock,
  mute as addMute,
  unblock as endBlock,
  unmute as endMute,
  whomBlocks,
} from '../../../shared/members/blocks.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { tellParted } from '../../../shared/presence/audience.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { takeOffLists } from '../lists/list-members.ts';
import { socialTypes } from '../notices.ts';
import { personIfKnown, personRows, requirePerson, requireSelf, unknownPerson, type PersonRow } from './found.ts';
import { endFollow, lockProfiles } from './follows.ts';
import { followOf } from './profiles.ts';

export async function block(ctx: Context, actor: Actor, { id }: InputOf<typeof social.block>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const other = (await personIfKnown(tx, actor, id)) ?? (await suspendedIfKnown(tx, self, id));
    if (other === undefined) throw unknownPerson();
    return await once(tx, async () => {
      await blockPerson(tx, self, other);
      return {};
    });
  });
}

/**
 * A member who is suspended, where one of the two follows the other: so it is known that there is this member. Also where the block is there,
 * because that has ended the follow, and the request may come again.
 */
async function suspendedIfKnown(tx: Context, self: PersonRow, name: string): Promise<PersonRow | undefined> {
  const [member] = await membersNamed(tx, [name]);
  const id = member?.id ?? '';
  // Each is asked for whoever it is, so that the number of statements tells nothing.
  const person = (await personRows(tx, [id])).get(id);
  const follows = (await followOf(tx, self.id, id)) !== 'no';
  const isFollowed = (await followOf(tx, id, self.id)) === 'yes';
  const blocks = (await whomBlocks(tx, self.id, [id])).size > 0;
  return person?.status === 'suspended' && (follows || isFollowed || blocks) ? person : undefined;
}

/** @throws Problem invalid ALREADY_BLOCKED, VALIDATION_ERROR */
export async function blockPerson(tx: Context, self: PersonRow, other: PersonRow): Promise<void> {
  if ((await whomBlocks(tx, self.id, [other.id])).size > 0)
    throw new Problem('invalid', 'ALREADY_BLOCKED', 'You blocked this member already.');
  // What either of them was told of the other here is gone too, and both hear that, because they see it until now. What they decide or
  // share in other services stays.
  await lockProfiles(tx, [self.id, other.id]);
  for (const recipientId of [self.id, other.id].toSorted()) {
    const actorId = recipientId === self.id ? other.id : self.id;
    await withdraw(tx, { recipientId, actorId, types: socialTypes });
  }
  await addBlock(tx, { memberId: self.id }, other.id);
  await tellParted(tx, self.id, other.id);
  await endFollow(tx, self.id, other.id);
  await endFollow(tx, other.id, self.id);
  await takeOffLists(tx, self.id, other.id);
  await takeOffLists(tx, other.id, self.id);
}

export async function unblock(ctx: Context, actor: Actor, { id }: InputOf<typeof social.unblock>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    // Whoever blocked the caller too can be named here, because the caller knows whom they blocked.
    const [other] = await membersNamed(tx, [id]);
    // Also for an unknown name, so that the number of statements tells nothing.
    if (await endBlock(tx, actor, other?.id ?? '')) return {};
    await requirePerson(tx, actor, id);
    throw new Problem('invalid', 'NOT_BLOCKED', 'You did not block this member.');
  });
}

export async function mute(
  ctx: Context,
  actor: Actor,
  { id, duration }: InputOf<typeof social.mute>,
): Promise<{ expiresAt?: string }> {
  return await transaction(ctx, async (tx) => {
    await requireSelf(tx, actor);
    const other = await requirePerson(tx, actor, id);
    return await once(tx, async () => {
      const length = muteDurations[duration];
      const until = length === undefined ? undefined : tx.clock.now() + length;
      await addMute(tx, actor, other.id, until);
      return until === undefined ? {} : { expiresAt: new Date(until).toISOString() };
    });
  });
}

export async function unmute(ctx: Context, actor: Actor, { id }: InputOf<typeof social.unmute>): Promise<object> {
  return await transaction(ctx, async (tx) => {
    const [other] = await membersNamed(tx, [id]);
    if (await endMute(tx, actor, other?.id ?? '')) return {};
    await requirePerson(tx, actor, id);
    throw new Problem('invalid', 'NOT_MUTED', 'You did not mute this member.');
  });
}
