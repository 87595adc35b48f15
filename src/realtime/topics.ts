import type { Listener } from './listener.ts';

/** What a domain says of the topics of one kind, such as `chat:…`. */
export interface TopicKind {
  /** whether this listener may hear the topic now; whoever takes the right away calls `drop` */
  allows(listener: Listener, topic: string): Promise<boolean>;
  /** sends what came after `seq`, where the topic can be replayed */
  replay?(listener: Listener, topic: string, seq: number): Promise<void>;
}

export interface Topics {
  /** @param kind what stands before the first colon */
  register(kind: string, rules: TopicKind): void;
  /** @returns false where nothing is registered, or the rules refuse; nobody learns which */
  subscribe(listener: Listener, topic: string): Promise<boolean>;
  unsubscribe(listener: Listener, topic: string): void;
  replay(listener: Listener, topic: string, seq: number): Promise<void>;
  /** takes a topic from those who may not hear it any more, and from those who are just asking for it */
  drop(topic: string, whom: (listener: Listener) => boolean): void;
  /** ends all subscriptions of a listener that is gone */
  forget(listener: Listener): void;
  /** those being asked for count too */
  subscriptionsOf(listener: Listener): number;
  /** sends text to everybody in this process who subscribed */
  deliver(topic: string, text: string): void;
}

type State = 'asking' | 'subscribed';

/** Two maps, so that delivering costs what a topic has listeners and forgetting what a listener has topics. */
export function createTopics(): Topics {
  const kinds = new Map<string, TopicKind>();
  const listenersOf = new Map<string, Map<Listener, State>>();
  const topicsOf = new Map<Listener, Set<string>>();

  function note(listener: Listener, topic: string): Map<Listener, State> {
    const listeners = listenersOf.get(topic) ?? new Map<Listener, State>();
    listenersOf.set(topic, listeners);
    if (!listeners.has(listener)) listeners.set(listener, 'asking');
    const topics = topicsOf.get(listener) ?? new Set();
    topicsOf.set(listener, topics.add(topic));
    return listeners;
  }

  function unsubscribe(listener: Listener, topic: string): void {
    const listeners = listenersOf.get(topic);
    listeners?.delete(listener);
    if (listeners?.size === 0) listenersOf.delete(topic);
    const topics = topicsOf.get(listener);
    topics?.delete(topic);
    if (topics?.size === 0) topicsOf.delete(listener);
  }

  const rulesOf = (topic: string) => kinds.get(topic.slice(0, topic.indexOf(':')));

  return {
    register(kind, rules) {
      if (kinds.has(kind)) throw new Error(`topics of the kind ${kind} are registered already`);
      kinds.set(kind, rules);
    },
    async subscribe(listener, topic) {
      const rules = rulesOf(topic);
      if (rules === undefined || !listener.open) return false;
      const listeners = note(listener, topic);
      let allowed = false;
      try {
        allowed = await rules.allows(listener, topic);
      } finally {
        if (!allowed) unsubscribe(listener, topic);
      }
      // Whoever was dropped, or went, while the rules were asked is not there any more.
      if (!allowed || !listeners.has(listener)) return false;
      listeners.set(listener, 'subscribed');
      return true;
    },
    unsubscribe,
    async replay(listener, topic, seq) {
      await rulesOf(topic)?.replay?.(listener, topic, seq);
    },
    drop(topic, whom) {
      for (const listener of listenersOf.get(topic)?.keys() ?? []) if (whom(listener)) unsubscribe(listener, topic);
    },
    forget(listener) {
      for (const topic of topicsOf.get(listener) ?? []) unsubscribe(listener, topic);
    },
    subscriptionsOf: (listener) => topicsOf.get(listener)?.size ?? 0,
    deliver(topic, text) {
      for (const [listener, state] of listenersOf.get(topic) ?? []) if (state === 'subscribed') listener.send(text);
    },
  };
}
