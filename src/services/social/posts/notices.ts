import type { Context } from '../../../service/context.ts';
import { notifyMany } from '../../../shared/notifications/many.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { mayBeTold, tell } from '../notices.ts';
import type { PersonRow } from '../people/found.ts';

/** Sentences about posts name members and never the text of a post, so that nobody is told what they may no longer see. */
const sentences = {
  reply: 'replied to your post.',
  repost: 'reposted your post.',
  quote: 'quoted your post.',
} as const;

/** Tells the author of the post above a reply, repost or quote, if they may see it. */
export async function tellOfPost(
  tx: Context,
  self: PersonRow,
  row: SocialPostRow,
  above: Pick<SocialPostRow, 'id' | 'author_id'> | undefined,
): Promise<void> {
  if (above === undefined || row.kind === 'original') return;
  if (!(await mayBeTold(tx, above.author_id, row))) return;
  await tell(tx, {
    recipientId: above.author_id,
    type: row.kind,
    actorId: self.id,
    // Reposts of one post are one notification. A reply and a quote are each worth one.
    targetId: row.kind === 'repost' ? above.id : row.id,
    content: `${self.username} ${sentences[row.kind]}`,
    once: row.kind === 'repost',
  });
}

/**
 * Tells the members whom a text names, after the commit, if they may see it then.
 * @param told somebody who was told of the post already
 */
export async function tellOfMentions(
  tx: Context,
  self: PersonRow,
  row: Pick<SocialPostRow, 'id'>,
  memberIds: readonly string[],
  told?: string,
): Promise<void> {
  const content = `${self.username} mentioned you.`;
  await notifyMany(
    tx,
    memberIds.filter((id) => id !== told),
    // An edit can take a name out and put it in again.
    { type: 'mention', actorId: self.id, targetId: row.id, content, once: true },
  );
}
