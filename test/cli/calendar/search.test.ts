import { afterAll, beforeAll, expect, it } from 'vitest';
import Add from '../../../commands/calendar/add.ts';
import Create from '../../../commands/calendar/create.ts';
import Search from '../../../commands/calendar/search.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

let people: MailPeople;
beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
afterAll(async () => await people[Symbol.asyncDispose]());

it('finds events by their words, in all calendars or in one', async () => {
  const berlin = ['--zone', 'Europe/Berlin'];
  await people.run('ada', Create, ['Work']);
  for (const argv of [
    ['Lunch with Bob', '2030-05-14 12:30', '--location', 'Cafe'],
    ['Lunch talk', '2030-05-15', '--calendar', 'Work'],
  ])
    expect(await people.run('ada', Add, [...argv, ...berlin])).toMatchObject({ code: 0 });
  const search = async (...argv: string[]) => await people.run('ada', Search, [...argv, ...berlin]);
  expect((await search('lunch cafe')).stdout).toMatch(/^2030-05-14 12:30\tLunch with Bob\tCafe\t\t[0-9a-f]{32}\n$/);
  expect((await search('LUNCH', '--calendar', 'work')).stdout).toMatch(/^2030-05-15\tLunch talk\t\t\t[0-9a-f]{32}\n$/);
  expect((await search('lunch', '--json')).json()).toMatchObject({ items: [{}, {}], hasMore: false });
  const first = (await search('lunch', '--limit', '1', '--json')).json();
  expect(first).toMatchObject({ items: [{}], hasMore: true });
  const next = (await search('lunch', '--limit', '1', '--cursor', first.cursor, '--json')).json();
  expect(next.items[0].id).not.toBe(first.items[0].id);
  const none = await search('dinner');
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No event has these words.\n' });
  // Nobody finds what is of others.
  expect((await people.run('bob', Search, ['lunch'])).stdout).toBe('');
  expect(await search('lunch', '--calendar', 'Nope')).toMatchObject({ code: 6 });
});
