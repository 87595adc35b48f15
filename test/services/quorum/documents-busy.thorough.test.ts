import { describe, expect, it } from 'vitest';
import { heavyWork } from '../../../src/service/heavy-work.ts';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { unsealTask, wrapTask } from '../../../src/services/quorum/documents/tasks.ts';
import { heldOffload } from '../../support/held-offload.ts';
import { lentOffload } from '../../support/lent-offload.ts';
import { engines } from '../../support/stores.ts';
import { proposing } from './governing.ts';
import { openQuorum, said } from './scene.ts';
import { slowly } from '../../support/real-time.ts';

describe.each(engines)('on a node that has much to do, on %s', (engine) => {
  it('documents are sealed and opened beside the queue of sign-ins', { tags: 'soak' }, async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 0 });
    await using scene = await openQuorum(engine, 2, { context: { heavy } });
    let release = (): void => {};
    const busy = heavy.run(() => new Promise<void>((resolve) => (release = resolve)));
    const memberIds = scene.people.map(({ id }) => id);
    const { documentId } = await scene.ask('POST', '/documents/seal', { document: 1, memberIds });
    const memberCredentials = scene.people.map(({ id, mnemonic }) => ({ memberId: id, mnemonic }));
    const { document } = await scene.ask('POST', `/documents/${documentId}/unseal`, { memberCredentials });
    expect(document).toBe(1);
    release();
    await busy;
  });

  it('both are refused while too much of others waits, and change nothing', async () => {
    const offload = heldOffload();
    await using scene = await openQuorum(engine, 2, { context: { offload } });
    const { house, people } = scene;
    const memberIds = people.map(({ id }) => id);
    const memberCredentials = people.map(({ id, mnemonic }) => ({ memberId: id, mnemonic }));
    const { documentId } = await scene.ask('POST', '/documents/seal', { document: 1, memberIds });
    const sealing = async (): Promise<string> =>
      said(await scene.call('POST', '/documents/seal', { document: 2, memberIds }));
    const opening = async (): Promise<string> =>
      said(await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials }));
    const { blocks } = await house.ctx.blocks.stat();

    const opened = offload.hold(unsealTask);
    expect(await opening()).toBe('503 OVERLOADED');
    // Who seals does not wait for who opens.
    expect(await sealing()).toBe('201 success');
    const sealed = offload.hold(wrapTask);
    expect(await sealing()).toBe('503 OVERLOADED');
    expect((await house.ctx.blocks.stat()).blocks).toBe(blocks + 1);

    await Promise.all([opened(), sealed()]);
    expect(await opening()).toBe('200 success');
    expect(await sealing()).toBe('201 success');
  });
});

// The embedded store gives up a transaction that does nothing for two seconds, because all others wait for it.
it('documents and identities are sealed by threads that take seconds, without a transaction that waits for them', async () => {
  const slow = (inner: Offload): Offload => ({
    async run(task, input, options) {
      const done = await inner.run(task, input, options);
      if (task.name === wrapTask.name) await slowly(3_500);
      return done;
    },
    of: (owner) => slow(inner.of(owner)),
  });
  await using scene = await openQuorum('sqljs', 2, { context: { offload: slow(lentOffload()) } });
  const memberIds = scene.people.map(({ id }) => id);
  const identity = { aliasName: 'amazing.g', identity: { name: 'Grace' } };
  const answers = await Promise.all([
    scene.call('POST', '/documents/seal', { document: 1, memberIds }),
    proposing(scene, scene.people[0]!, 'REGISTER_ALIAS', identity),
  ]);
  expect(answers.map(said)).toEqual(['201 success', '201 success']);
});
