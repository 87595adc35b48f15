import { limits } from './close-codes.ts';

/** What clients send. */
export type Frame =
  | { readonly type: 'auth'; readonly token: string }
  | { readonly type: 'ping' }
  | { readonly type: 'subscribe' | 'unsubscribe'; readonly topics: readonly string[] }
  /** subscribes, and asks for what came after these sequence numbers */
  | { readonly type: 'resume'; readonly topics: Readonly<Record<string, number>> };

export type FrameFault = 'MALFORMED' | 'UNKNOWN_TYPE';

const topicName = /^[a-z][a-z0-9-]*(?::[\w.-]+)+$/;

/** @returns the frame, or what is wrong with it */
export function parseFrame(text: string): Frame | FrameFault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'MALFORMED';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'MALFORMED';
  const { type, token, topics } = value as Record<string, unknown>;
  switch (type) {
    case 'auth':
      return typeof token === 'string' && token !== '' ? { type, token } : 'MALFORMED';
    case 'ping':
      return { type };
    case 'subscribe':
    case 'unsubscribe':
      return Array.isArray(topics) && topics.length <= limits.subscriptions && topics.every(isTopic)
        ? { type, topics }
        : 'MALFORMED';
    case 'resume':
      return isPositions(topics) ? { type, topics } : 'MALFORMED';
    default:
      return typeof type === 'string' ? 'UNKNOWN_TYPE' : 'MALFORMED';
  }
}

function isTopic(value: unknown): value is string {
  return typeof value === 'string' && value.length <= limits.topic && topicName.test(value);
}

function isPositions(value: unknown): value is Record<string, number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= limits.subscriptions &&
    entries.every(([topic, seq]) => isTopic(topic) && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0)
  );
}
