import type { HeardEvent } from '../../../client/event-socket.ts';
import { chatEvents, conversationTopic } from '../../../contract/chat/events.ts';
import { inboxTopic } from '../../../contract/chat/inbox/events.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { attempt, placeNow, type Desk } from './desk.ts';
import { dataOf, heard } from './hearing.ts';
import { hasGap } from './messages.ts';
import { readable } from './pages.ts';
import { hearMessages, readAgain, readList, readMissed, readTalk } from './reading.ts';
import { isSocial, talkIdsOf } from './state.ts';
import { isInThread } from './threads.ts';

/** Takes events in their order, many at once if many came. */
export interface Incoming {
  take(event: HeardEvent): void;
}

/** Milliseconds in which the list is read once at most, because of what is said elsewhere. */
const LIST_MS = 1_000;

export function openIncoming(desk: Desk, signal: AbortSignal): Incoming {
  let waiting: HeardEvent[] = [];
  let isTaking = false;
  let listTimer: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearTimeout(listTimer), { once: true });

  function readListSoon(): void {
    listTimer ??= setTimeout(() => {
      listTimer = undefined;
      void attempt(desk, async () => await readList(desk));
    }, LIST_MS);
  }

  async function takeAll(): Promise<void> {
    while (waiting.length > 0 && !signal.aborted) {
      const events = waiting;
      waiting = [];
      await takeIn(desk, events, readListSoon);
    }
  }

  return {
    take(event) {
      waiting.push(event);
      if (isTaking) return;
      isTaking = true;
      void attempt(desk, takeAll).finally(() => (isTaking = false));
    },
  };
}

async function takeIn(desk: Desk, events: readonly HeardEvent[], readListSoon: () => void): Promise<void> {
  const again = new Set<string>();
  for (let at = 0; at < events.length;) {
    const event = events[at];
    if (event === undefined) return;
    const run = messagesFrom(events, at);
    if (run.items.length > 0) {
      await takeMessages(desk, run.id, run.items);
      at += run.items.length;
      continue;
    }
    at += 1;
    const id = conversationOf(event);
    const place = id === undefined ? undefined : placeNow(desk, id);
    if (id !== undefined && event.type === 'resync')
      for (const talk of [id, ...talkIdsOf(desk.state(), id).filter((one) => one !== id)]) await readTalk(desk, talk);
    else if (id !== undefined && place !== undefined && isSocial(place)) again.add(id);
    else desk.change((state) => heard(state, event, desk.look().nowMs));
    if (concernsList(event)) readListSoon();
  }
  for (const id of again) await readAgain(desk, id);
}

/** The messages of one conversation that follow each other from an event on. */
function messagesFrom(
  events: readonly HeardEvent[],
  from: number,
): { readonly id: string; readonly items: readonly ChatMessage[] } {
  const items: ChatMessage[] = [];
  let id = '';
  for (const event of events.slice(from)) {
    const data = dataOf(event, chatEvents.messageSent) ?? dataOf(event, chatEvents.messageEdited);
    if (data === undefined || (id !== '' && data.conversationId !== id)) break;
    id = data.conversationId;
    items.push(data.message);
  }
  return { id, items };
}

async function takeMessages(desk: Desk, id: string, items: readonly ChatMessage[]): Promise<void> {
  const [place, talk] = [placeNow(desk, id), desk.state().talks.get(id)];
  if (place === undefined || talk === undefined || isSocial(place)) return;
  const first = Math.min(...items.map(({ seq }) => seq));
  const threads = talkIdsOf(desk.state(), id).filter((one) => one !== id);
  if (hasGap(talk, first)) for (const one of [id, ...threads]) await readMissed(desk, one);
  hearMessages(desk, id, await readable(desk, place, items));
  for (const one of threads) await takeAnswers(desk, place, one, items);
}

async function takeAnswers(desk: Desk, place: Conversation, id: string, items: readonly ChatMessage[]): Promise<void> {
  const thread = desk.state().talks.get(id)?.thread;
  if (thread === undefined) return;
  const own = items.filter((one) => isInThread(one, thread));
  if (own.length > 0) hearMessages(desk, id, await readable(desk, place, own, thread));
}

function conversationOf({ topic }: HeardEvent): string | undefined {
  const [kind, id] = topic.split(':');
  return kind === conversationTopic.kind ? id : undefined;
}

const inList = new Set<string>([
  chatEvents.added.name,
  chatEvents.activity.name,
  chatEvents.renamed.name,
  chatEvents.groupUpdated.name,
  chatEvents.channelUpdated.name,
]);

function concernsList({ type, topic }: HeardEvent): boolean {
  return inList.has(type) || (type === 'resync' && topic.startsWith(`${inboxTopic.kind}:`));
}
