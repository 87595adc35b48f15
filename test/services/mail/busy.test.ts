import { describe, expect, it } from 'vitest';
import type { Offload } from '../../../src/service/ports/workers.ts';
import { Problem } from '../../../src/base/problem.ts';
import { engines } from '../../support/stores.ts';
import { openMail } from './scene.ts';

describe.each(engines)('a long text, on %s', (engine) => {
  it('is made ready for the search of each mailbox in a thread, and a short one is not', async () => {
    const { createOffload } = await import('../../../src/platform/workers/offload.ts');
    const names: string[] = [];
    await using threads = createOffload();
    const offload: Offload = {
      run: async (task, input, options) => (names.push(task.name), await threads.run(task, input, options)),
      of: () => offload,
    };
    await using scene = await openMail(engine, { context: { offload } });
    const [ada, bob, cyd] = [await scene.join('ada'), await scene.join('bob'), await scene.join('cyd')];
    await scene.send(ada, [bob, cyd], { textBody: 'short '.repeat(1_000) });
    expect(names).toEqual([]);
    await scene.send(ada, [bob, cyd], { textBody: `${'long '.repeat(2_000)} needle` });
    expect(names).toEqual(['index-mail', 'index-mail', 'index-mail']);
    for (const who of [ada, bob, cyd])
      expect((await scene.ask(who, 'GET', '/messages?searchText=needle')).body.data.total).toBe(1);
  });
});

describe.each(engines)('mail while no thread is free, on %s', (engine) => {
  it('says so for what has to be read in one, and does the rest', async () => {
    const busy = new Problem('unavailable', 'OVERLOADED', 'The server has too much work.', { retryAfterSeconds: 5 });
    const refuse = async () => await Promise.reject(busy);
    const offload: Offload = { run: refuse, of: () => offload };
    await using scene = await openMail(engine, { context: { offload } });
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    const textBody = 'long '.repeat(100_000);
    const refused = await scene.ask(ada, 'POST', '', { from: ada.mailbox, to: [bob.mailbox], textBody });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'OVERLOADED']);
    expect(refused.headers.get('retry-after')).toBe('5');
    const kept = await scene.house.api('POST', '/api/emails/import', {
      token: ada.token,
      rawBody: `From: x@x.example\r\n\r\n${textBody}`,
      headers: { 'content-type': 'message/rfc822' },
    });
    expect([kept.status, kept.body.error.code]).toEqual([503, 'OVERLOADED']);
    expect(await scene.house.ctx.db.selectFrom('mail_contents').select('id').execute()).toEqual([]);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(0);
    const { id: short } = await scene.send(ada, [bob]);
    await scene.ask(ada, 'GET', `/${short}/content`, undefined, 200);
  });
});
