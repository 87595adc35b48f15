import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Create from '../../../commands/chat/bot/create.ts';
import List from '../../../commands/chat/bot/list.ts';
import Remove from '../../../commands/chat/bot/remove.ts';
import CreateChannel from '../../../commands/chat/channel/create.ts';
import Send from '../../../commands/chat/send.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('bot tokens from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are made for conversations by name, listed without the tokens, and removed', async () => {
    await people.run('ada', CreateChannel, ['builds']);
    await people.run('ada', Send, ['bob', 'Hello']);
    expect((await people.run('ada', List, [])).stderr).toContain('conclave chat bot create NAME --write WITH');
    const nothing = await people.run('ada', Create, ['deploys']);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('--read or --write')]);
    const made = await people.run('ada', Create, [
      'deploys',
      '--write',
      '#builds',
      '--read',
      'bob',
      '--expires',
      '90d',
    ]);
    expect(made.stdout).toMatch(/^conclave-bot-[\w-]{43}\n$/);
    const listed = await people.run('ada', List, []);
    expect(listed.stdout).toMatch(/deploys\tbob\t#builds\t/);
    expect(listed.stdout).not.toContain('conclave-bot');
    expect((await people.run('ada', Remove, ['nothing'])).code).toBe(6);
    expect((await people.run('ada', Remove, ['deploys'])).stdout).toBe('Removed bot token deploys.\n');
    expect((await people.run('ada', List, ['--json'])).json()).toEqual({ items: [] });
    expect((await people.run('bob', Create, ['mine', '--read', 'builds'])).code).toBe(6);
  });
});
