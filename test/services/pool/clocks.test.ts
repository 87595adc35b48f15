import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openScene, status } from './pool-scene.ts';

const MINUTE = 60_000;

describe.each(engines)('clocks of nodes on %s', (engine) => {
  it('that differ by more than a minute are shown by the status of both, in both directions', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    expect([(await status(a)).wrongClocks, (await status(b)).wrongClocks]).toEqual([[], []]);
    b.house.clock.advance(MINUTE);
    expect((await status(a)).wrongClocks).toEqual([]);
    b.house.clock.advance(120 * MINUTE);
    expect((await status(a)).wrongClocks).toEqual([{ nodeId: b.nodeId, aheadMs: 121 * MINUTE }]);
    expect((await status(b)).wrongClocks).toEqual([{ nodeId: a.nodeId, aheadMs: -121 * MINUTE }]);
    // It is still one pool, and connected.
    expect((await status(a)).connected).toBe(1);
  });
});
