import { perform } from '../../../client/perform.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { socialConversations } from '../../social/messages/own-conversations.ts';
import { nameOf } from '../conversation-table.ts';
import { operationsOf } from '../operations.ts';
import { ownConversations } from '../own-conversations.ts';
import { readOwnDraft } from '../own-drafts.ts';
import { readAfter, type PageReader } from '../read-messages.ts';
import { roomOperations } from '../rooms/operations.ts';
import { assertSameName, namedBy } from '../sealed/checked-conversation.ts';
import { isDoubt } from '../sealed/changing.ts';
import { noteReading } from '../sealed/notes.ts';
import { isPassing } from '../../kit/passing.ts';
import { placeNow, type Desk } from './desk.ts';
import { lineOf } from '../../kit/line.ts';
import { withoutPlace } from './hearing.ts';
import { withNewer, withNewest, withNews, withOlder, type Part } from './messages.ts';
import { pagesIn } from './pages.ts';
import {
  begins,
  isSocial,
  listed,
  newTalk,
  seesTalk,
  withTalk,
  withTalks,
  type OpenThread,
  type Place,
  type Said,
  type State,
  type Talk,
} from './state.ts';
import { withoutThread } from './threads.ts';

/** Conversations of the list. Older ones are found by /open. */
const MOST_LISTED = 200;
/** Messages of a page, and those that are read when the connection is back before all are read anew. */
const PAGE = 50;
const MOST_MISSED = 500;

/** Reads the list of conversations: those with the newest activity. */
export async function readList(desk: Pick<Desk, 'client' | 'change'>): Promise<void> {
  const found = new Map<string, Place>();
  let isWhole = true;
  for (const source of [ownConversations(desk.client, false), socialConversations(desk.client, false)]) {
    let count = 0;
    for await (const place of source) {
      if (count === MOST_LISTED) {
        isWhole = false;
        break;
      }
      count += 1;
      found.set(place.id, place);
    }
  }
  desk.change((state) => withList(state, found, isWhole));
}

function withList(state: State, found: ReadonlyMap<string, Place>, isWhole: boolean): State {
  const gone = [...state.places.values()].filter(
    ({ id, archived }) => isWhole && !archived && !begins(id) && !found.has(id),
  );
  const places = new Map<string, Place>([...state.places, ...found]);
  const { openId } = state;
  // What is on the screen is read, and the node hears of it in a moment.
  const open = openId === undefined ? undefined : found.get(openId);
  if (openId !== undefined && open !== undefined && isRead(state)) {
    const readSeq = Math.max(open.readSeq, state.places.get(openId)?.readSeq ?? 0);
    places.set(
      openId,
      readSeq >= open.lastSeq ? { ...open, readSeq, unread: 0, mentionCount: 0 } : { ...open, readSeq },
    );
  }
  const after = { ...state, places, chosen: state.chosen ?? listed({ places, filter: '' })[0]?.id };
  return gone.reduce<State>((now, { id }) => withoutPlace(now, id), after);
}

/** Whether the person sees the end of the open conversation. */
export function isRead(state: State): boolean {
  const talk = state.openId === undefined ? undefined : state.talks.get(state.openId);
  return talk !== undefined && seesTalk(state) && talk.scroll === undefined && !talk.hasNewer && !talk.isLoading;
}

/** Reads a conversation from its newest messages on, with what belongs to it. It stays unread here while there is no connection. */
export async function readTalk(desk: Desk, id: string): Promise<void> {
  const place = placeNow(desk, id);
  if (place === undefined || begins(id)) return;
  const before = desk.state().talks.get(id);
  if (before === undefined) {
    const newAfter = place.unread > 0 ? place.readSeq : undefined;
    const receipts = new Map(isSocial(place) ? [] : place.receipts.map(({ memberId, seq }) => [memberId, seq]));
    desk.change((state) => ({ ...state, talks: new Map(state.talks).set(id, { ...newTalk, newAfter, receipts }) }));
  }
  try {
    if (!isSocial(place)) await assertProven(desk, place);
    desk.follow(place.id, true);
    const page = await pagesIn(desk, place, id)({ limit: PAGE });
    desk.change((state) => withTalk(withNames(state, page.items), id, (talk) => withNewest(talk, page)));
    if (!isSocial(place) && before?.thread === undefined) await readMore(desk, place, page.items as ChatMessage[]);
  } catch (error) {
    if (isPassing(error)) return;
    if (!(error instanceof Problem) || error.kind !== 'missing') throw error;
    desk.change((state) => (before?.thread === undefined ? withoutPlace(state, id) : withoutThread(state, id)));
  }
}

