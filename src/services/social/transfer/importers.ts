import type { Context } from '../../../service/context.ts';
import type { Portable } from '../../../contract/social/transfer.ts';
import { mute, unblock, unmute, whoBlocked, whomBlocks, whomMutes } from '../../../shared/members/blocks.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { Problem } from '../../../base/problem.ts';
import { ownHost } from '../address.ts';
import { addBookmark, roomForBookmarks } from '../bookmarks/bookmarks.ts';
import { blockPerson } from '../people/blocking.ts';
import { requirePerson, unknownPerson, type PersonRow } from '../people/found.ts';
import { endFollow, followPerson } from '../people/follows.ts';
import { followOf } from '../people/profiles.ts';
import { postRows, requireOriginal, unknownPost } from '../seeing/posts.ts';

type Outcome = 'imported' | 'requested' | 'present';

/** What the lines of a file do, and what they name. */
export interface Importer {
  /** @throws Problem before anything is written */
  add(tx: Context, self: PersonRow, text: string): Promise<Outcome>;
  /** ids that the lines name, of members or posts that are there for this member */
  named(ctx: Context, memberId: string, texts: readonly string[]): Promise<ReadonlySet<string>>;
  end(tx: Context, memberId: string, id: string): Promise<unknown>;
}

/** Members that are looked up together. */
const NAMES = 500;

const username = /^[A-Za-z0-9_-]{3,30}$/;

/** The name in `name`, `@name` or `name@host`; undefined for a member of another node. E-mail addresses are no names here. */
function nameIn(ctx: Context, text: string): string | undefined {
  const [name = '', host, ...more] = text.replace(/^@/, '').split('@');
  const isOurs = host === undefined || host.toLowerCase() === ownHost(ctx);
  return isOurs && more.length === 0 && username.test(name) ? name : undefined;
}

async function personIn(tx: Context, self: PersonRow, text: string): Promise<PersonRow> {
  const name = nameIn(tx, text);
  if (name === undefined) throw unknownPerson();
  const person = await requirePerson(tx, { memberId: self.id }, name);
  if (person.id === self.id) throw new Problem('invalid', 'VALIDATION_ERROR', 'It must not be yourself.');
  return person;
}

/** Whoever blocked this member is there only for what this member knows of them: a block or a mute of their own. */
async function namedPeople(ctx: Context, memberId: string, texts: readonly string[]): Promise<Set<string>> {
  const names = texts.flatMap((text) => nameIn(ctx, text) ?? []);
  const ids = new Set<string>();
  for (let at = 0; at < names.length; at += NAMES)
    for (const member of await membersNamed(ctx, names.slice(at, at + NAMES)))
      if (member?.active === true && member.id !== memberId) ids.add(member.id);
  const blockers = await whoBlocked(ctx, memberId, ids);
  const [blocked, muted] = [await whomBlocks(ctx, memberId, blockers), await whomMutes(ctx, memberId, blockers)];
  for (const id of blockers) if (!blocked.has(id) && !muted.has(id)) ids.delete(id);
  return ids;
}

/** Posts that the member may see; of a repost the post itself, because that is what has a bookmark. */
async function namedPosts(ctx: Context, memberId: string, texts: readonly string[]): Promise<Set<string>> {
  const seen = await postRows(
    ctx,
    memberId,
    texts.flatMap((text) => postIdIn(text) ?? []),
  );
  return new Set([...seen.values()].map((post) => (post.kind === 'repost' ? post.subject_id : null) ?? post.id));
}

function postIdIn(text: string): string | undefined {
  return /(?:^|[/:])([0-9a-f]{32})$/i.exec(text)?.[1]?.toLowerCase();
}

export const importers: Readonly<Record<Portable, Importer>> = {
  follows: {
    async add(tx, self, text) {
      const person = await personIn(tx, self, text);
      if ((await followOf(tx, self.id, person.id)) !== 'no') return 'present';
      return (await followPerson(tx, self, person)) === 'requested' ? 'requested' : 'imported';
    },
    named: namedPeople,
    end: endFollow,
  },
  blocks: {
    async add(tx, self, text) {
      const person = await personIn(tx, self, text);
      if ((await whomBlocks(tx, self.id, [person.id])).size > 0) return 'present';
      await blockPerson(tx, self, person);
      return 'imported';
    },
    named: namedPeople,
    end: async (tx, memberId, id) => await unblock(tx, { memberId }, id),
  },
  mutes: {
    async add(tx, self, text) {
      const person = await personIn(tx, self, text);
      // A mute with an end keeps it.
      if ((await whomMutes(tx, self.id, [person.id])).size > 0) return 'present';
      await mute(tx, { memberId: self.id }, person.id);
      return 'imported';
    },
    named: namedPeople,
    end: async (tx, memberId, id) => await unmute(tx, { memberId }, id),
  },
  bookmarks: {
    async add(tx, self, text) {
      const id = postIdIn(text);
      if (id === undefined) throw unknownPost();
      const post = await requireOriginal(tx, { memberId: self.id }, id);
      if (post.bookmarked === 1) return 'present';
      if ((await roomForBookmarks(tx, self.id)) === 0) throw new Problem('invalid', 'TOO_MANY_BOOKMARKS', 'Too many.');
      await addBookmark(tx, self.id, post.id);
      return 'imported';
    },
    named: namedPosts,
    end: async ({ db }, memberId, id) =>
      await db.deleteFrom('social_bookmarks').where('member_id', '=', memberId).where('post_id', '=', id).execute(),
  },
};
