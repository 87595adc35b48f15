import type { Context } from '../../../service/context.ts';
import type { SearchedKind } from '../../../contract/social/limits.ts';
import { sha256HexOfText } from '../../../crypto/hash.ts';
import { indexed, type SearchSpace } from '../../../platform/store/search/document.ts';
import { putDocument, removeDocument } from '../../../platform/store/search/documents.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';

export const postSpace: SearchSpace = { name: 'social.posts' };

/** What posts are searched by beside their words. No text of a query is taken for one of these. */
export const postTags = {
  from: (memberId: string) => `from:${memberId}`,
  hub: (hubId: string) => `hub:${hubId}`,
  has: (kind: SearchedKind) => `has:${kind}`,
  /** Hashtags have letters of any script, which tags of the index don't. @param key of the hashtag */
  hashtag: (key: string) => `tag:${sha256HexOfText(key).slice(0, 32)}`,
} as const;

/** The words of a post, with their weights. */
export type PostWords = ReadonlyMap<string, number>;

/** Finds the words of a post before the transaction that stores it, as a long text takes a while. */
export function wordsOfPost(content: string): PostWords {
  return indexed(postSpace, { id: 'any', at: 0, text: content }).weights;
}

export interface IndexedPost {
  readonly words: PostWords;
  /** keys of its hashtags */
  readonly tags: readonly string[];
  readonly hasLink: boolean;
  /** of its media */
  readonly mediaTypes?: readonly string[];
}

/**
 * Puts a post into the index of searches, or replaces what the index has of it, in the transaction that writes it. A repost has no text,
 * and what is sealed is not indexed, even when it was taken out of its encrypted hub.
 */
export async function indexPost(tx: Context, row: SocialPostRow, { words, ...post }: IndexedPost): Promise<void> {
  if (row.kind === 'repost' || row.sealed_in !== null) return;
  const hubs = row.audience === 'hub' ? await hubsOf(tx, row.id) : [];
  const tags = [
    postTags.from(row.author_id),
    ...hubs.map(postTags.hub),
    ...post.tags.map(postTags.hashtag),
    ...kindsOf(post).map(postTags.has),
  ];
  const document = indexed(postSpace, { id: row.id, at: row.created_at, text: '', tags });
  await putDocument(tx.db, { ...document, weights: new Map([...words, ...document.weights]) });
}

/** Removes a post from the index of searches, in the transaction that deletes it. */
export async function unindexPost({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  await removeDocument(db, postSpace.name, id);
}

function kindsOf({ hasLink, mediaTypes = [] }: Omit<IndexedPost, 'words'>): SearchedKind[] {
  const kinds = (['image', 'video', 'audio'] as const).filter((kind) =>
    mediaTypes.some((type) => type.startsWith(`${kind}/`)),
  );
  return [...kinds, ...(mediaTypes.length > 0 ? (['media'] as const) : []), ...(hasLink ? (['link'] as const) : [])];
}

async function hubsOf({ db }: Context, postId: string): Promise<string[]> {
  const rows = await db.selectFrom('social_post_hubs').select('hub_id').where('post_id', '=', postId).execute();
  return rows.map(({ hub_id: id }) => id);
}
