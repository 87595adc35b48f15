import { closeCodes } from '../../contract/realtime/close-codes.ts';
import { limits } from './limits.ts';
import { resyncText, type EventSource, type Feed } from './feed.ts';
import { happenedOf, isDropped } from './happened.ts';
import type { Listener } from '../../service/ports/listener.ts';
import type { Subscription } from './subscription.ts';

export interface CatchingUp {
  readonly feed: Feed;
  readonly listener: Listener;
  readonly subscription: Subscription;
  readonly source: EventSource;
  readonly leave: (listener: Listener) => void;
  /** only events after this number are sent */
  readonly from: number;
  /** waits for a short time */
  readonly pause: () => Promise<unknown>;
}

/**
 * Sends the events after a number and then switches to live events, without a gap or a repeat. It reads until the store has no more. Then
 * it keeps live events, reads once more, and sends the kept events that are newer. A `resync` frame reports missing events.
 */
export async function catchUp(given: CatchingUp, after: number): Promise<void> {
  const { feed, listener, subscription, source, from } = given;
  const isThere = () => listener.open && feed.subscriptions.get(listener) === subscription;
  subscription.sent = after;
  subscription.fallBehind();
  let sent = 0;
  const standsAt = () => Math.max(subscription.since, feed.last ?? 0);
  const resync = () => {
    const seq = Math.max(standsAt(), sent === 0 ? 0 : subscription.sent);
    subscription.skipTo(seq);
    listener.send(resyncText(feed.topic, seq));
  };
  // The topic has not reached this number. It comes from another state of the store, or was made up.
  if (after > standsAt()) {
    resync();
    return;
  }
  while (isThere()) {
    const isLast = subscription.state === 'cutting-over';
    const rows = await source.eventsAfter(feed.topic, subscription.sent, limits.eventsAtOnce);
    const told = await happenedOf(rows, feed.asHeard);
    for (const [at, row] of rows.entries()) {
      if (!(await hasRoom(given)) || !isThere()) return;
      if (row.seq !== subscription.sent + 1 || sent >= limits.replayed) {
        resync();
        return;
      }
      const happened = told[at];
      subscription.sent = row.seq;
      sent += 1;
      if (happened?.kind === 'event') {
        const { text, withheldFrom } = happened;
        if (text !== '' && row.seq > from && withheldFrom?.includes(listener.memberId) !== true) listener.send(text);
      } else if (happened !== undefined && row.seq > subscription.since && isDropped(happened.whom, listener.memberId))
        given.leave(listener);
    }
    if (!isThere()) return;
    if (rows.length === limits.eventsAtOnce) {
      if (!listener.spend(1)) return;
      continue;
    }
    if (subscription.sent < standsAt() && !isLast) {
      // The event was purged, or it was published after the rows were read.
      const [next] = await source.eventsAfter(feed.topic, subscription.sent, 1);
      if (!isThere()) return;
      if (next === undefined) {
        resync();
        return;
      }
    }
    if (isLast && subscription.state === 'cutting-over') {
      subscription.goLive(listener);
      return;
    }
    subscription.cutOver();
  }
}

/** Waits until the listener has read most of its data. @returns false if it doesn't and is closed */
async function hasRoom({ listener, pause }: CatchingUp): Promise<boolean> {
  let least = listener.unsent();
  for (let tries = 0; least > limits.unsentBeforeMore; tries += 1) {
    if (!listener.open) return false;
    if (tries >= limits.drainTries) {
      listener.close(closeCodes.tryAgainLater, 'too slow');
      return false;
    }
    await pause();
    const now = listener.unsent();
    if (now < least) [least, tries] = [now, 0];
  }
  return listener.open;
}
