import { describe, expect, it } from 'vitest';
import { limits } from '../../src/realtime/close-codes.ts';
import type { Listener } from '../../src/realtime/listener.ts';
import { Subscription } from '../../src/realtime/subscription.ts';

/** A listener that keeps what it hears. */
function hearing(): { readonly listener: Listener; readonly heard: string[] } {
  const heard: string[] = [];
  const listener: Listener = {
    memberId: 'm',
    username: 'ann',
    type: 'User',
    sessionId: 's',
    open: true,
    send: (text) => void heard.push(text),
    unsent: () => 0,
    spend: () => true,
    close: () => {},
  };
  return { listener, heard };
}

describe('a subscription that cuts over to live events', () => {
  it('hears what came meanwhile once, in order, and without what it had read', () => {
    const { listener, heard } = hearing();
    const subscription = new Subscription();
    subscription.state = 'behind';
    subscription.take(listener, 1, 'while behind');
    subscription.cutOver();
    subscription.take(listener, 2, 'two');
    subscription.take(listener, 3, 'three');
    subscription.take(listener, undefined, 'passing');
    // Read from the store in the meantime.
    subscription.sent = 2;
    expect(heard).toEqual([]);
    subscription.goLive(listener);
    expect(heard).toEqual(['three']);
    subscription.take(listener, 3, 'three');
    subscription.take(listener, 4, 'four');
    expect(heard).toEqual(['three', 'four']);
  });

  it('reads from the store again when too much came', () => {
    const { listener, heard } = hearing();
    const subscription = new Subscription();
    subscription.cutOver();
    subscription.take(listener, 1, 'x'.repeat(limits.unsent));
    expect(subscription.state).toBe('cutting-over');
    subscription.take(listener, 2, 'y');
    expect(subscription.state).toBe('behind');
    subscription.cutOver();
    subscription.goLive(listener);
    expect(heard).toEqual([]);
  });
});
