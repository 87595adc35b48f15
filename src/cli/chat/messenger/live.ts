import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../client/client.ts';
import { openEventSocket, type EventSocket, type HeardEvent } from '../../../client/event-socket.ts';
import { conversationTopic } from '../../../contract/chat/events.ts';
import { inboxTopic } from '../../../contract/chat/inbox/events.ts';
import { topicName } from '../../../contract/event.ts';
import type { Problem } from '../../../base/problem.ts';
import { isPassing } from '../../kit/passing.ts';
import type { Link } from './state.ts';

/** Hears of conversations, through lost connections and back. */
export interface Live {
  /** hears of one conversation, or not any more */
  follow(id: string, isWanted: boolean): void;
  /** tells the others of a conversation that the person is typing */
  typing(id: string): void;
  /** ends with the signal */
  readonly done: Promise<void>;
}

interface Listening {
  readonly onEvent: (event: HeardEvent) => void;
  readonly onLink: (link: Link, problem?: Problem) => void;
  /** reads what may have been missed: when the connection is back, and now and then where nothing is heard */
  readonly look: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds between looks without events, and the longest between two tries to connect. */
const DEAF_MS = 2_000;
const LONGEST_RETRY_MS = 10_000;
/** A connection that lasted so long was a good one. */
const STEADY_MS = 5_000;

/** Servers that restart are not asked by everybody at the same moment. */
function pauseAfter(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, 2 ** failures * 250) * (0.5 + Math.random() / 2);
}

export function openLive(client: Client, { onEvent, onLink, look, signal }: Listening): Live {
  const followed = new Set<string>();
  const positions = new Map<string, number>();
  let socket: EventSocket | undefined;

  async function connected(): Promise<boolean> {
    let ended = (): void => {};
    const end = new Promise<void>((resolve) => (ended = resolve));
    const topics = (accountId: string) => [
      topicName(inboxTopic, accountId),
      ...[...followed].map((id) => topicName(conversationTopic, id)),
    ];
    using opened = await openEventSocket(client, { topics, positions, onEvent, onEnd: ended });
    if (opened === undefined) return false;
    socket = opened;
    signal.addEventListener('abort', ended, { once: true });
    try {
      // What was followed while it connected.
      for (const id of followed)
        if (!positions.has(topicName(conversationTopic, id))) opened.subscribe(topicName(conversationTopic, id));
      await look();
      onLink('live');
      await end;
    } finally {
      socket = undefined;
      signal.removeEventListener('abort', ended);
    }
    return true;
  }

  async function listen(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let wait = DEAF_MS;
      try {
        const since = Date.now();
        if (await connected()) {
          // A server that ends connections at once is not asked all the time.
          failures = Date.now() - since > STEADY_MS ? 0 : failures + 1;
          wait = failures === 0 ? 0 : pauseAfter(failures);
          if (!signal.aborted) onLink('lost');
        } else {
          await look();
          onLink('looking');
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
        onLink('lost', error as Problem);
        failures += 1;
        wait = pauseAfter(failures);
        await lookInstead();
      }
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Says what is wrong with the session, which a socket that does not open does not tell. */
  async function lookInstead(): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
  }

  return {
    follow(id, isWanted) {
      const topic = topicName(conversationTopic, id);
      if (isWanted === followed.has(id)) return;
      if (isWanted) followed.add(id);
      else followed.delete(id);
      if (isWanted) socket?.subscribe(topic);
      else {
        positions.delete(topic);
        socket?.unsubscribe(topic);
      }
    },
    typing: (conversationId) => socket?.send({ type: 'message:typing', conversationId }),
    done: listen(),
  };
}
