import { describe, expect, it } from 'vitest';
import { generateMnemonic } from '../../../src/crypto/mnemonic.ts';
import { heavyWork } from '../../../src/service/heavy-work.ts';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { unsealTask, wrapTask, type UnsealJob } from '../../../src/services/quorum/documents/tasks.ts';
import { lentOffload } from '../../support/lent-offload.ts';
import { engines } from '../../support/stores.ts';
import { proposing } from './governing.ts';
import { openQuorum, said } from './scene.ts';
import { slowly } from '../../support/real-time.ts';

describe.each(engines)('on a node that has much to do, on %s', (engine) => {
  it('documents are sealed and opened beside the queue of sign-ins', { tags: 'thorough' }, async () => {
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
    await using scene = await openQuorum(engine, 2);
    const { house, people } = scene;
    const memberIds = people.map(({ id }) => id);
    const memberCredentials = people.map(({ id, mnemonic }) => ({ memberId: id, mnemonic }));
    const { documentId } = await scene.ask('POST', '/documents/seal', { document: 1, memberIds });
    const before = await house.ctx.blocks.stat();
    const mnemonic = generateMnemonic();
    const stop = new AbortController();
    const slow: UnsealJob = {
      documentId,
      epochNumber: 1,
      generation: 1,
      sharesRequired: 2,
      header: '',
      sealed: new Uint8Array(),
      credentials: Array.from({ length: 1_000 }, () => ({
        memberId: '',
        mnemonic,
        wrapped: undefined,
      })),
    };
    const others = Array.from({ length: unsealTask.atOnce + unsealTask.queued }, async (_, at) => {
      const { offload } = house.ctx;
      return await offload.of(`member ${at}`).run(unsealTask, slow, { signal: stop.signal });
    });
    const ended = Promise.allSettled(others);
    expect(said(await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials }))).toBe(
      '503 OVERLOADED',
    );
    // Who seals does not wait for who opens.
    expect((await scene.call('POST', '/documents/seal', { document: 2, memberIds })).status).toBe(201);
    stop.abort(new Error('enough'));
    await ended;
    expect((await house.ctx.blocks.stat()).blocks).toBe(before.blocks + 1);
    expect((await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials })).status).toBe(200);
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
