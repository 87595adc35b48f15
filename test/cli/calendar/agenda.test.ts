import { afterAll, beforeAll, expect, it } from 'vitest';
import Add from '../../../commands/calendar/add.ts';
import Agenda from '../../../commands/calendar/agenda.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

let people: MailPeople;
beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada'])));
afterAll(async () => await people[Symbol.asyncDispose]());

it('shows events day by day, those over midnight and of whole days on each of theirs', async () => {
  const berlin = ['--zone', 'Europe/Berlin'];
  for (const argv of [
    ['Trip', '2030-05-14 2 days'],
    ['Night train', '2030-05-14 22:00-06:00'],
    ['Stand-up', 'every weekday from 2030-05-13 9:00 15 min'],
  ])
    expect(await people.run('ada', Add, [...argv, ...berlin])).toMatchObject({ code: 0 });
  const argv = ['--from', '2030-05-14', '--days', '2', ...berlin];
  const rows = (await people.run('ada', Agenda, argv)).stdout.replaceAll(/\t[0-9a-f]{32}\S*/g, '');
  expect(rows).toBe(
    [
      '2030-05-14\tall day\tTrip\t',
      '2030-05-14\t09:00-09:15\tStand-up\t',
      '2030-05-14\t22:00-\tNight train\t',
      '2030-05-15\tall day\tTrip\t',
      '2030-05-15\t-06:00\tNight train\t',
      '2030-05-15\t09:00-09:15\tStand-up\t',
      '',
    ].join('\n'),
  );
  const drawn = (await people.run('ada', Agenda, argv, { person: [] })).stdout;
  expect(drawn).toMatch(/^Tuesday 14 May 2030\n {2}all day {6}Trip +[0-9a-f]{12}\n {2}09:00-09:15 {2}Stand-up/);
});
