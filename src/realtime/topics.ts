import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { catchUp } from './catch-up.ts';
import { limits } from './close-codes.ts';
import { Feed, type EventSource } from './feed.ts';
import type { Happened } from './happened.ts';
import type { Listener } from './listener.ts';
import { Subscription } from './subscription.ts';

/** What a domain says of the topics of one kind, such as `chat:…`. */
export interface TopicKind {
  /** whether this listener may hear the topic now; whoever takes the right away calls `drop` */
  allows(listener: Listener, topic: string): Promise<boolean>;
}

/** Where a subscription stands. */
export interface Subscribed {
  /** undefined where nothing of the topic can be replayed */
  readonly position: number | undefined;
}

export interface Topics {
  /**
   * @param kind what stands before the first colon
   * @param replayable whether some of its events can be replayed
   */
  register(kind: string, rules: TopicKind, replayable?: boolean): void;
  /**
   * @param after sends what came after this number first
   * @returns undefined where nothing is registered, or the rules refuse; nobody learns which
   */
  subscribe(listener: Listener, topic: string, after?: number): Promise<Subscribed | undefined>;
  unsubscribe(listener: Listener, topic: string): void;
  /** takes a topic from those who may not hear it any more, and from those who are just asking for it */
  drop(topic: string, whom: (listener: Listener) => boolean): void;
  /** ends all subscriptions of a listener that is gone */
  forget(listener: Listener): void;
  /** those being asked for count too */
  subscriptionsOf(listener: Listener): number;
  /** goes to everybody in this process who subscribed, in a turn of its own */
  deliver(happened: Happened): void;
  /** a topic has come so far, in whatever process */
  reach(topic: string, seq: number): void;
  /** what was published may not have been told: every topic that somebody hears is looked up */
  lookUp(): void;
}

export interface TopicsOptions {
  readonly source: EventSource;
  readonly log: Log;
  readonly pause?: () => Promise<unknown>;
}

/** Two maps, so that delivering costs what a topic has listeners and forgetting what a listener has topics. */
export function createTopics({ source, log, pause = () => sleep(limits.drainMs) }: TopicsOptions): Topics {
  const kinds = new Map<string, { readonly rules: TopicKind; readonly replayable: boolean }>();
  const feeds = new Map<string, Feed>();
  const topicsOf = new Map<Listener, Set<string>>();

  function feedOf(topic: string): Feed {
    const known = feeds.get(topic);
    if (known !== undefined) return known;
    const feed = new Feed(topic, source, log, (listener) => unsubscribe(listener, topic));
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
      const kind = kinds.get(topic.slice(0, topic.indexOf(':')));
      if (kind === undefined || !listener.open) return undefined;
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
        else
          await catchUp(
            { feed, listener, subscription, source, pause, leave: (gone) => unsubscribe(gone, topic) },
            after,
          );
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
    subscriptionsOf: (listener) => topicsOf.get(listener)?.size ?? 0,
    deliver(happened) {
      feeds.get(happened.topic)?.offer(happened);
    },
    reach(topic, seq) {
      feeds.get(topic)?.reach(seq);
    },
    lookUp() {
      for (const feed of feeds.values()) feed.lookUp();
    },
  };
}
