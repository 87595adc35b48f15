import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { testRandom } from '../../../support/seeded.ts';
import { openChat } from '../scene.ts';
import { kinds, openUnreachable, visible, type Kind } from './unreachable.ts';

const SAMPLES = 2_000;
/** Halves of one class differ by as much as the machine is uneven; what tells classes apart has to be more than that. */
const TIMES_NOISE = 4;
/** What no client can tell from the noise of a network, however the machine is. */
const PART = 0.1;

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
const halves = (values: readonly number[]): readonly [number, number] => [
  middle(values.filter((_, at) => at % 2 === 0)),
  middle(values.filter((_, at) => at % 2 === 1)),
];
/** One of the six orders. */
function inTurn(order: number): Kind[] {
  const from = order % kinds.length;
  const turned = [...kinds.slice(from), ...kinds.slice(0, from)];
  return order < kinds.length ? turned : turned.toReversed();
}

describe.each(engines)('members who cannot be reached on %s', (engine) => {
  it('are answered in the same time', { timeout: 3_600_000 }, async () => {
    const random = testRandom();
    await using scene = await openChat(engine);
    const { ids, asked } = await openUnreachable(scene);
    for (const [what, ask] of Object.entries(asked)) {
      const times: Record<Kind, number[]> = { unknown: [], blocking: [], suspended: [] };
      const answers = new Set<string>();
      const once = async (kind: Kind): Promise<number> => {
        const began = performance.now();
        const answer = await ask(ids[kind]);
        const took = performance.now() - began;
        answers.add(visible(answer, ids[kind]));
        return took;
      };
      // What is hot is compiled first.
      for (let at = 0; at < 200; at += 1) for (const kind of kinds) await once(kind);
      // In an order that changes, so that none is always behind the same one.
      for (let at = 0; at < SAMPLES; at += 1)
        for (const kind of inTurn(Math.floor(random() * 6))) times[kind].push(await once(kind));
      expect([what, answers.size]).toEqual([what, 1]);
      const medians = kinds.map((kind) => middle(times[kind]));
      const noise = Math.max(...kinds.map((kind) => Math.abs(halves(times[kind])[0] - halves(times[kind])[1])));
      const differs = Math.max(...medians) - Math.min(...medians);
      const bound = Math.max(TIMES_NOISE * noise, PART * Math.min(...medians));
      console.log(
        `${engine}, ${what}: ${kinds.map((kind, at) => `${kind} ${medians[at]!.toFixed(3)} ms`).join(', ')}; halves differ by ${noise.toFixed(3)} ms`,
      );
      expect.soft([what, differs <= bound, differs, bound]).toEqual([what, true, differs, bound]);
    }
  });
});