/** Compares a conversation with what this machine remembers of it. */
async function assertProven(desk: Desk, place: Conversation): Promise<void> {
  const { side } = desk;
  try {
    await assertSameName(side, nameOf(place), await namedBy(side, place));
    await side.isSealed(place);
  } catch (error) {
    if (!isDoubt(error) || isPassing(error)) throw error;
    desk.change((state) => withTalks(state, place.id, (talk) => ({ ...talk, doubt: error.message })));
  }
}

/** The draft, the names of members, and what the person should know. Without them a conversation can be read all the same. */
async function readMore(desk: Desk, place: Conversation, items: readonly ChatMessage[]): Promise<void> {
  const { client, side } = desk;
  const { id, type } = place;
  const talk = () => desk.state().talks.get(id);
  const ignoring = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.kind === 'unauthenticated') throw error;
    });
  };
  if (type !== 'direct')
    await ignoring(async () => {
      const members = await perform(client, roomOperations[type].members, { conversationId: id, limit: 200 });
      desk.change((state) => ({
        ...state,
        names: new Map([...state.names, ...members.items.map((one) => [one.memberId, one.username] as const)]),
      }));
    });
  if (talk()?.isLocked === true || talk()?.doubt !== undefined) return;
  await ignoring(async () => await noteReading(side, place, items, desk.look().screen));
  await ignoring(async () => {
    if (talk()?.kept !== undefined) return;
    const draft = await readOwnDraft(side, place);
    desk.change((state) =>
      withTalk(state, id, (one) => {
        const known = { ...one, kept: draft?.content ?? '' };
        if (draft === undefined || one.line.text !== '') return known;
        const replyTo = draft.replyToMessageId;
        return {
          ...known,
          line: lineOf(draft.content),
          ...(replyTo !== undefined && { purpose: { kind: 'reply', id: replyTo } }),
        };
      }),
    );
  });
}

function withNames(state: State, items: readonly Said[]): State {
  const fresh = items.filter(
    ({ senderId, senderName }) => senderName !== '' && state.names.get(senderId) !== senderName,
  );
  if (fresh.length === 0) return state;
  return { ...state, names: new Map([...state.names, ...fresh.map((one) => [one.senderId, one.senderName] as const)]) };
}

/** Reads older messages before the first one that is here. */
export async function readOlder(desk: Desk, id: string): Promise<void> {
  await turn(desk, id, async (place, { messages, thread }) => {
    const [first] = messages;
    if (first === undefined) return;
    const read = pagesIn(desk, place, id);
    // A page about the first one, because there may be no cursor for it: messages that nobody looked at were let go.
    const { items, hasMore } =
      thread === undefined
        ? await read({ around: first.id, limit: 4 * PAGE })
        : await olderAnswers(read, messages.find((one) => one.id !== thread.id)?.seq ?? 0);
    const isMore = hasMore && items.some(({ seq }) => seq < first.seq || thread !== undefined);
    desk.change((state) =>
      withTalk(withNames(state, items), id, (talk) => withOlder(talk, { items, hasMore: isMore })),
    );
  });
}

/** Reads what follows the last message that is here. */
export async function readNewer(desk: Desk, id: string): Promise<void> {
  await turn(desk, id, async (place, { messages }) => {
    const last = messages.at(-1)?.seq ?? 0;
    const page = await readAfter(pagesIn(desk, place, id), last, 2 * PAGE);
    desk.change((state) => withTalk(withNames(state, page.items), id, (talk) => withNewer(talk, page)));
  });
}

