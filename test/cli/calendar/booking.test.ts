import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Book from '../../../commands/calendar/book.ts';
import Cancel from '../../../commands/calendar/booking/cancel.ts';
import Move from '../../../commands/calendar/booking/move.ts';
import Confirm from '../../../commands/calendar/booking/confirm.ts';
import Reject from '../../../commands/calendar/booking/reject.ts';
import Create from '../../../commands/calendar/page/create.ts';
import Edit from '../../../commands/calendar/page/edit.ts';
import Remove from '../../../commands/calendar/page/remove.ts';
import Show from '../../../commands/calendar/page/show.ts';
import Pages from '../../../commands/calendar/pages.ts';
import Call from '../../../commands/call.ts';
import { windowsFrom } from '../../../src/cli/calendar/page-flags.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('booking pages from a terminal', () => {
  let people: MailPeople;
  let folder: string;
  beforeAll(async () => {
    people = await openMailPeople(fewWays[0]!, ['ada', 'bob']);
    folder = await mkdtemp(join(tmpdir(), 'conclave-pages-'));
  });
  afterAll(async () => {
    await people[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** The first free time of a page, and a booking of it by somebody without an account. */
  async function book(slug: string, kind: string, bookerName: string): Promise<{ id: string }> {
    const slots = await people.run('ada', Call, [
      'calendar.slots',
      `slug=${slug}`,
      `appointmentType=${kind}`,
      'days=30',
    ]);
    const [first] = JSON.parse(slots.stdout).slots as { start: string }[];
    const input = { slug, appointmentType: kind, startTime: first?.start, bookerName, bookerEmail: 'eve@else.example' };
    const made = await people.run('ada', Call, ['calendar.book', '--input', JSON.stringify(input)]);
    expect(made).toMatchObject({ code: 0 });
    return JSON.parse(made.stdout).appointment as { id: string };
  }

  it('are created, shown, changed and removed', async () => {
    const hours = ['--hours', 'mon-fri 9-12,13:30-17', '--hours', 'sat 22-2'];
    const made = await people.run('ada', Create, [
      'ada-talks',
      'Talk to Ada',
      '--minutes',
      '45',
      '--zone',
      'Europe/Berlin',
      ...hours,
      '--confirm',
    ]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Created the booking page http.*\/book\/ada-talks\n$/),
    });
    expect((await people.run('ada', Pages, [])).stdout).toContain('ada-talks\tTalk to Ada\tMeeting');
    const shown = await people.run('ada', Show, ['ada-talks']);
    expect(shown.stdout).toContain('45 minutes, you confirm it, Mon 09:00-12:00, Mon 13:30-17:00');
    expect(shown.stdout).toContain('Sat 22:00-02:00');
    expect(await people.run('bob', Show, ['ada-talks'])).toMatchObject({ code: 6, stdout: '' });
    expect(await people.run('bob', Create, ['ada-talks', 'Mine'])).toMatchObject({ code: 7 });
    await people.run('ada', Edit, ['ada-talks', '--title', 'Other', '--per-day', '2', '--off']);
    const { page } = (await people.run('ada', Show, ['ada-talks', '--json'])).json();
    expect(page).toMatchObject({ title: 'Other', maxPerDay: 2, active: false, timezone: 'Europe/Berlin' });
    const kinds = join(folder, 'kinds.json');
    await writeFile(
      kinds,
      JSON.stringify([
        { ...page.appointmentTypes[0], name: 'Long' },
        { ...page.appointmentTypes[0], id: undefined },
      ]),
    );
    expect(await people.run('ada', Edit, ['ada-talks', '--kinds-file', kinds, '--on'])).toMatchObject({ code: 0 });
    const after = (await people.run('ada', Show, ['ada-talks', '--json'])).json().page;
    expect(after.appointmentTypes.map(({ name }: { name: string }) => name)).toEqual(['Long', 'Meeting']);
    expect(after.appointmentTypes[0].id).toBe(page.appointmentTypes[0].id);
    expect(await people.run('ada', Remove, ['ada-talks'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await people.run('ada', Remove, ['ada-talks', '--yes'])).toMatchObject({ code: 0 });
    expect((await people.run('ada', Pages, [])).stderr).toContain('You have no booking page');
  });

  it('take appointments, which are listed, confirmed, rejected and cancelled', async () => {
    await people.run('ada', Create, ['ada-hours', 'Hours', '--hours', 'sun-sat 0-24', '--confirm', '--kind', 'Talk']);
    const [one, two, three] = [
      await book('ada-hours', 'Talk', 'Eve'),
      await book('ada-hours', 'Talk', 'Dan'),
      await book('ada-hours', 'Talk', 'Fay'),
    ];
    const listed = await people.run('ada', Book, []);
    expect(listed.stdout.split('\n').filter((line) => line.includes('\tTalk\twaits for you'))).toHaveLength(3);
    expect((await people.run('bob', Book, [])).stderr).toContain('Nobody has booked anything');
    expect(await people.run('bob', Confirm, [one.id])).toMatchObject({ code: 6 });
    const confirmed = await people.run('ada', Confirm, [one.id.slice(0, 12)]);
    expect(confirmed.stdout).toMatch(/^Confirmed Talk with Eve, /);
    expect(await people.run('ada', Confirm, [one.id])).toMatchObject({ code: 7 });
    expect((await people.run('ada', Reject, [two.id, '--reason', 'No', '--yes'])).stdout).toMatch(
      /^Rejected Talk with Dan, /,
    );
    const zone = ['--zone', 'UTC', '--yes'];
    const day = new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const move = async (when: string, ...more: string[]) =>
      await people.run('ada', Move, [one.id.slice(0, 12), when, ...more]);
    expect((await move(`${day}T11:00`, ...zone)).stdout).toMatch(/^Moved Talk with Eve, /);
    // A time of day keeps the day.
    const moved = (await move('at 14:30', ...zone, '--json')).json().appointment;
    expect(moved).toMatchObject({ id: one.id, startTime: `${day}T14:30:00.000Z`, status: 'confirmed' });
    const unasked = await move('15:00', '--zone', 'UTC');
    expect([unasked.code, unasked.stdout, unasked.stderr]).toEqual([2, '', expect.stringContaining('--yes')]);
    const answer = { person: [[`to `, 'n']] as const };
    expect(await people.run('ada', Move, [one.id, '15:00'], answer)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing was changed.'),
    });
    for (const [when, reason] of [
      [day, 'Say at what time of day it begins'],
      [`${day} 15:00 2h`, 'it keeps its length'],
      ['soon', 'Could not tell when'],
    ] as const)
      expect(await move(when, ...zone)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
    expect(await move('2020-01-01T10:00', ...zone)).toMatchObject({ code: 7, stdout: '' });
    expect(await people.run('bob', Move, [one.id, '15:00', ...zone])).toMatchObject({ code: 6 });
    expect(await people.run('ada', Cancel, [three.id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await people.run('ada', Cancel, [three.id, '--yes'])).toMatchObject({ code: 0 });
    const states = (await people.run('ada', Book, ['--json'])).json().appointments as { status: string }[];
    expect(states.map(({ status }) => status).toSorted()).toEqual(['cancelled', 'confirmed', 'rejected']);
    expect((await people.run('ada', Book, ['--status', 'confirmed'])).stdout).toContain('Eve');
    expect(await people.run('ada', Cancel, ['ffffffffffff', '--yes'])).toMatchObject({ code: 6 });
  });

  it.each(['mon', 'mon 9', 'moon 9-10', 'mon 9-25', 'mon 9:60-10', 'mon 9-10 11-12', ''])(
    'refuse hours: %j',
    (text) => {
      expect(() => windowsFrom([text])).toThrow('write days and times such as "mon-fri 9-12,13:30-17"');
    },
  );

  it('read hours over the end of the week', () => {
    expect(
      windowsFrom(['sat-mon 9-10', 'Friday 14:15-0']).map(({ dayOfWeek, startTime, endTime }) => [
        dayOfWeek,
        startTime,
        endTime,
      ]),
    ).toEqual([
      [6, '09:00', '10:00'],
      [0, '09:00', '10:00'],
      [1, '09:00', '10:00'],
      [5, '14:15', '00:00'],
    ]);
  });

  it('are refused without a list of kinds', async () => {
    const kinds = join(folder, 'wrong.json');
    await writeFile(kinds, '{"name": "Talk"}');
    for (const file of [kinds, join(folder, 'none.json')])
      expect(await people.run('ada', Create, ['ada-wrong', 'Wrong', '--kinds-file', file])).toMatchObject({
        code: 2,
        stdout: '',
      });
  });
});
