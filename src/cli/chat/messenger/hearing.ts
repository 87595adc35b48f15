import * as v from 'valibot';
import { chatEvents } from '../../../contract/chat/events.ts';
import type { Event } from '../../../contract/event.ts';
import type { HeardEvent } from '../../../client/event-socket.ts';
import { nameOf } from '../conversation-table.ts';
import { withoutOpen } from './list-keys.ts';
import { withChanged } from './messages.ts';
import {
  conversationIdIn,
  talkIdsOf,
  threadTalkId,
  withPlace,
  withTalk,
  withTalks,
  type Said,
  type State,
} from './state.ts';
import { withFollowing } from './threads.ts';

/** The data of an event, if it is this one, and as the contract says. */
export function dataOf<E extends Event>({ type, data }: HeardEvent, event: E): v.InferOutput<E['data']> | undefined {
  if (type !== event.name) return undefined;
  const found = v.safeParse(event.data, data);
  return found.success ? found.output : undefined;
}

/** What an event changes that needs nothing from the node. @param nowMs for what lasts a while */
export function heard(state: State, event: HeardEvent, nowMs: number): State {
  return inTalk(state, event, nowMs) ?? inList(state, event) ?? state;
}

function inTalk(state: State, event: HeardEvent, nowMs: number): State | undefined {
  const deleted = dataOf(event, chatEvents.messageDeleted);
  if (deleted !== undefined)
    return withTalks(state, deleted.conversationId, (talk) => withChanged(talk, deleted.messageId, asDeleted));
  const over = dataOf(event, chatEvents.messagesRemoved);
  if (over !== undefined)
    return withTalks(state, over.conversationId, (talk) => ({
      ...talk,
      messages: talk.messages.map((one) => (one.seq <= over.upToSeq ? asDeleted(one) : one)),
    }));
  const reacted = dataOf(event, chatEvents.reactionAdded);
  if (reacted !== undefined)
    return withTalks(state, reacted.conversationId, (talk) =>
      withChanged(talk, reacted.messageId, (one) => reactedTo(one, reacted)),
    );
  const unreacted = dataOf(event, chatEvents.reactionRemoved);
  if (unreacted !== undefined)
    return withTalks(state, unreacted.conversationId, (talk) =>
      withChanged(talk, unreacted.messageId, (one) => unreactedTo(one, unreacted)),
    );
  const pinned = dataOf(event, chatEvents.messagePinned);
  const pin = pinned ?? dataOf(event, chatEvents.messageUnpinned);
  if (pin !== undefined)
    return withTalks(state, pin.conversationId, (talk) =>
      withChanged(talk, pin.messageId, (one) => ({ ...one, pinned: pinned !== undefined })),
    );
  const typing = dataOf(event, chatEvents.typingStart);
  const stopped = typing ?? dataOf(event, chatEvents.typingStop);
  if (stopped !== undefined && stopped.memberId !== state.me.id) {
    const { conversationId, memberId } = stopped;
    // The clock of this machine may be another one.
    const until = typing === undefined ? 0 : nowMs + 15_000;
    return withTalk(state, conversationId, (talk) => {
      const others = talk.typing.filter((one) => one.memberId !== memberId);
      return { ...talk, typing: until === 0 ? others : [...others, { memberId, until }] };
    });
  }
  const read = dataOf(event, chatEvents.messageRead);
  if (read !== undefined)
    return withTalk(state, read.conversationId, (talk) => ({
      ...talk,
      receipts: new Map(talk.receipts).set(read.memberId, read.seq),
    }));
  return aboutMembers(state, event);
}

/** Who came and went in the conversation that is open. */
function aboutMembers(state: State, event: HeardEvent): State | undefined {
  const told = [
    [chatEvents.memberJoined, 'joined'],
    [chatEvents.memberLeft, 'left'],
    [chatEvents.memberKicked, 'was removed'],
    [chatEvents.memberMuted, 'may not speak for a while'],
    [chatEvents.memberUnmuted, 'may speak again'],
  ] as const;
  for (const [kind, what] of told) {
    const data = dataOf(event, kind);
    if (data === undefined) continue;
    if (data.conversationId !== (state.openId && conversationIdIn(state.openId)) || data.memberId === state.me.id)
      return state;
    return { ...state, note: `${state.names.get(data.memberId) ?? data.memberId} ${what}.` };
  }
  return undefined;
}

function inList(state: State, event: HeardEvent): State | undefined {
  const removed = dataOf(event, chatEvents.removed);
  if (removed !== undefined) return withoutPlace(state, removed.conversationId);
  const followed = dataOf(event, chatEvents.threadFollowed);
  if (followed !== undefined)
    return withFollowing(state, threadTalkId(followed.conversationId, followed.threadId), followed.following);
  const read = dataOf(event, chatEvents.readElsewhere);
  if (read === undefined) return undefined;
  const { conversationId, unread, mentionCount, seq: readSeq } = read;
  return withPlace(state, conversationId, { unread, mentionCount, readSeq });
}

/** The person is not in a conversation any more. What they wrote there stays in the note that says so. */
export function withoutPlace(state: State, id: string): State {
  const place = state.places.get(id);
  if (place === undefined) return state;
  const ids = talkIdsOf(state, id);
  const written = ids.flatMap((one) => {
    const { line, pending = [] } = state.talks.get(one) ?? {};
    return [...pending.map(({ text }) => text), line?.text ?? ''];
  });
  const texts = written.filter((text) => text !== '');
  const [places, talks] = [new Map(state.places), new Map(state.talks)];
  places.delete(id);
  for (const one of ids) talks.delete(one);
  const lost = texts.length === 0 ? '' : ` You were writing: ${texts.join(' / ')}`;
  const after = { ...state, places, talks, note: `You are not in ${nameOf(place)} any more.${lost}` };
  return state.openId !== undefined && conversationIdIn(state.openId) === id ? withoutOpen(after) : after;
}

function asDeleted(one: Said): Said {
  return {
    ...one,
    content: null,
    encryptedContent: null,
    deleted: true,
    attachments: [],
    reactions: [],
    reactionCounts: [],
    pinned: false,
  };
}

interface Reaction {
  readonly reactionId: string;
  readonly emoji: string;
  readonly memberId: string;
}

function reactedTo(one: Said, { reactionId, emoji, memberId }: Reaction): Said {
  const { reactions = [], reactionCounts } = one;
  // An answer of the node may have had it already.
  if (reactions.some((other) => other.reactionId === reactionId)) return one;
  const before = reactionCounts.find((other) => other.emoji === emoji)?.count ?? 0;
  return {
    ...one,
    reactions: [...reactions, { reactionId, emoji, memberId }],
    reactionCounts: counted(one, emoji, before + 1),
  };
}

function unreactedTo(one: Said, { reactionId, emoji }: Reaction): Said {
  const { reactions = [], reactionCounts } = one;
  if (!reactions.some((other) => other.reactionId === reactionId)) return one;
  const before = reactionCounts.find((other) => other.emoji === emoji)?.count ?? 0;
  const left = reactions.filter((other) => other.reactionId !== reactionId);
  return { ...one, reactions: left, reactionCounts: counted(one, emoji, before - 1) };
}

function counted({ reactionCounts }: Said, emoji: string, count: number): Said['reactionCounts'] {
  const isNew = !reactionCounts.some((one) => one.emoji === emoji);
  const all = isNew
    ? [...reactionCounts, { emoji, count }]
    : reactionCounts.map((one) => (one.emoji === emoji ? { emoji, count } : one));
  return all.filter((one) => one.count > 0);
}
