import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Calendar from '../../../../commands/calendar.ts';
import Add from '../../../../commands/calendar/add.ts';
import Agenda from '../../../../commands/calendar/agenda.ts';
import Create from '../../../../commands/calendar/create.ts';
import Share from '../../../../commands/calendar/share.ts';
import { fewWays } from '../../home.ts';
import { openMailPeople, type MailPeople } from '../../mail/mail-people.ts';
import { keys, type Run } from '../../run-command.ts';

const [right, pageDown, backspace] = ['\u001b[C', '\u001b[6~', '\u007f'];
const hints = 'q:quit';
const zone = ['--zone', 'Europe/Berlin'];

describe.each(fewWays)('bare conclave calendar, by the way %s', (way) => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(way, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  const move = async (
    name: string,
    person: readonly (readonly [string, string | readonly string[] | undefined])[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<Run> => await people.run(name, Calendar, zone, { person, env });
  const titles = async (name: string, from: string, days = 1): Promise<string[]> => {
    const argv = ['--from', from, '--days', String(days), ...zone, '--json'];
    const { events } = (await people.run(name, Agenda, argv)).json();
    return events.map(({ summary }: { summary: string }) => summary);
  };

  it('lists the next days without a terminal, and knows no other words', async () => {
    await people.run('ada', Add, ['Tea', 'today 23:00 30 min', ...zone]);
    expect((await people.run('ada', Calendar, zone)).stdout).toMatch(
      /^\d{4}-\d\d-\d\d\t23:00-23:30\tTea\t\t[0-9a-f]{32}\n$/,
    );
    expect((await people.run('ada', Calendar, ['--json'])).json()).toMatchObject({ events: [{ summary: 'Tea' }] });
    const wrong = await people.run('ada', Calendar, ['agneda']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no command "calendar agneda".')]);
  });

  it('adds, changes, shows and deletes an event, and gives the terminal back', async () => {
    const run = await move('ada', [
      [hints, ['g']],
      ['Go to', '2030-05-14'],
      ['May 2030', ['w']],
      ['Tue 14', ['n']],
      ['Title and when it is', 'Lunch with Bob 12:30 1h'],
      ['Add Lunch with Bob: Tuesday 14 May 2030, 12:30-13:30 Europe/Berlin', ['y']],
      ['Added Lunch with Bob', ['e']],
      ['[w] when it is', ['w']],
      ['When it is', '13:00'],
      ['Tuesday 14 May 2030, 13:00-14:00 Europe/Berlin?', ['y']],
      ['Changed Lunch with Bob', ['e']],
      ['[p] place', ['p']],
      ['Place', 'Cafe'],
      ['Changed Lunch with Bob', [keys.enter]],
      ['Where', [keys.escape]],
      [hints, ['q']],
    ]);
    expect(run).toMatchObject({ code: 0, stdout: '' });
    expect(run.stderr.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(run.stderr.endsWith('\u001b[?2004l\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(await titles('ada', '2030-05-14')).toEqual(['Lunch with Bob']);
    const gone = await move('ada', [
      [hints, ['/']],
      ['Words that are', 'lunch'],
      ['Found: lunch', [keys.enter]],
      ['>Lunch', ['d']],
      ['Delete Lunch with Bob, Tuesday 14 May 2030, 13:00-14:00', ['y']],
      ['Deleted Lunch with Bob', ['q']],
    ]);
    expect(gone.code).toBe(0);
    expect(await titles('ada', '2030-05-14')).toEqual([]);
  });

  it('changes one of a series, and all of it, from an instance', async () => {
    await people.run('ada', Add, ['Stand-up', 'every day from 2031-05-12 9:00 15 min until 2031-05-16', ...zone]);
    const change = async (key: string, when: string) =>
      await move('ada', [
        [hints, ['g']],
        ['Go to', '2031-05-14'],
        ['>Stand-up', ['e', 'w']],
        ['When it is', when],
        ['[a] all', [key]],
        ['Changed Stand-up', ['q']],
      ]);
    expect((await change('t', '9:30')).code).toBe(0);
    expect((await change('a', '9:45')).code).toBe(0);
    const argv = ['--from', '2031-05-12', ...zone];
    const times = (await people.run('ada', Agenda, argv)).stdout.match(/\d\d:\d\d-\d\d:\d\d/g);
    expect(times).toHaveLength(5);
    expect(times?.filter((time) => time === '09:45-10:00').length).toBeGreaterThanOrEqual(4);
  });

  it('says what is wrong with words, and keeps them', async () => {
    const run = await move('ada', [
      [hints, ['n']],
      ['Title and when it is', 'Call mom'],
      ['Write a title and when it is', [backspace, backspace, backspace, 'B', 'o', 'b', ' ', '9', ':', '1', '5']],
      ['Call Bob: ', [keys.escape]],
      [hints, ['q']],
    ]);
    expect(run.code).toBe(0);
  });

  it('shows what is shared without what would act on the terminal, and does not let it be changed', async () => {
    await people.run('bob', Create, ['Club']);
    const where = ['--calendar', 'Club', '--location', '\u001b[2J'];
    const made = await people.run('bob', Add, ['Feast\u202e', '2032-05-14 18:00', ...where, ...zone]);
    expect(made.code).toBe(0);
    await people.run('bob', Share, ['Club', 'ada']);
    const run = await move('ada', [
      [hints, ['g']],
      ['Go to', '2032-05-14'],
      ['Feast', ['d']],
      ['You may only read this calendar.', ['c']],
      ['Calendars that are shown', ['j', ' ', 'q']],
      ['1 hidden', ['q']],
    ]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('Feast\\u{202e}, \\x1b[2J');
    expect(run.stderr).not.toContain('\u001b[2J');
  });

  it('answers keys while its server does not', async () => {
    const held = new Set<Socket>();
    const server = createServer((socket) => void held.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const run = await move(
      'ada',
      [
        [hints, [pageDown]],
        ['reading…', [right, '?']],
        ['Keys of the calendar', ['q']],
        [hints, ['q']],
      ],
      { CONCLAVE_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    );
    for (const socket of held) socket.destroy();
    server.close();
    expect(run.code).toBe(0);
  });

  it('writes what was agreed to before the person quit', async () => {
    const run = await move('ada', [
      [hints, ['n']],
      ['Title and when it is', 'Quick 2033-05-14 9:00'],
      ['Add Quick: Saturday 14 May 2033', ['y', 'q']],
    ]);
    expect([run.code, run.stdout]).toEqual([0, '']);
    expect(await titles('ada', '2033-05-14')).toEqual(['Quick']);
  });

  it('ends when nobody is signed in, and says so on the terminal that it gave back', async () => {
    for (const token of ['', 'x.y.z']) {
      const run = await move('ada', [['nobody answers this', []]], { CONCLAVE_TOKEN: token });
      expect(run.code).toBe(4);
      expect(run.stderr.split('\u001b[?1049l').at(-1)).toMatch(/^Error: /);
    }
  });

  it('ends with the code of Ctrl-C', async () => {
    const run = await move('ada', [[hints, undefined]]);
    expect(run.code).toBe(130);
    expect(run.stderr.endsWith('\u001b[?2004l\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});
