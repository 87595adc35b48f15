import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Add from '../../../commands/calendar/add.ts';
import Create from '../../../commands/calendar/create.ts';
import Edit from '../../../commands/calendar/edit.ts';
import Remove from '../../../commands/calendar/remove.ts';
import Show from '../../../commands/calendar/show.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('events from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const berlin = ['--zone', 'Europe/Berlin'];
  const add = async (...argv: string[]) => {
    const run = await people.run('ada', Add, [...argv, ...berlin, '--json']);
    expect(run).toMatchObject({ code: 0 });
    return { ...run, event: run.json().event };
  };

  it('are added in words, and what was understood is shown', async () => {
    await people.run('ada', Create, ['Work']);
    const { event, stderr } = await add('Lunch', '2030-05-14 12:30 1h', '--calendar', 'work', '--private');
    expect(stderr).toBe('Tuesday 14 May 2030, 12:30-13:30 Europe/Berlin\n');
    expect(event).toMatchObject({
      dtstart: '2030-05-14T12:30:00',
      dtstartTzid: 'Europe/Berlin',
      end: '2030-05-14T11:30:00.000Z',
      visibility: 'PRIVATE',
    });
    const shown = await people.run('ada', Show, [event.id.slice(0, 20), ...berlin]);
    expect(shown.stdout).toContain('When\tTuesday 14 May 2030, 12:30-13:30 Europe/Berlin\n');
    expect(shown.stdout).toContain('Calendar\tWork\n');
    const foreign = await people.run('bob', Show, [event.id]);
    expect(foreign).toMatchObject({ code: 6 });
  });

  it('are added in one line, and a person says first whether it was understood', async () => {
    const { event, stderr } = await add('Tea with Bob 2030-05-15 16:00 30 min');
    expect(stderr).toBe('Tea with Bob: Wednesday 15 May 2030, 16:00-16:30 Europe/Berlin\n');
    expect(event).toMatchObject({ summary: 'Tea with Bob', dtstart: '2030-05-15T16:00:00' });
    const asked = async (answer: string, ...argv: string[]) =>
      await people.run('ada', Add, [...argv, ...berlin], { person: [['? Add Cake: Thursday 16 May 2030', answer]] });
    const no = await asked('n', 'Cake 2030-05-16 16:00');
    expect([no.code, no.stdout, no.stderr]).toEqual([2, '', expect.stringContaining('Nothing was changed.')]);
    expect(await asked('', 'Cake', '2030-05-16 16:00')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Added Cake: Thursday 16 May 2030, 16:00-17:00'),
    });
    const flags = ['Cake', '--start', '2030-05-17T16:00', ...berlin];
    expect(await people.run('ada', Add, flags, { person: [] })).toMatchObject({ code: 0, stderr: '' });
  });

  it('are moved after a question, keep their zone and their length, and become days and back', async () => {
    const { event } = await add('Cake 2030-05-20 16:00 30 min');
    const edit = async (argv: readonly string[], person?: readonly (readonly [string, string])[]) =>
      await people.run('ada', Edit, [event.id, ...argv], person === undefined ? {} : { person });
    const no = await edit(['--when', '17:00', ...berlin], [['16:00-16:30 Europe/Berlin, becomes', 'n']]);
    expect(no).toMatchObject({ code: 2, stdout: '' });
    const there = ['--when', '11:00', '--zone', 'America/New_York', '--json'];
    expect((await edit(there)).json().event).toMatchObject({
      dtstart: '2030-05-20T11:00:00',
      dtstartTzid: 'America/New_York',
      end: '2030-05-20T15:30:00.000Z',
    });
    // Whose zone is another one does not change that of the event.
    const from = { CONCLAVE_TOKEN: people.tokens['ada'], TZ: 'UTC' };
    const here = await people.run('ada', Edit, [event.id, '--when', '17:00', '--json'], { env: from });
    expect(here.json().event).toMatchObject({ dtstartTzid: 'America/New_York' });
    expect((await edit(['--when', '21 May all day', '--json', ...berlin])).json().event).toMatchObject({
      allDay: true,
      dtend: expect.stringMatching(/-05-22$/),
    });
    expect((await edit(['--when', '2030-05-21 9:00', '--json', ...berlin])).json().event).toMatchObject({
      allDay: false,
      end: '2030-05-21T08:00:00.000Z',
    });
  });

  it('are added by flags, for days too', async () => {
    const { event } = await add('Trip', '--start', '2030-05-12', '--end', '2030-05-15', '--location', 'Lisbon');
    expect(event).toMatchObject({ allDay: true, dtstart: '2030-05-12', dtend: '2030-05-16', location: 'Lisbon' });
    const timed = await add(
      'Call',
      '--start',
      '2030-05-12T09:00',
      '--duration',
      '90 min',
      '--repeat',
      'FREQ=DAILY;COUNT=3',
    );
    expect(timed.event).toMatchObject({ end: '2030-05-12T08:30:00.000Z', rrule: { freq: 'DAILY', count: 3 } });
  });

  it.each([
    [['Lunch'], 'Write a title and when it is'],
    [['Lunch', 'soon'], 'Could not tell when'],
    [['Lunch', 'tomorrow 9:00', '--start', '2030-05-12'], 'either in words, or by --start'],
    [['Lunch', '--start', '2030-02-30'], '--start must be a time such as'],
    [['Lunch', 'tomorrow', '--zone', 'Moon/Sea'], 'There is no time zone "Moon/Sea"'],
    [['Lunch', 'tomorrow 9:00', '--repeat', 'often'], 'is no recurrence'],
  ])('are refused: %j', async (argv, reason) => {
    const run = await people.run('ada', Add, argv);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr.replaceAll('\n', ' ')).toContain(reason);
  });

  it('are changed: one of a series, the later ones, and all', async () => {
    const { event } = await add('Stand-up', 'every weekday from 2030-05-13 9:00 15 min until 2030-05-31');
    const edit = async (...argv: string[]) => await people.run('ada', Edit, [event.id, ...argv, ...berlin]);
    const shown = async (...argv: string[]) => (await people.run('ada', Show, [event.id, ...argv, ...berlin])).stdout;
    expect(await edit('--this', '--title', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--on DAY'),
    });
    expect(await edit()).toMatchObject({ code: 2, stderr: expect.stringContaining('Name what to change') });
    expect(await edit('--on', '2030-05-14', '--when', '10:00')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Tuesday 14 May 2030, 10:00-10:15'),
    });
    expect(await shown('--on', '2030-05-14')).toContain('changed by itself');
    expect(await shown('--on', '2030-05-15')).toContain('Wednesday 15 May 2030, 09:00-09:15');
    expect(await edit('--on', '2030-05-18', '--title', 'x')).toMatchObject({ code: 6 });
    expect((await edit('--on', '2030-05-27', '--following', '--title', 'Late')).stdout).toContain('Changed Late');
    expect(await people.run('ada', Show, [event.id, '--on', '2030-05-28', ...berlin])).toMatchObject({ code: 6 });
    expect((await edit('--title', 'Morning')).stdout).toContain('Changed Morning: Monday 13 May 2030, 09:00-09:15');
    const remove = async (...argv: string[]) => await people.run('ada', Remove, [event.id, ...argv, ...berlin]);
    expect(await remove('--on', '2030-05-15')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await remove('--on', '2030-05-15', '--yes')).stdout).toContain('Deleted Morning, Wednesday 15 May 2030');
    expect((await remove('--on', '2030-05-15', '--yes')).code).toBe(6);
    expect((await remove('--yes')).stdout).toContain('with all its instances');
    expect(await remove('--yes')).toMatchObject({ code: 6, stderr: expect.stringContaining('There is no event') });
  });
});
