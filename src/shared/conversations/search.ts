import type { Context } from '../../service/context.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import type { Page, PageRequest } from '../../platform/store/page.ts';
import type { SearchSpace } from '../../platform/store/search/document.ts';
import { amongWritten } from '../../platform/store/search/among.ts';
import { searchSpaces } from '../../platform/store/search/search-spaces.ts';
import { search, type ScoredDocument } from '../../platform/store/search/search.ts';
import type { Among } from '../../platform/store/search/window.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { openKeysOfRooms } from '../group-keys/keys.ts';
import { usernameKey } from '../members/names.ts';
import { roomOf, type Seat } from './conversation.ts';
import { toMessagesOf } from './dto.ts';
import { messageTags, openSpace } from './indexing.ts';
import { isReadableSql, readableMessages } from './readable.ts';
import { keepingValues } from './retention.ts';
import { parseChatQuery, type ChatQuery } from './search-query.ts';

interface Searching {
  /** the operation */
  readonly list: string;
  /** the field that has the text */
  readonly field: string;
  readonly memberId: string;
  /** the conversation, if it is the only one: a cursor is for it alone */
  readonly within?: { readonly conversation: string };
}

/**
 * Messages of one conversation that fit a text and that the member may read, the best ones first.
 * @returns each with how well it fits
 * @throws Problem invalid VALIDATION_ERROR, INVALID_CURSOR
 */
export async function searchConversation(
  ctx: Context,
  seat: Seat,
  { list, field, memberId }: Searching,
  text: string,
  page: PageRequest,
): Promise<Page<ChatMessage & { readonly relevanceScore: number }>> {
  const query = parseChatQuery(text, field);
  const wanted = await wantedBy(ctx, memberId, query);
  const [space] = await spacesOf(ctx, [seat]);
  if (space === undefined) return { rows: [], next: { hasMore: false } };
  const listing = { list, memberId, filter: { conversation: seat.id, text } };
  const among = readableBy(ctx, memberId, query.before);
  const found = await wiping([space], field, async () =>
    search(ctx.db, { space, ...wanted, order: 'relevance', among, listing, cursors: ctx }, page),
  );
  const shown = await rowsOf(ctx, [seat], found.rows);
  const all = await toMessagesOf(ctx, [seat], shown, { history: false, viewer: memberId });
  const messages = new Map(all.map((message) => [message.id, message]));
  return {
    rows: found.rows.flatMap(({ id, score }) => {
      const message = messages.get(id);
      return message === undefined ? [] : [Object.assign(message, { relevanceScore: score })];
    }),
    next: found.next,
  };
}

/**
 * The same for several conversations together, the newest messages first.
 * @param seats at most as many as a search goes through
 * @throws Problem invalid VALIDATION_ERROR, INVALID_CURSOR
 */
export async function searchConversations(
  ctx: Context,
  seats: readonly Seat[],
  how: Searching,
  text: string,
  page: PageRequest,
): Promise<Page<ChatMessage>> {
  const { rows, next } = await findMessages(ctx, seats, how, text, page);
  return { rows: await toMessagesOf(ctx, seats, rows, { history: false, viewer: how.memberId }), next };
}

/** The same as it is stored. */
export async function findMessages(
  ctx: Context,
  seats: readonly Seat[],
  { list, field, memberId, within }: Searching,
  text: string,
  page: PageRequest,
): Promise<Page<ConversationMessageRow>> {
  const query = parseChatQuery(text, field);
  const wanted = await wantedBy(ctx, memberId, query);
  const spaces = await spacesOf(ctx, seats);
  const { before } = query;
  const filter = { text, ...within };
  const among = readableBy(ctx, memberId);
  const found = await wiping(spaces, field, async () =>
    searchSpaces(ctx.db, { spaces, ...wanted, before, among, listing: { list, memberId, filter }, cursors: ctx }, page),
  );
  const rows = new Map((await rowsOf(ctx, seats, found.rows)).map((row) => [row.id, row]));
  return { rows: found.rows.flatMap(({ id }) => rows.get(id) ?? []), next: found.next };
}

/** Nothing has this tag: a search for somebody who is unknown is the same as one for somebody who has said nothing. */
const NOBODY = 'nobody';

const memberBy = writtenQuery<{ id: string }>('select id from members where username_key = $1');

async function wantedBy(ctx: Context, memberId: string, { text, from, has, before }: ChatQuery) {
  const tags = has.map(messageTags.has);
  for (const name of from) tags.push(messageTags.from(await senderNamed(ctx, memberId, name)));
  // Text alone must have a word.
  return { text, tags, wordless: tags.length > 0 || before !== undefined };
}

async function senderNamed({ db }: Context, memberId: string, name: string): Promise<string> {
  if (usernameKey(name) === 'me') return memberId;
  if (/^[0-9a-f]{24}$/i.test(name)) return name.toLowerCase();
  return (await db.executeQuery(memberBy(usernameKey(name)))).rows[0]?.id ?? NOBODY;
}

async function spacesOf(ctx: Context, seats: readonly Seat[]): Promise<SearchSpace[]> {
  const searched = seats.flatMap((seat) =>
    seat.search_epoch === null ? [] : [{ seat, id: seat.id, epoch: seat.search_epoch }],
  );
  using keys = await openKeysOfRooms(ctx, roomOf('').kind, searched);
  // One that was deleted a moment ago has no keys any more.
  return searched.flatMap(({ seat, id, epoch }) => (keys.of(id).has(epoch) ? [openSpace(seat, keys.of(id))] : []));
}

async function wiping<T>(spaces: readonly SearchSpace[], field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'QUERY_TOO_LONG') throw fieldProblem(field, 'has too many words');
    throw error;
  } finally {
    for (const { key } of spaces) key?.fill(0);
  }
}

/**
 * What the index has of other messages is not looked at at all, so that nothing about an answer, and no page of it, tells whether a word was said
 * where the member can't read it.
 */
const readable = `(select 1 from ${readableMessages}
  where m.id = :id and m.created_at < :before and ${isReadableSql}
  limit 1) = 1`;

function readableBy(ctx: Context, reader: string, before = Number.MAX_SAFE_INTEGER): Among {
  return amongWritten(readable, { reader, before, ...keepingValues(ctx) });
}

const messagesById = writtenList<ConversationMessageRow>(
  0,
  (ids) => `select * from conversation_messages where id in ${ids}`,
);

async function rowsOf(
  ctx: Context,
  seats: readonly Seat[],
  found: readonly Pick<ScoredDocument, 'id'>[],
): Promise<ConversationMessageRow[]> {
  if (found.length === 0) return [];
  const { rows } = await ctx.db.executeQuery(messagesById(found.map(({ id }) => id)));
  // Somebody may have been removed meanwhile.
  const known = new Set(seats.map(({ id }) => id));
  return rows.filter((row) => known.has(row.conversation_id));
}
