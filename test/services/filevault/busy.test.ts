import { describe, expect, it } from 'vitest';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { Problem } from '../../../src/base/problem.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';

const busy = new Problem('unavailable', 'OVERLOADED', 'The server has too much work.', { retryAfterSeconds: 5 });

describe.each(engines)('files while no thread is free, on %s', (engine) => {
  it('say so for what has to be done in one, change nothing, and do the rest', async () => {
    const state = { refuses: false };
    const { createOffload } = await import('../../../src/platform/workers/offload.ts');
    await using threads = createOffload();
    const offload: Offload = {
      run: async (task, input, options) => {
        if (state.refuses) throw busy;
        return await threads.run(task, input, options);
      },
      of: () => offload,
    };
    await using scene = await openScene(engine, { context: { offload } });
    const fileId = await scene.file('some text', { type: 'text/plain' });
    const link = await scene.get('POST', '/share/link', { fileId, mode: 'server_proxied', password: 'a password' });
    const canary = { name: 'Forced', condition: 'DURESS', actions: [{ type: 'destroy', fileIds: [fileId] }] };
    const { id } = await scene.get('POST', '/canary/bindings', { ...canary, code: 'a code of mine' });
    const marked = await scene.file('other text', { type: 'text/plain' });
    await scene.get('PATCH', `/files/${marked}`, { visibleWatermark: true });

    state.refuses = true;
    const shared = { headers: { 'x-share-password': 'a password' } };
    for (const [method, path, body, options] of [
      ['POST', '/share/link', { fileId, mode: 'server_proxied', password: 'another one' }],
      ['GET', `/share/link/${link.token}`, undefined, shared],
      ['GET', `/share/link/${link.token}/content`, undefined, shared],
      ['PATCH', `/canary/bindings/${id}`, { code: 'another code' }],
      ['POST', `/canary/bindings/${id}/check-in`, { code: 'a code of mine' }],
      ['GET', `/files/${marked}/preview`],
    ] as const) {
      const answer = await scene.call(method, path, body, options);
      expect([said(answer), answer.headers.get('retry-after')], path).toEqual(['503 OVERLOADED', '5']);
    }
    const { db } = scene.house.ctx;
    expect(await db.selectFrom('file_links').select('access_count').execute()).toEqual([{ access_count: 0 }]);
    expect(await db.selectFrom('jobs').select('id').where('kind', '=', 'duress').execute()).toEqual([]);
    expect((await scene.read(fileId)).bytes.toString()).toBe('some text');

    state.refuses = false;
    expect((await scene.call('GET', `/share/link/${link.token}`, undefined, shared)).status).toBe(200);
    expect((await scene.call('GET', `/files/${marked}/preview`)).status).toBe(200);
  });
});
