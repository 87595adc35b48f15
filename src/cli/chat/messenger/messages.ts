import type { Said, Talk } from './state.ts';

/** Messages of one conversation that are here at once. Others are read again when somebody scrolls there. */
export const MOST_MESSAGES = 1_000;

/** What a page has. */
export interface Part {
  readonly items: readonly Said[];
  readonly hasMore: boolean;
}

/** The newest messages instead of what was here. */
export function withNewest(talk: Talk, { items, hasMore }: Part): Talk {
  // What came while they were read.
  const last = items.at(-1)?.seq ?? 0;
  const later = talk.messages.filter(({ seq }) => seq > last);
  const messages = hasGap({ ...talk, messages: items, hasNewer: false }, later[0]?.seq ?? 0)
    ? items
    : union(items, later);
  const fresh = { ...talk, messages, hasOlder: hasMore, hasNewer: false, isLoading: false, below: 0 };
  return withoutSent({ ...fresh, scroll: undefined }, items);
}

/** Older messages before those that are here. What becomes too much goes at the other end. */
export function withOlder(talk: Talk, { items, hasMore }: Part): Talk {
  const messages = union(items, talk.messages);
  const kept = messages.slice(0, MOST_MESSAGES);
  return {
    ...talk,
    messages: kept,
    hasOlder: hasMore,
    hasNewer: talk.hasNewer || kept.length < messages.length,
    isLoading: false,
  };
}

/** Newer messages behind those that are here, where these are not the newest. */
export function withNewer(talk: Talk, { items, hasMore }: Part): Talk {
  const after = trimmed({ ...talk, messages: union(talk.messages, items), hasNewer: hasMore, isLoading: false });
  return withoutSent(hasMore ? after : { ...after, below: 0 }, items);
}

/**
 * Messages that came, and messages as they are now.
 * @param isRead whether the person sees the end of the conversation
 */
export function withNews(talk: Talk, items: readonly Said[], ownId: string, isRead: boolean): Talk {
  const known = new Set(talk.messages.map(({ id }) => id));
  // An answer can be there before the event of a message that was sent before.
  const first = talk.messages[0]?.seq ?? 0;
  const changed = items.filter(({ id }) => known.has(id));
  const fresh = items.filter(({ id, seq }) => !known.has(id) && seq > first);
  const others = fresh.filter(({ senderId }) => senderId !== ownId);
  const senders = new Set(fresh.map(({ senderId }) => senderId));
  const replaced = changed.length === 0 ? talk.messages : union(talk.messages, changed);
  const after = withoutSent(
    {
      ...talk,
      messages: talk.hasNewer ? replaced : union(replaced, fresh),
      below: isRead ? 0 : talk.below + others.length,
      typing: talk.typing.filter(({ memberId }) => !senders.has(memberId)),
    },
    items,
  );
  return talk.scroll === undefined ? trimmed(after) : after;
}

/** Whether messages are missing between those that are here and one that came. */
export function hasGap(
  { messages, hasNewer, thread }: Pick<Talk, 'messages' | 'hasNewer' | 'thread'>,
  seq: number,
): boolean {
  // Between answers others speak of something else.
  if (thread !== undefined) return false;
  const last = messages.at(-1)?.seq;
  return !hasNewer && last !== undefined && seq > last + 1;
}

/** A change of one message that is here. */
export function withChanged(talk: Talk, messageId: string, change: (one: Said) => Said): Talk {
  if (!talk.messages.some(({ id }) => id === messageId)) return talk;
  return { ...talk, messages: talk.messages.map((one) => (one.id === messageId ? change(one) : one)) };
}

/** What the node has is not waiting any more. */
function withoutSent(talk: Talk, items: readonly Said[]): Talk {
  if (talk.pending.length === 0) return talk;
  const there = new Set(items.map(({ clientId }) => clientId));
  const pending = talk.pending.filter(({ clientId, edits }) => edits !== undefined || !there.has(clientId));
  return pending.length === talk.pending.length ? talk : { ...talk, pending };
}

function trimmed(talk: Talk): Talk {
  const over = talk.messages.length - MOST_MESSAGES;
  return over <= 0 ? talk : { ...talk, messages: talk.messages.slice(over), hasOlder: true };
}

/** Both in the order of their numbers, each once; of two with one id the one of `over`. */
function union(all: readonly Said[], over: readonly Said[]): Said[] {
  const byId = new Map([...all, ...over].map((one) => [one.id, one]));
  return [...byId.values()].toSorted((one, other) => one.seq - other.seq);
}
