import { afterAll, beforeAll, expect, it } from 'vitest';
import Add from '../../../commands/calendar/add.ts';
import Search from '../../../commands/calendar/search.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

let people: MailPeople;
beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada'])));
afterAll(async () => await people[Symbol.asyncDispose]());

it('finds events by words, from a day on, with the day on which a series happens next', async () => {
  const berlin = ['--zone', 'Europe/Berlin'];
  for (const argv of [
    ['Lunch with Bob', '2050-05-14 12:30 1h', '--location', 'Café'],
    ['Lunch', 'every Monday from 2049-05-03 12:00'],
    ['Trip', '2050-05-16 2 days'],
  ])
    expect(await people.run('ada', Add, [...argv, ...berlin])).toMatchObject({ code: 0 });
  const search = async (...argv: string[]) => {
    const run = await people.run('ada', Search, [...argv, ...berlin]);
    return { ...run, stdout: run.stdout.replaceAll(/\t[0-9a-f]{32}/g, '') };
  };
  expect(await search('bob cafe')).toMatchObject({ code: 0, stdout: '2050-05-14\t12:30\tLunch with Bob\tCafé\n' });
  expect((await search('lunch')).stdout.split('\n').toSorted().slice(1)).toEqual([
    '2049-05-03\t12:00\tLunch\t',
    '2050-05-14\t12:30\tLunch with Bob\tCafé',
  ]);
  expect((await search('trip')).stdout).toBe('2050-05-16\tall day\tTrip\t\n');
  expect(await search('trip', '--from', '2050-05-19')).toMatchObject({ stdout: '', stderr: 'No event found.\n' });
  expect((await search('lunch', '--limit', '1')).stderr).toBe('There are more. Use --limit, or more words.\n');
});
