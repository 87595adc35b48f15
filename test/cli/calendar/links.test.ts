import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Create from '../../../commands/calendar/create.ts';
import Holidays from '../../../commands/calendar/holidays.ts';
import Link from '../../../commands/calendar/link.ts';
import Links from '../../../commands/calendar/links.ts';
import List from '../../../commands/calendar/list.ts';
import Subscribe from '../../../commands/calendar/subscribe.ts';
import Unlink from '../../../commands/calendar/unlink.ts';
import Update from '../../../commands/calendar/update.ts';
import { until } from '../../support/real-time.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('addresses of calendars from a terminal', () => {
  let people: MailPeople;
  // The addresses are read, and addresses elsewhere are followed, by a server.
  beforeAll(async () => void (people = await openMailPeople('url', ['ada'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are made, listed and revoked', async () => {
    await people.run('ada', Create, ['Work']);
    expect((await people.run('ada', Links, ['Work'])).stderr).toContain('conclave calendar link Work');
    const made = await people.run('ada', Link, ['work', '--expires', '90d']);
    expect(made.stdout).toMatch(/^https?:\/\/[^\s]+\/api\/cal\/public\/[\w-]{43}\.ics\n$/);
    expect(made.stderr).toContain('sees of Work: events, without what is private. It is not shown again.');
    const busy = await people.run('ada', Link, ['work', '--detail', 'freebusy', '--json']);
    const { url } = busy.json() as { url: string };
    const read = async (address: string) => await (await fetch(address)).text();
    expect(await read(made.stdout.trim())).toContain('X-WR-CALNAME:Work');
    expect(await read(url)).toContain('BEGIN:VCALENDAR');
    const listed = await people.run('ada', Links, ['Work']);
    expect(listed.stdout).toMatch(
      /^viewer\tevents, without what is private\t20\S+.*\t20.*\nfreebusy\twhen time is taken\t20.*\tnever\n$/,
    );
    expect((await people.run('ada', Unlink, ['Work', '--detail', 'freebusy'])).stdout).toBe(
      'The secret address with --detail freebusy does not open Work any more.\n',
    );
    expect((await fetch(url)).status).toBe(404);
    expect((await people.run('ada', Unlink, ['Work'])).stdout).toBe('No secret address opens Work any more.\n');
    expect((await fetch(made.stdout.trim())).status).toBe(404);
    expect((await people.run('ada', Unlink, ['Work'])).code).toBe(6);
  });

  it('are followed, by an argument or by what is on standard input', async () => {
    const { region } = (await people.run('ada', Holidays, ['de-by', '--json'])).json() as {
      region: { icsUrl: string };
    };
    const { icsUrl } = region;
    const made = await people.run('ada', Subscribe, ['-', '--name', 'Free days', '--every', '1w'], {
      stdin: `${icsUrl}\n`,
    });
    expect(made.stdout).toContain(`Address\t${icsUrl}\nRead every\tP7D\nState\t`);
    await until(async () => (await people.run('ada', List)).stdout.includes('Free days\tyours\tUTC\tfrom elsewhere\t'));
    const changed = await people.run('ada', Update, ['Free days', '--every', '12h']);
    expect(changed.stdout).toContain('Read every\tPT12H\nState\tread\nLast read\t20');
    const off = await people.run('ada', Subscribe, ['https://example.org/club.ics']);
    expect(off).toMatchObject({ code: 7, stderr: expect.stringContaining('calendar.subscriptions') });
    expect(await people.run('ada', Subscribe, [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('- for standard input'),
    });
    const seldom = await people.run('ada', Subscribe, [icsUrl, '--every', 'often']);
    expect(seldom).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1h to 30d') });
    expect((await people.run('ada', Subscribe, [icsUrl, '--every', '5w'])).code).toBe(2);
  });
});
