import { describe, expect, it } from 'vitest';
import { ownStatements } from '../../../support/own-statements.ts';
import { engines } from '../../../support/stores.ts';
import { openChat } from '../scene.ts';
import { kinds, openUnreachable, visible } from './unreachable.ts';

// timing.soak.test.ts measures the same.
describe.each(engines)('members who cannot be reached on %s', (engine) => {
  it('are answered alike in everything that would tell of them, with the same work', async () => {
    await using scene = await openChat(engine);
    const { ids, reachable, asked } = await openUnreachable(scene);
    for (const [what, ask] of Object.entries(asked)) {
      const observed = async (id: string) => {
        const { result, statements } = await ownStatements(async () => await ask(id));
        return [visible(result, id), statements];
      };
      const unknown = await observed(ids.unknown);
      for (const kind of kinds) expect([what, kind, await observed(ids[kind])]).toEqual([what, kind, unknown]);
      if (what !== 'whether they are there') expect([what, await observed(reachable)]).not.toEqual([what, unknown]);
    }
  });
});
