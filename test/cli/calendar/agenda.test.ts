import { afterAll, beforeAll, expect, it } from 'vitest';
import Add from '../../../commands/calendar/add.ts';
import Agenda from '../../../commands/calendar/agenda.ts';
import Create from '../../../commands/calendar/create.ts';
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

it('draws a week and a month on a terminal, and lists them without one', async () => {
  const week = ['--week', '--from', '2030-05-16', '--zone', 'Europe/Berlin'];
  const drawn = (await people.run('ada', Agenda, week, { person: [] })).stdout;
  expect(drawn).toMatch(/^Week 20, Monday 13 May 2030 to Sunday 19 May 2030, Europe\/Berlin\n/);
  expect(drawn).toMatch(/\n09:00 │▌Stand-up │▌Stand-up │/);
  expect(drawn).not.toContain('\u001b');
  const month = (await people.run('ada', Agenda, ['--month', ...week.slice(1)], { person: [] })).stdout;
  expect(month).toMatch(/^May 2030, Europe\/Berlin\n│ Monday /);
  const rows = (await people.run('ada', Agenda, week)).stdout.split('\n');
  expect(rows.filter((row) => row.includes('Stand-up'))).toHaveLength(5);
  const json = (await people.run('ada', Agenda, [...week, '--json'])).json();
  expect(json).toMatchObject({ start: '2030-05-13', end: '2030-05-20', timezone: 'Europe/Berlin' });
  expect(json.events).toHaveLength(7);
});

it('has colours of calendars where the terminal has them, and says whose they are', async () => {
  await people.run('ada', Create, ['Office', '--color', '#ff0000']);
  await people.run('ada', Add, ['Retro', '2030-05-17 16:00', '--calendar', 'office', '--zone', 'Europe/Berlin']);
  const argv = ['--week', '--from', '2030-05-16', '--zone', 'Europe/Berlin'];
  const env = { NO_COLOR: '', COLORTERM: 'truecolor' };
  const { stdout } = await people.run('ada', Agenda, argv, { person: [], env });
  expect(stdout).toContain('\u001b[38;2;255;0;0m▌\u001b[39mRetro');
  expect(stdout).toContain('\u001b[38;2;255;0;0m▌\u001b[39m Office');
});

it.each([
  [['--week', '--month'], 2, '--month'],
  [['--from', 'soon'], 2, 'is no day. Write it as tomorrow'],
  [['--calendar', 'Nope'], 6, 'You have no calendar "Nope"'],
  [['--zone', 'Moon/Sea'], 2, 'There is no time zone'],
  [['--days', '0'], 2, '--days'],
])('refuses %j with %i', async (argv, code, reason) => {
  const run = await people.run('ada', Agenda, argv);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr.replaceAll('\n', ' ')).toContain(reason);
});

it('names the calendars between which a name does not choose', async () => {
  for (const _ of [1, 2]) await people.run('ada', Create, ['Twin']);
  const run = await people.run('ada', Agenda, ['--calendar', 'twin']);
  expect(run.code).toBe(7);
  expect(run.stderr).toMatch(/"twin" matches more than one:\n {2}[0-9a-f]{32}: Twin\n {2}[0-9a-f]{32}: Twin/);
});
