import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { takeTurn } from '../../../src/shared/conversations/take-turn.ts';

const { burst } = chatLimits;

describe('messages of one member', () => {
  it('are so many at once, and then one each second', () => {
    let now = 1_000_000;
    const clock = { now: () => now };
    let busy_until = 0;
    const take = () =>
      void (busy_until = takeTurn({ clock }, { busy_until, spoke_at: 0, slow_seconds: 0, role: 'member' }));
    const refusal = (retryAfterSeconds: number) => expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds });
    for (let sent = 0; sent < burst; sent += 1) take();
    expect(busy_until).toBe(now + burst * 1000);
    // What is refused does not make them wait longer.
    for (let tries = 0; tries < 3; tries += 1) expect(take).toThrow(refusal(1));
    now += 999;
    expect(take).toThrow(refusal(1));
    now += 1;
    take();
    expect(take).toThrow(refusal(1));
    now += 10_000;
    for (let sent = 0; sent < 10; sent += 1) take();
    expect(take).toThrow(refusal(1));
    now += 3_600_000;
    for (let sent = 0; sent < burst; sent += 1) take();
    // A clock that is set back.
    now -= 5_000;
    expect(take).toThrow(refusal(6));
  });
});
