import type { Context } from '../../../service/context.ts';
import { opened, sealedAgain, sealedColumns } from '../seeing/sealed.ts';

/** Each is opened. */
const BATCH = 100;

/**
 * Walks over the posts in encrypted hubs, and removes the member's id from behind the member's name. They stay under their keys.
 * @param after the hub and the last post that was looked at
 * @returns undefined at the end
 */
export async function sealedTraces(tx: Context, memberId: string, after: string): Promise<string | undefined> {
  const [hubId = '', postId = ''] = after.split('/');
  const rows = await tx.db
    .selectFrom('social_posts')
    .select(['id', 'author_id', ...sealedColumns])
    .where('sealed_in', 'is not', null)
    .where((e) => e(e.refTuple('sealed_in', 'id'), '>', e.tuple(hubId, postId)))
    .orderBy('sealed_in')
    .orderBy('id')
    .limit(BATCH)
    .execute();
  for (const { alt_texts: altTexts = [], ...post } of await opened(tx, rows)) {
    const mentions = withoutMember(post.mentions, memberId);
    if (mentions === undefined) continue;
    const words = await sealedAgain(tx, { ...post, mentions, revision: (post.revision ?? 0) + 1 }, altTexts);
    await tx.db.updateTable('social_posts').set(words).where('id', '=', post.id).execute();
  }
  const last = rows.at(-1);
  return rows.length < BATCH || last === undefined ? undefined : `${last.sealed_in}/${last.id}`;
}

/** @returns undefined if the member is not among them */
export function withoutMember(mentions: string, memberId: string): string | undefined {
  const all = Object.entries(JSON.parse(mentions) as Record<string, string>);
  const others = all.filter(([, one]) => one !== memberId);
  return others.length === all.length ? undefined : JSON.stringify(Object.fromEntries(others));
}
