import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { Audience, Post } from '../../../contract/social/post.ts';
import type { AttachedUpload } from '../../../contract/social/posts.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { enterHubs } from '../hubs/hub-posts.ts';
import { assertMayPost, hubsOfAnswer, hubsOfPost, type Place } from '../hubs/posting.ts';
import { attachMedia, mediaOfPosts } from '../media/attaching.ts';
import { requireSelf, type PersonRow } from '../people/found.ts';
import { indexPost } from '../search/index-post.ts';
import { hubIdsOf } from '../seeing/hubs.ts';
import { requireOriginal, requirePost, type SeenPost } from '../seeing/posts.ts';
import { sealedUnderCurrent, unsealed } from '../seeing/sealed.ts';
import { countPost, isCounted } from './counts.ts';
import { tellOfMentions, tellOfPost } from './notices.ts';
import { shownPost } from './shown.ts';
import { assertLength, mentionedBy, readText, type ReadText } from './text.ts';

/** The texts and flags that a new post has. */
interface Draft {
  readonly text: ReadText;
  /** the name of the text in the input */
  readonly field: string;
  readonly warning: string;
  readonly sensitive: boolean;
  readonly place: SeenPlace;
  /** uploads of the author */
  readonly media: readonly AttachedUpload[];
}

/** A place in which its author may write. That is asked before the reply to an earlier request is given. */
interface SeenPlace extends Place {
  readonly audience: Audience;
}

/** What a new post is about. */
type About =
  | { readonly kind: 'original' }
  | { readonly kind: 'reply'; readonly parent: SeenPost }
  | { readonly kind: 'repost' | 'quote'; readonly subject: SeenPost };

const nothing: Omit<Draft, 'place'> = {
  text: { content: '', graphemes: 0, usernames: [], tags: [], hasLink: false, words: new Map() },
  field: '',
  warning: '',
  sensitive: false,
  media: [],
};

export async function createPost(
  ctx: Context,
  actor: Actor,
  {
    content,
    parentPostId,
    hubIds,
    mediaAttachments: media,
    contentWarning = '',
    isSensitive = false,
  }: InputOf<typeof social.createPost>,
): Promise<Post> {
  const text = readText('content', content);
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const parent = parentPostId === undefined ? undefined : await requireOriginal(tx, actor, parentPostId);
    const about: About = parent === undefined ? { kind: 'original' } : { kind: 'reply', parent };
    const place = await placeOf(tx, self, about, hubIds);
    const draft = { text, field: 'content', warning: contentWarning, sensitive: isSensitive, place, media };
    return await once(tx, async () => await addPost(tx, self, about, draft));
  });
}

export async function quote(
  ctx: Context,
  actor: Actor,
  { id, commentary, mediaAttachments: media, contentWarning = '', isSensitive = false }: InputOf<typeof social.quote>,
): Promise<Post> {
  const text = readText('commentary', commentary);
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const subject = await requireOriginal(tx, actor, id);
    const about: About = { kind: 'quote', subject };
    const place = await placeOf(tx, self, about);
    const draft = { text, field: 'commentary', warning: contentWarning, sensitive: isSensitive, place, media };
    return await once(tx, async () => await addPost(tx, self, about, draft));
  });
}

export async function repost(ctx: Context, actor: Actor, { id }: InputOf<typeof social.repost>): Promise<Post> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const subject = await requireOriginal(tx, actor, id);
    const about: About = { kind: 'repost', subject };
    const place = await placeOf(tx, self, about);
    return await once(tx, async () => {
      if (subject.reposted === 1) throw new Problem('invalid', 'ALREADY_REPOSTED', 'You reposted this post already.');
      return await addPost(tx, self, about, { ...nothing, place });
    });
  });
}

/** Where a post is seen. A reply to a post in hubs is in the same hubs, and so is a repost or a quote of one. */
async function placeOf(tx: Context, self: PersonRow, about: About, wanted: readonly string[] = []): Promise<SeenPlace> {
  const above = about.kind === 'original' ? undefined : about.kind === 'reply' ? about.parent : about.subject;
  if (above?.audience === 'hub')
    return { audience: 'hub', ...(await hubsOfAnswer(tx, self.id, hubIdsOf(above.known_hubs), wanted)) };
  if (wanted.length === 0)
    return { audience: self.protected === 1 ? 'followers' : 'public', hubIds: [], sealedIn: undefined };
  if (above !== undefined) throw fieldProblem('hubIds', 'must be hubs of the post that it answers');
  return { audience: 'hub', ...(await hubsOfPost(tx, self.id, wanted)) };
}

