import type { NotificationType } from '../../../contract/notifications/notification.ts';
import { noBlock, seen } from './posts.ts';

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
    `(select 1 from social_posts ${post} where ${where} and ${seen(post, reader, noBlock)} limit 1) = 1`;
  const active = `(${actor} is null or (
      (select 1 from members ${told}_m join social_profiles ${told}_s on ${told}_s.member_id = ${told}_m.id
        where ${told}_m.id = ${actor} and ${told}_m.status = 'active') = 1
      and ${noBlock(reader, actor)}))`;
  // The filter of posts asks the same of their authors.
  return `case when ${told}.target_id is null or ${told}.type in ('like', 'follow', 'follow_request') then ${active}
      when ${told}.type = 'repost'
        then ${found(`${post}.author_id = ${actor} and ${post}.subject_id = ${told}.target_id and ${post}.kind = 'repost'`)}
      else ${found(`${post}.id = ${told}.target_id and (${actor} is null or ${post}.author_id = ${actor})`)} end`;
}
