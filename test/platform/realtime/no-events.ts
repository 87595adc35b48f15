import type { EventSource } from '../../../src/platform/realtime/feed.ts';

/** For topics of which nothing can be replayed. */
export const noEvents: EventSource = {
  positionOf: () => Promise.reject(new Error('nothing is kept')),
  eventsAfter: () => Promise.reject(new Error('nothing is kept')),
};
