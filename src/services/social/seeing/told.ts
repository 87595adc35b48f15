import type { NotificationType } from '../../../contract/notifications/notification.ts';
import { seen } from './posts.ts';

/** Notifications that are about what one member did, and which others see only as long as they may see that. */
export const toldTypes = [
  'like',
  'repost',
  'follow',
  'follow_request',
  'reply',
  'mention',
  'quote',
] as const satisfies readonly NotificationType[];

/**
 * SQL: whether the recipient of a notification of these types may see, at this moment, what an actor did. What somebody who is suspended, has
 * left, or is parted from the recipient by a block did is seen by nobody. Without an actor or a target nothing is asked of it. What is
 * liked is the recipient's own, and is withdrawn when it is deleted.
 *
 * @param told alias of the notification
 * @param actor SQL: id of who did it, one of several maybe
 * @param reader SQL: id of the recipient
 */
export function seenTold(told: string, actor: string, reader: string): string {
  const post = `${told}_post`;
  const found = (where: string) =>
    `(select 1 from social_posts ${post} where ${where} and ${seen(post, reader)} limit 1) = 1`;
  return `(${actor} is null or (
      (select 1 from members ${told}_m join social_profiles ${told}_s on ${told}_s.member_id = ${told}_m.id
        where ${told}_m.id = ${actor} and ${told}_m.status = 'active') = 1
      and (${noBlocks(reader)} or (
        not exists (select 1 from member_blocks b where b.member_id = ${reader} and b.blocked_id = ${actor})
        and not exists (select 1 from member_blocks b where b.member_id = ${actor} and b.blocked_id = ${reader})))))
    and (${told}.target_id is null or case ${told}.type
      when 'like' then 1 = 1 when 'follow' then 1 = 1 when 'follow_request' then 1 = 1
      when 'repost' then ${found(`${post}.author_id = ${actor} and ${post}.subject_id = ${told}.target_id and ${post}.kind = 'repost'`)}
      else ${found(`${post}.id = ${told}.target_id`)} end)`;
}

/** SQL: whether no block parts a reader from anybody. With a reader that is the same for all rows it is asked once. */
function noBlocks(reader: string): string {
  return `(not exists (select 1 from member_blocks o where o.member_id = ${reader})
        and not exists (select 1 from member_blocks o where o.blocked_id = ${reader}))`;
}
