import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Call from '../../../commands/call.ts';
import Add from '../../../commands/calendar/add.ts';
import Create from '../../../commands/calendar/create.ts';
import Delete from '../../../commands/calendar/delete.ts';
import FindTime from '../../../commands/calendar/find-time.ts';
import Free from '../../../commands/calendar/free.ts';
import Invitations from '../../../commands/calendar/invitations.ts';
import Remove from '../../../commands/calendar/remove.ts';
import Rsvp from '../../../commands/calendar/rsvp.ts';
import Show from '../../../commands/calendar/show.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('invitations and free times from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob'])));
  afterAll(async () => await people[Symbol.asyncDispose]());
  const zone = ['--zone', 'UTC'];

  it('show own busy times, and say whose time one does not see', async () => {
    await people.run('ada', Add, ['Lunch', '--start', '2030-05-14T12:00', '--duration', '1h', ...zone]);
    const run = await people.run('ada', Free, ['ada', 'bob', 'nobody', '--from', '2030-05-14', '--days', '1', ...zone]);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('ada\tTuesday 14 May 2030 12:00\tTuesday 14 May 2030 13:00\tbusy\n');
    expect(run.stderr.replaceAll('\n', ' ')).toContain('You do not see the time of bob, nobody');
    const found = await people.run('ada', FindTime, [
      'ada',
      '--minutes',
      '60',
      '--from',
      '2030-05-14',
      '--days',
      '1',
      '--limit',
      '3',
      '--json',
      ...zone,
    ]);
    expect(found.json().slots.map(({ start }: { start: string }) => start.slice(11, 16))).toEqual([
      '09:00',
      '09:15',
      '09:30',
    ]);
    expect(await people.run('ada', Free, zone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least one member'),
    });
  });

  it('list what waits, and answer it', async () => {
    const none = await people.run('bob', Invitations, []);
    expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining('There are none.') });
    const invited = ['--attendee', 'bob', '--attendee', 'x@nowhere.example'];
    const made = await people.run('ada', Add, ['Plan', '2030-05-15 9:00 1h', ...invited, '--json', ...zone]);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('x@nowhere.example: tell them yourself.') });
    const { event } = made.json();
    const listed = await people.run('bob', Invitations, ['--json']);
    const [waiting] = listed.json().invitations;
    expect(waiting).toMatchObject({ summary: 'Plan', waits: true });
    const shown = await people.run('bob', Invitations, []);
    expect(shown.stdout).toContain('Plan\t');
    const answered = await people.run('bob', Rsvp, [waiting.id, 'yes']);
    expect(answered).toMatchObject({ code: 0, stdout: 'You come: Plan\n' });
    const after = await people.run('ada', Show, [event.id, '--json']);
    expect(after.json().event.attendees).toMatchObject([{ displayName: 'bob', partstat: 'ACCEPTED' }, {}]);
    expect(await people.run('bob', Rsvp, ['0123456789abcdef', 'yes'])).toMatchObject({ code: 6 });
  });

  it('end with their event, and without a word where that is wanted', async () => {
    await people.run('ada', Create, ['Club']);
    const invite = async (title: string, ...more: string[]): Promise<string> => {
      const argv = [title, '2030-05-16 9:00 1h', '--attendee', 'bob', '--json', ...more, ...zone];
      return (await people.run('ada', Add, argv)).json().event.id;
    };
    const states = async (): Promise<Record<string, string>> => {
      const { stdout } = await people.run('bob', Call, ['calendar.events']);
      const { events } = JSON.parse(stdout) as { events: { summary: string; status: string }[] };
      const made = events.filter(({ summary }) => summary !== 'Plan');
      return Object.fromEntries(made.map(({ summary, status }) => [summary, status]));
    };
    const [said, unsaid] = [await invite('Said'), await invite('Unsaid')];
    await invite('In club', '--calendar', 'Club');
    const all = { Said: 'CONFIRMED', Unsaid: 'CONFIRMED', 'In club': 'CONFIRMED' };
    expect(await states()).toEqual(all);
    expect(await people.run('ada', Remove, [said, '--yes'])).toMatchObject({ code: 0 });
    expect(await people.run('ada', Remove, [unsaid, '--yes', '--no-notify'])).toMatchObject({ code: 0 });
    expect(await states()).toEqual({ ...all, Said: 'CANCELLED' });
    expect(await people.run('ada', Delete, ['Club', '--yes', '--no-notify'])).toMatchObject({ code: 0 });
  });
});
