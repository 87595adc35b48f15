import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/platform/realtime/limits.ts';
import { Subscription } from '../../../src/platform/realtime/subscription.ts';
import { listenerOf } from './hearing.ts';

describe('a subscription that cuts over to live events', () => {
  it('hears what came meanwhile once, in order, and without what it had read', () => {
    const listener = listenerOf('ann');
    const subscription = new Subscription();
    subscription.state = 'behind';
    subscription.take(listener, 1, '"while behind"');
    subscription.cutOver();
    subscription.take(listener, 2, '"two"');
    subscription.take(listener, 3, '"three"');
    subscription.take(listener, undefined, '"passing"');
    // Read from the store in the meantime.
    subscription.sent = 2;
    expect(listener.heard).toEqual([]);
    subscription.goLive(listener);
    expect(listener.heard).toEqual(['three']);
    subscription.take(listener, 3, '"three"');
    subscription.take(listener, 4, '"four"');
    expect(listener.heard).toEqual(['three', 'four']);
  });

  it('reads from the store again when too much came', () => {
    const listener = listenerOf('ann');
    const subscription = new Subscription();
    subscription.cutOver();
    subscription.take(listener, 1, 'x'.repeat(limits.unsent));
    expect(subscription.state).toBe('cutting-over');
    subscription.take(listener, 2, 'y');
    expect(subscription.state).toBe('behind');
    subscription.cutOver();
    subscription.goLive(listener);
    expect(listener.heard).toEqual([]);
  });
});
