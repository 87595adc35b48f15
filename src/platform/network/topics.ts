import type { TokenBucket } from './limits.ts';
import type { Announcement, Topic } from '../../service/ports/network.ts';
import { tokenBuckets, type TokenBuckets } from './token-buckets.ts';

export type Receive = (announcement: Announcement) => Promise<void>;

/** A topic that this process knows, with its limits. The set is closed when the network starts. */
export interface OpenTopic {
  readonly receive: Receive;
  /** who may announce, of the admitted nodes */
  readonly mayAnnounce: (nodeId: string) => Promise<boolean>;
  /** how long announcements are kept for nodes that were offline, and accepted from others that kept them */
  readonly retentionMs: number;
  /** bytes of the payload as canonical JSON */
  readonly maxBytes: number;
  /** by author */
  readonly rate: TokenBuckets;
}

export interface TopicLimits {
  readonly announcementBytes: number;
  readonly keepMs: number;
  readonly topic: TokenBucket;
}

const NAME = /^[a-z0-9_]{1,40}$/;

export function isTopicName(name: string): boolean {
  return NAME.test(name);
}

/** The declared topics with the limits of the network where they name none. No topic can go beyond these. */
export function openTopics(
  declared: ReadonlyMap<string, { readonly receive: Receive; readonly topic: Topic }>,
  limits: TopicLimits,
): ReadonlyMap<string, OpenTopic> {
  const topics = new Map<string, OpenTopic>();
  for (const [type, { receive, topic }] of declared) {
    topics.set(type, {
      receive,
      mayAnnounce: topic.mayAnnounce ?? (() => Promise.resolve(true)),
      retentionMs: Math.min(topic.retentionMs ?? limits.keepMs, limits.keepMs),
      maxBytes: Math.min(topic.maxBytes ?? limits.announcementBytes, limits.announcementBytes),
      rate: tokenBuckets(topic.rate ?? limits.topic),
    });
  }
  return topics;
}
