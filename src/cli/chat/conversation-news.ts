import type { Caller } from '../../client/perform.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import { nameOf } from './conversation-table.ts';
import type { ShownMessage } from './message-view.ts';
import { readAfter, type PageReader } from './read-messages.ts';

type Place = Pick<Conversation, 'id' | 'type' | 'title' | 'lastSeq' | 'readSeq'>;
type Said = ShownMessage & { readonly seq: number };

/** A message with the conversation that it is in, by its name for commands. */
export interface News<M = ShownMessage> {
  readonly message: M;
  readonly conversation: string;
}
export type FindNews<M> = () => Promise<News<M>[]>;

/** Where messages come from: chat, or the social network. */
interface Source<P extends Place, M extends Said> {
  /** the conversations of the caller, the newest activity first */
  readonly conversations: (caller: Caller, archived: boolean) => AsyncIterable<P>;
  readonly pages: (caller: Caller, conversation: P) => PageReader<M>;
}

/** Finds messages that came since the last time. The first call after this one tells those of the time in between. */
export async function openNews<P extends Place, M extends Said>(
  caller: Caller,
  source: Source<P, M>,
): Promise<FindNews<M>> {
  const known = new Map<string, number>();
  const knows = (all: readonly P[]) => {
    for (const { id, lastSeq } of all) known.set(id, Math.max(lastSeq, known.get(id) ?? 0));
  };
  knows(await changedSince(caller, source, known));
  return async () => {
    const changed = await changedSince(caller, source, known);
    const found: News<M>[] = [];
    for (const one of changed)
      found.push(...(await newIn(source.pages(caller, one), one, known.get(one.id) ?? firstOf(one))));
    // Kept at the end: what fails in between is looked at again.
    knows(changed);
    for (const { message } of found) known.set(message.conversationId, message.seq);
    return found.toSorted((one, other) => (one.message.id < other.message.id ? -1 : 1));
  };
}

/** Where the messages begin that are new in a conversation which was not known. A channel may have others, from before its reader came. */
function firstOf({ type, readSeq }: Place): number {
  return type === 'channel' ? readSeq : 0;
}

/** As `openNews`, in one conversation. */
export function newsIn<M extends Said>(read: PageReader<M>, conversation: Place): FindNews<M> {
  let known = conversation.lastSeq;
  return async () => {
    const found = await newIn(read, conversation, known);
    known = found.at(-1)?.message.seq ?? known;
    return found;
  };
}

async function newIn<M extends Said>(read: PageReader<M>, conversation: Place, after: number): Promise<News<M>[]> {
  const { items } = await readAfter(read, after);
  return items.map((message) => ({ message, conversation: nameOf(conversation) }));
}

/** Conversations with messages after the known ones. The newest activity is first, so behind one that has none is no other, unless it has no message at all. */
async function changedSince<P extends Place>(
  caller: Caller,
  { conversations }: Pick<Source<P, never>, 'conversations'>,
  known: ReadonlyMap<string, number>,
): Promise<P[]> {
  const found: P[] = [];
  for (const archived of [false, true])
    for await (const one of conversations(caller, archived)) {
      if (one.lastSeq > (known.get(one.id) ?? 0)) found.push(one);
      else if (one.lastSeq > 0) break;
    }
  return found;
}