async function turn(
  desk: Desk,
  id: string,
  work: (place: Place, talk: Pick<Talk, 'messages' | 'thread'>) => Promise<void>,
): Promise<void> {
  const [place, talk] = [placeNow(desk, id), desk.state().talks.get(id)];
  if (place === undefined || talk === undefined || talk.isLoading) return;
  const loading = (isLoading: boolean): void =>
    desk.change((state) => withTalk(state, id, (one) => ({ ...one, isLoading })));
  loading(true);
  try {
    await work(place, talk);
  } finally {
    loading(false);
  }
}

/** Reads what came since the last message that is here, after an interruption. */
export async function readMissed(desk: Desk, id: string): Promise<void> {
  const [place, talk] = [placeNow(desk, id), desk.state().talks.get(id)];
  if (place === undefined || talk === undefined || begins(id) || talk.hasNewer) return;
  const last = talk.messages.at(-1)?.seq;
  if (talk.isLoading || last === undefined) return await readTalk(desk, id);
  const page = await readAfter(pagesIn(desk, place, id), last, MOST_MISSED);
  if (page.hasMore) return await readTalk(desk, id);
  hearMessages(desk, id, page.items);
}

/** Reads the newest messages again, where no event says how the ones before have changed. */
export async function readAgain(desk: Desk, id: string): Promise<void> {
  const [place, talk] = [placeNow(desk, id), desk.state().talks.get(id)];
  if (place === undefined || talk === undefined || begins(id) || talk.hasNewer) return;
  const page = await pagesIn(desk, place, id)({ limit: PAGE });
  const [first] = page.items;
  const last = talk.messages.at(-1)?.seq ?? 0;
  if (first !== undefined && page.hasMore && first.seq > last + 1)
    desk.change((state) => withTalk(state, id, (one) => withNewest(one, page)));
  else hearMessages(desk, id, page.items);
}

/** Shows messages that came, or changed. @param id of the conversation, or of the thread in which they are */
export function hearMessages(desk: Pick<Desk, 'change'>, id: string, items: readonly Said[]): void {
  if (items.length === 0) return;
  desk.change((state) => {
    const isSeen = state.openId === id && isRead(state);
    const after = withTalk(withNames(state, items), id, (talk) => withNews(talk, items, state.me.id, isSeen));
    const place = after.places.get(id);
    const last = items.at(-1);
    if (place === undefined || last === undefined || last.seq < place.lastSeq) return after;
    const fresh = items.filter(({ seq, senderId }) => seq > place.lastSeq && senderId !== state.me.id).length;
    const { seq: lastSeq, createdAt: lastMessageAt } = last;
    const unread = isSeen ? 0 : place.unread + fresh;
    return { ...after, places: new Map(after.places).set(id, { ...place, lastSeq, lastMessageAt, unread }) };
  });
}

/** A page of answers before a number. Each page leads to the next older one alone. */
async function olderAnswers(read: PageReader<Said>, seq: number): Promise<Part> {
  const limit = chatLimits.mostOnPage;
  let page = await read({ limit });
  // The message that began it is with each page.
  while (page.hasMore && page.cursor !== null && !page.items.slice(1).some((one) => one.seq < seq))
    page = await read({ limit, cursor: page.cursor });
  return page;
}

/** Tells the node how far the person has read. */
export async function markRead(
  { client }: Pick<Desk, 'client'>,
  place: Place,
  { id: messageId, seq }: Said,
  thread: OpenThread | undefined,
): Promise<void> {
  if (thread !== undefined && !isSocial(place))
    await perform(client, operationsOf[place.type].readThread, {
      conversationId: place.id,
      messageId: thread.id,
      seq,
    });
  else if (isSocial(place)) await perform(client, social.readConversation, { id: place.id, messageId });
  else await perform(client, operationsOf[place.type].read, { conversationId: place.id, seq });
}
