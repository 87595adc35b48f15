import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Seat } from '../../../shared/conversations/conversation.ts';
import { idInUrl, replacePicture } from '../media/attaching.ts';

/** Gives a group the picture that a URL names, or none, in the transaction that changes the group. @throws Problem invalid INVALID_MEDIA */
export async function changePicture(tx: Context, actor: Actor, seat: Seat, url: string | null): Promise<string | null> {
  const after = url === null ? null : idInUrl(url);
  await replacePicture(tx, actor, 'avatarUrl', { before: seat.picture_id, after });
  return after;
}

/** Deletes the picture of a group that is deleted. */
export async function dropPicture(tx: Context, { picture_id: before }: Seat): Promise<void> {
  await replacePicture(tx, { memberId: '' }, 'avatarUrl', { before, after: null });
}
