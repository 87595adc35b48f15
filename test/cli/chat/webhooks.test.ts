import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import Read from '../../../commands/chat/read.ts';
import Create from '../../../commands/chat/webhook/create.ts';
import List from '../../../commands/chat/webhook/list.ts';
import Remove from '../../../commands/chat/webhook/remove.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('webhooks from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are made, listed and removed', async () => {
    await people.run('ada', CreateChannel, ['builds']);
    expect((await people.run('ada', List, ['builds'])).stderr).toContain('conclave chat webhook create builds NAME');
    const made = await people.run('ada', Create, ['builds', 'deploys']);
    expect(made.stdout).toMatch(/^\/hooks\/[\w-]{32}\n$/);
    expect(made.stderr).toContain('Whoever has this address can write into #builds');
    const listed = await people.run('ada', List, ['#builds']);
    expect(listed.stdout).toMatch(/deploys\tada\t/);
    expect(listed.stdout).not.toContain(made.stdout.trim());
    const [{ webhookId }] = (await people.run('ada', List, ['builds', '--json'])).json().items;
    expect((await people.run('ada', Remove, ['builds', 'nothing'])).code).toBe(6);
    const removed = await people.run('ada', Remove, ['builds', webhookId.slice(0, 12)]);
    expect(removed.stdout).toBe('Nothing is written into #builds by deploys any more.\n');
    expect((await people.run('ada', Read, ['#builds'])).code).toBe(0);
    expect((await people.run('bob', Create, ['builds', 'mine'])).code).toBe(6);
  });
});
