import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

const idIn = (shown: string): string => /[0-9a-f]{32}/.exec(shown.replaceAll('\n', ''))?.[0] ?? '';

/** One of three events has no time. */
const family = [
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Family//EN'],
  [
    'BEGIN:VEVENT',
    'UID:one@example.com',
    'DTSTART:20270514T120000Z',
    'DTEND:20270514T130000Z',
    'SUMMARY:One',
    'END:VEVENT',
  ],
  ['BEGIN:VEVENT', 'UID:bad@example.com', 'DTSTART:soon', 'SUMMARY:Bad', 'END:VEVENT'],
  ['BEGIN:VEVENT', 'UID:two@example.com', 'DTSTART;VALUE=DATE:20270515', 'SUMMARY:Two', 'END:VEVENT'],
  ['END:VCALENDAR', ''],
]
  .flat()
  .join('\r\n');

const secretAddress = [[/http:[^]*?\.ics/, 'ADDRESS']] as const;

it.skipIf(!hasTmux)('the tour of calendars', { tags: ['needs-program'], timeout: 900_000 }, async () => {
  await using tour = await openTour('docs/calendar.md');
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  await tour.invite('bob');

  const lunch = idIn(
    await tour.run('conclave calendar add "Lunch with Bob 2027-05-12 12:30 1h"', { answers: [['? Add Lunch', 'y']] }),
  );
  const standUp = idIn(
    await tour.run('conclave calendar add "Stand-up every weekday 9:00 15 min from 2027-05-10" --yes'),
  );
  const onLunch = { for: { '01a22cedcacf': lunch } };
  const onStandUp = { for: { '01a22cef19cf': standUp } };
  expect(await tour.run('conclave calendar agenda --from 2027-05-12 --days 2')).toContain('12:30-13:30  ▌ Lunch');

  await tour.run('conclave calendar create Work --color "#0b8043" --zone Europe/Berlin');
  await tour.run('conclave calendar update Work --name Office');
  await tour.run('conclave calendar share Office bob --as editor');
  await tour.run('conclave calendar list');
  await tour.run('conclave calendar shares Office');
  await tour.run('conclave calendar unshare Office bob');

  await tour.run(
    'conclave calendar add "Retro" "monthly on the last Friday 16:00 from 2027-05-01 until 2027-12-31" --calendar Office --location "Room 4" --remind "15 min" --yes',
  );
  await tour.run('conclave calendar add Trip --start 2027-05-12 --end 2027-05-15 --location Lisbon');
  await tour.run('conclave calendar show 01a22cef19cf --on 2027-05-12', {
    ...onStandUp,
    random: [[/[0-9a-f]{32}(?=_)/, 'ID']],
  });
  await tour.run('conclave calendar edit 01a22cedcacf --title "Lunch with Bob and Cleo" --when 13:00', {
    ...onLunch,
    answers: [['? Change Lunch', 'y']],
  });
  await tour.run('conclave calendar edit 01a22cef19cf --on 2027-05-12 --when 10:00 --yes', onStandUp);
  await tour.run('conclave calendar edit 01a22cef19cf --on 2027-06-01 --following --duration "30 min"', onStandUp);
  await tour.run('conclave calendar remove 01a22cef19cf --on 2027-05-14', {
    ...onStandUp,
    answers: [['? Delete', 'y']],
  });

  expect(await tour.run('conclave calendar agenda --week --from 2027-05-12')).toContain(
    '10:00 │          │          │▌Stand-up',
  );
  await tour.run('conclave calendar agenda --month --from 2027-05-12 --calendar Office');

  expect(await tour.run('conclave calendar search "lunch bob"')).toContain('Lunch with Bob and Cleo');

  const { terminal } = reader;
  await terminal.begin('conclave calendar', 'q:quit');
  await terminal.press('g');
  await terminal.shows('A day, such as');
  // As soon as nothing is on its way.
  await terminal.press('2', '0', '2', '7', '-', '0', '5', '-', '1', '2', 'Enter');
  tour.keep(reader, await terminal.shows(/May 2027 {2}UTC\n[^]*13:00-14:00 ▌Lunch[^]*q:quit/));
  await terminal.press('w');
  tour.keep(reader, await terminal.shows(/May 2027 {2}UTC\n[^]*\[Wed 12\][^]*q:quit/));
  await terminal.press('C-c');
  expect((await terminal.ends()).exitCode).toBe(130);

  await writeFile(join(reader.home, 'family.ics'), family);
  expect(await tour.run('conclave calendar import family.ics --calendar Calendar', { ends: 2 })).toContain(
    'line 10 (bad@example.com): Its DTSTART is no day and no time.',
  );
  await tour.run('conclave calendar export Calendar --output calendar.ics');

  await tour.run('conclave calendar page create ann-talks "Talk to Ann" --minutes 30 --hours "mon-fri 9-12,13-17"');
  await tour.run('conclave calendar book');
  await tour.run('conclave calendar holidays de-by --year 2027');

  const office = { for: { Work: 'Office' }, random: secretAddress };
  await tour.run('conclave calendar link Work', office);
  await tour.run('conclave calendar link Work --detail freebusy --expires 90d', office);
  await tour.run('conclave calendar links Work', office);
  await tour.run('conclave calendar unlink Work', office);

  const isElsewhere = 'it follows an address on a server elsewhere';
  tour.skip('conclave calendar subscribe https://example.org/club.ics --name Club --every 12h', isElsewhere);
  tour.skip('conclave calendar subscribe - --name Office < address.txt', isElsewhere);
  tour.skip('conclave calendar update Club --every 1d', isElsewhere);
  tour.skip('conclave calendar delete Club', isElsewhere);

  await tour.run('conclave account app-password create Telephone --scope calendar --scope contacts', {
    random: [[/(?:[0-9A-Z]{4}-){8}[0-9A-Z]{4}/, 'XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX']],
  });
  await tour.finish();
});