async function addPost(tx: Context, self: PersonRow, about: About, draft: Draft): Promise<Post> {
  const { audience, hubIds, sealedIn } = draft.place;
  assertLength(draft.field, draft.text, audience === 'hub' ? socialLimits.hubPost : socialLimits.post);
  const above = about.kind === 'original' ? undefined : about.kind === 'reply' ? about.parent : about.subject;
  const parent = about.kind === 'reply' ? about.parent : undefined;
  const depth = parent === undefined ? 0 : parent.depth + 1;
  if (depth > socialLimits.depth) {
    const words = `A thread has at most ${socialLimits.depth} levels of replies. Reply to a post above this one.`;
    throw new Problem('invalid', 'THREAD_TOO_DEEP', words);
  }
  const now = tx.clock.now();
  const mentions = await mentionedBy(tx, self.id, draft.text);
  const id = recordId(now, tx.random);
  // A repost has nothing to seal.
  const sealing = about.kind === 'repost' ? undefined : sealedIn;
  const media = await attachMedia(tx, { memberId: self.id }, id, draft.media, sealing !== undefined);
  const isAmongCounted = above !== undefined && (await isCounted(tx, { audience, author_id: self.id, hubIds }, above));
  const row: SocialPostRow = {
    id,
    author_id: self.id,
    kind: about.kind,
    audience,
    parent_id: parent?.id ?? null,
    root_id: parent === undefined ? null : (parent.root_id ?? parent.id),
    depth,
    subject_id: about.kind === 'repost' || about.kind === 'quote' ? about.subject.id : null,
    content: draft.text.content,
    warning: draft.warning,
    sensitive: draft.sensitive || media.some(({ sensitive }) => sensitive) ? 1 : 0,
    mentions: JSON.stringify(mentions),
    ...unsealed,
    counted: isAmongCounted ? 1 : 0,
    like_count: 0,
    repost_count: 0,
    reply_count: 0,
    quote_count: 0,
    upvote_count: 0,
    downvote_count: 0,
    engagement: 0,
    controversy: 0,
    created_at: now,
    updated_at: now,
    edited_at: null,
    deleted_at: null,
  };
  const altTexts = media.map(({ altText }) => altText);
  const sealed = sealing === undefined ? {} : await sealedUnderCurrent(tx, sealing, { ...row, revision: 0 }, altTexts);
  await insertRows(tx.db, 'social_posts', [{ ...row, ...sealed }]);
  await enterHubs(tx, row, hubIds);
  if (sealing === undefined) await addTags(tx, row, draft.text.tags);
  await indexPost(tx, { ...row, ...sealed }, { ...draft.text, mediaTypes: media.map(({ mimeType }) => mimeType) });
  await countPost(tx, row, 1);
  await tellOfPost(tx, self, row, above);
  await tellOfMentions(tx, self, row, Object.values(mentions), above?.author_id);
  return await shownPost(tx, self.id, await requirePost(tx, { memberId: self.id }, row.id));
}

async function addTags(
  tx: Context,
  { id, engagement }: Pick<SocialPostRow, 'id' | 'engagement'>,
  tags: readonly string[],
): Promise<void> {
  await insertRows(
    tx.db,
    'social_post_tags',
    tags.map((tag) => ({ tag, post_id: id, engagement })),
  );
}

export async function editPost(
  ctx: Context,
  actor: Actor,
  { id, content, contentWarning, isSensitive }: InputOf<typeof social.editPost>,
): Promise<Post> {
  const text = readText('content', content);
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const row = await requirePost(tx, actor, id);
    if (row.author_id !== self.id)
      throw new Problem('forbidden', 'NOT_AUTHOR', 'Only the author of a post can change it.');
    if (row.kind === 'repost')
      throw new Problem('invalid', 'REPOST_HAS_NO_TEXT', 'A repost has no text. Quote the post instead.');
    await assertMayPost(tx, self.id, hubIdsOf(row.known_hubs));
    const now = tx.clock.now();
    if (now - row.created_at > socialLimits.editMs)
      throw new Problem('forbidden', 'EDIT_WINDOW_OVER', 'Posts can be changed for 15 minutes. Write a new one.');
    assertLength('content', text, row.audience === 'hub' ? socialLimits.hubPost : socialLimits.post);
    const mentions = await mentionedBy(tx, self.id, text);
    const changed = {
      content,
      mentions: JSON.stringify(mentions),
      warning: contentWarning ?? row.warning,
      sensitive: (isSensitive ?? row.sensitive === 1) ? 1 : 0,
      updated_at: now,
      edited_at: now,
    };
    const revision = (row.revision ?? 0) + 1;
    const sealed =
      row.sealed_in === null
        ? {}
        : await sealedUnderCurrent(tx, row.sealed_in, { ...row, ...changed, revision }, row.alt_texts ?? []);
    await tx.db
      .updateTable('social_posts')
      .set({ ...changed, ...sealed })
      .where('id', '=', row.id)
      .execute();
    await tx.db.deleteFrom('social_post_tags').where('post_id', '=', row.id).execute();
    if (row.sealed_in === null) await addTags(tx, row, text.tags);
    const media = (await mediaOfPosts(tx, [row.id])).get(row.id) ?? [];
    await indexPost(tx, row, { ...text, mediaTypes: media.map(({ mimeType }) => mimeType) });
    const before = new Set(Object.values(JSON.parse(row.mentions) as Record<string, string>));
    const after = new Set(Object.values(mentions));
    for (const recipientId of before)
      if (!after.has(recipientId))
        await withdraw(tx, { type: 'mention', actorId: self.id, targetId: row.id, recipientId });
    const added = [...after].filter((memberId) => !before.has(memberId));
    await tellOfMentions(tx, self, row, added, await authorAbove(tx, row));
    return await shownPost(tx, self.id, { ...row, ...changed });
  });
}

/** Who was told of a reply or a quote when it was written. */
async function authorAbove(tx: Context, { parent_id, subject_id }: SocialPostRow): Promise<string | undefined> {
  const id = parent_id ?? subject_id;
  if (id === null) return undefined;
  const above = await tx.db.selectFrom('social_posts').select('author_id').where('id', '=', id).executeTakeFirst();
  return above?.author_id;
}
