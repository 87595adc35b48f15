import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { catchUp } from './catch-up.ts';
import { limits } from './limits.ts';
import { Feed, type EventSource } from './feed.ts';
import { frameText } from './happened.ts';
import type { Happened, SpreadEvent, TopicKind } from '../../service/ports/realtime.ts';
import type { Listener } from '../../service/ports/listener.ts';
import { Subscription } from './subscription.ts';

/** The position of a new subscription. */
export interface Subscribed {
  /** undefined if no event of the topic can be replayed */
  readonly position: number | undefined;
}

export interface Topics {
  /**
   * @param kind the part of the topic's name before the first colon
   * @param replayable whether some of its events can be replayed
   */
  register(kind: string, rules: TopicKind, replayable?: boolean): void;
  /**
   * @param after if given, the events after this number are sent first
   * @returns undefined if the kind isn't registered or the rules refuse; callers cannot tell which
   */
  subscribe(listener: Listener, topic: string, after?: number): Promise<Subscribed | undefined>;
  unsubscribe(listener: Listener, topic: string): void;
  /** ends the subscriptions of listeners who may not hear the topic any more, including subscriptions whose check is still running */
  drop(topic: string, whom: (listener: Listener) => boolean): void;
  /** ends all subscriptions of a listener that has closed */
  forget(listener: Listener): void;
  /** whether anybody hears a topic, or is being asked whether they may */
  hears(topic: string): boolean;
  /** number of subscriptions, including those whose check is still running */
  subscriptionsOf(listener: Listener): number;
  /** sends to all subscribers in this process, in a turn of its own */
  deliver(happened: Happened): void;
  /** the same for many topics; those that nobody hears cost next to nothing */
  spread(event: SpreadEvent): void;
  /** a process has told that the topic has reached this number */
  reach(topic: string, seq: number): void;
  /** signals may have been lost: every topic with listeners is looked up in the store */
  lookUp(): void;
}

export interface TopicsOptions {
  readonly source: EventSource;
  readonly log: Log;
  readonly pause?: () => Promise<unknown>;
}

/** With two maps, delivering costs as much as the topic has listeners, and forgetting as much as the listener has topics. */
export function createTopics({ source, log, pause = () => sleep(limits.drainMs) }: TopicsOptions): Topics {
  const kinds = new Map<string, { readonly rules: TopicKind; readonly replayable: boolean }>();
  const feeds = new Map<string, Feed>();
  const topicsOf = new Map<Listener, Set<string>>();

  function feedOf(topic: string): Feed {
    const known = feeds.get(topic);
    if (known !== undefined) return known;
    const leave = (listener: Listener) => unsubscribe(listener, topic);
    const feed = new Feed(topic, { source, log, leave, asHeard: kinds.get(kindOf(topic))?.rules.asHeard });
    feeds.set(topic, feed);
    return feed;
  }

  function note(listener: Listener, feed: Feed, subscription: Subscription): void {
    feed.subscriptions.set(listener, subscription);
    const topics = topicsOf.get(listener) ?? new Set();
    topicsOf.set(listener, topics.add(feed.topic));
  }

  function unsubscribe(listener: Listener, topic: string): void {
    const feed = feeds.get(topic);
    feed?.subscriptions.delete(listener);
    if (feed?.subscriptions.size === 0) feeds.delete(topic);
    const topics = topicsOf.get(listener);
    topics?.delete(topic);
    if (topics?.size === 0) topicsOf.delete(listener);
  }

  return {
    register(kind, rules, replayable = false) {
      if (kinds.has(kind)) throw new Error(`topics of the kind ${kind} are registered already`);
      kinds.set(kind, { rules, replayable });
    },
    async subscribe(listener, topic, after) {
      const kind = kinds.get(kindOf(topic));
      if (kind === undefined || !listener.open) return undefined;
      if (listener.bot !== undefined && kind.rules.forBots !== true) return undefined;
      const feed = feedOf(topic);
      const before = feed.subscriptions.get(listener);
      const subscription = after === undefined && before !== undefined ? before : new Subscription();
      note(listener, feed, subscription);
      const isThere = () => feed.subscriptions.get(listener) === subscription;
      let allowed = false;
      try {
        if (kind.replayable && subscription.state === 'asking') {
          subscription.since = await source.positionOf(topic);
          feed.standsAt(subscription.since);
        }
        allowed = isThere() && (await kind.rules.allows(listener, topic));
      } finally {
        if (!allowed && isThere()) unsubscribe(listener, topic);
      }
      // The socket may have been dropped or closed during the permission check.
      if (!allowed || !isThere()) return undefined;
      if (subscription.state === 'asking') {
        if (!kind.replayable) subscription.state = 'live';
        else if (after === undefined) subscription.skipTo(Math.max(subscription.since, feed.last ?? 0));
        else {
          const from = (await kind.rules.hearsAfter?.(listener, topic)) ?? 0;
          const leave = (gone: Listener) => unsubscribe(gone, topic);
          await catchUp({ feed, listener, subscription, source, pause, leave, from }, after);
        }
      }
      if (!isThere() || !listener.open) return undefined;
      return { position: kind.replayable ? subscription.sent : undefined };
    },
    unsubscribe,
    drop(topic, whom) {
      for (const listener of feeds.get(topic)?.subscriptions.keys() ?? [])
        if (whom(listener)) unsubscribe(listener, topic);
    },
    forget(listener) {
      for (const topic of topicsOf.get(listener) ?? []) unsubscribe(listener, topic);
    },
    hears: (topic) => feeds.has(topic),
    subscriptionsOf: (listener) => topicsOf.get(listener)?.size ?? 0,
    deliver(happened) {
      feeds.get(happened.topic)?.offer(happened);
    },
    spread({ topics, ...event }) {
      for (const topic of topics)
        feeds.get(topic)?.offer({ kind: 'event', topic, seq: undefined, text: frameText({ topic, ...event }) });
    },
    reach(topic, seq) {
      feeds.get(topic)?.reach(seq);
    },
    lookUp() {
      for (const feed of feeds.values()) feed.lookUp();
    },
  };
}

function kindOf(topic: string): string {
  return topic.slice(0, topic.indexOf(':'));
}
