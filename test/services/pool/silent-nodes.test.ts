import { describe, expect, it } from 'vitest';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import type { Screen } from '../../../src/cli/kit/screen.ts';
import { describePool } from '../../../src/cli/pool/pool-details.ts';
import { engines } from '../../support/stores.ts';
import { openScene, status } from './pool-scene.ts';

const measure = await loadMeasure();

describe.each(engines)('nodes on %s that do not answer', (engine) => {
  it('are counted by the status while they are connected', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    expect(await status(a)).toMatchObject({ connected: 1, silent: 0 });
    scene.network.silence('a', 'b');
    const told = await status(a);
    expect(told).toMatchObject({ connected: 1, silent: 1 });
    const screen: Screen = { width: Number.POSITIVE_INFINITY, paint: (_, text) => text, measure };
    expect(describePool(screen, told)).toMatch(/Nodes\s+2, 1 connected, 1 of them does not answer/);
    await scene.network.heal('a', 'b');
    expect(await status(a)).toMatchObject({ connected: 1, silent: 0 });
  });
});
