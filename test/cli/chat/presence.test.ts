import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Set from '../../../commands/chat/presence/set.ts';
import Show from '../../../commands/chat/presence/show.ts';
import Send from '../../../commands/chat/send.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('presence from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('is set and shown', async () => {
    await people.run('ada', Send, ['bob', 'Hello']);
    expect((await people.run('ada', Show)).stdout).toBe(
      'You are shown as online while a program of yours is connected.\n',
    );
    expect((await people.run('ada', Set, ['dnd'])).stdout).toContain('Do Not Disturb is on: notifications wait.');
    expect((await people.run('ada', Show, ['bob', 'ada'])).stdout).toBe('bob\toffline\nada\toffline\n');
    const shown = (await people.run('ada', Show, ['bob', '--json'])).json();
    expect(shown).toMatchObject({ own: 'dnd', items: [{ status: 'offline' }] });
    expect((await people.run('ada', Set, ['away'])).code).toBe(2);
    expect((await people.run('ada', Show, ['nobody'])).code).toBe(6);
  });
});
