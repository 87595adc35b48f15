import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Create from '../../../commands/calendar/create.ts';
import Delete from '../../../commands/calendar/delete.ts';
import List from '../../../commands/calendar/list.ts';
import Share from '../../../commands/calendar/share.ts';
import Shares from '../../../commands/calendar/shares.ts';
import Unshare from '../../../commands/calendar/unshare.ts';
import Update from '../../../commands/calendar/update.ts';
import { fewWays } from '../home.ts';
import { openMailPeople, type MailPeople } from '../mail/mail-people.ts';

describe('calendars from a terminal', () => {
  let people: MailPeople;
  beforeAll(async () => void (people = await openMailPeople(fewWays[0]!, ['ada', 'bob', 'cleo'])));
  afterAll(async () => await people[Symbol.asyncDispose]());

  it('are made, listed, changed and deleted', async () => {
    const made = await people.run('ada', Create, ['Work', '--color', '#0b8', '--zone', 'Europe/Berlin', '--json']);
    expect(made.json()).toMatchObject({ displayName: 'Work', color: '#00bb88', timezone: 'Europe/Berlin' });
    expect((await people.run('ada', List)).stdout).toMatch(
      /^Calendar\tyours\tUTC\tdefault\t[0-9a-f]{32}\nWork\tyours\tEurope\/Berlin\t\t[0-9a-f]{32}\n$/,
    );
    const nothing = await people.run('ada', Update, ['work']);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('Name what to change: --name') });
    const changed = await people.run('ada', Update, ['work', '--name', 'Office', '--default']);
    expect(changed.stdout).toContain('Name\tOffice\n');
    expect((await people.run('ada', Delete, ['Office', '--yes'])).stderr).toContain('Make another one the default');
    expect(await people.run('ada', Delete, ['Calendar'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await people.run('ada', Delete, ['Calendar', '--yes'])).stdout).toBe('Deleted Calendar.\n');
    const gone = await people.run('ada', Delete, ['Calendar', '--yes']);
    expect(gone).toMatchObject({ code: 6, stderr: expect.stringContaining('conclave calendar list') });
  });

  it('are shared with members and not any more; a name that is not theirs alone has to be made clear', async () => {
    await people.run('ada', Create, ['Trips']);
    expect((await people.run('ada', Shares, ['Trips'])).stderr).toContain('conclave calendar share Trips MEMBER');
    expect((await people.run('ada', Share, ['trips', 'nobody'])).code).toBe(6);
    const shared = await people.run('ada', Share, ['trips', 'bob', '--as', 'editor', '--expires', '90d']);
    expect(shared.stdout).toBe('Shared Trips with bob: change events.\n');
    expect((await people.run('ada', Share, ['trips', 'bob'])).code).toBe(7);
    await people.run('cleo', Create, ['Trips']);
    await people.run('cleo', Share, ['Trips', 'bob', '--as', 'freebusy']);
    expect((await people.run('bob', List)).stdout).toMatch(/\nTrips\tchange events\t.*\nTrips\tfree and busy only\t/);
    const unclear = await people.run('bob', Shares, ['Trips']);
    expect(unclear).toMatchObject({ code: 7, stderr: expect.stringContaining('matches more than one') });
    await people.run('bob', Create, ['Trips']);
    expect((await people.run('bob', Shares, ['Trips'])).code).toBe(0);
    expect((await people.run('ada', Shares, ['Trips'])).stdout).toMatch(/^bob\tchange events\t20/);
    expect((await people.run('ada', Unshare, ['Trips', 'cleo'])).stderr).toContain('conclave calendar shares Trips');
    expect((await people.run('ada', Unshare, ['Trips', 'BOB'])).stdout).toBe(
      'Trips is not shared with bob any more.\n',
    );
    expect((await people.run('bob', List)).stdout).not.toContain('change events');
  });
});
