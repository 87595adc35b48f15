import { expect, it } from 'vitest';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

it.skipIf(!hasTmux)('the tour of notifications', { tags: ['needs-program'], timeout: 1_200_000 }, async () => {
  await using tour = await openTour('docs/notifications.md');
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  const bob = await tour.invite('bob');
  // Mentions are told by jobs, right after the request.
  const list = async (): Promise<string> => (await reader.terminal.type('conclave social notifications')).text;
  await tour.meanwhile(bob, 'conclave social post "Tea at four, @ada"');
  await expect.poll(list, { timeout: 300_000, interval: 500 }).toContain('mentioned you');
  await tour.meanwhile(bob, 'conclave social follow ada');
  await expect.poll(list, { timeout: 300_000, interval: 500 }).toContain('follows you');

  const unread = await tour.run('conclave social notifications --unread');
  const watcher = await tour.openHome('ada-watches', {}, reader.home);
  await tour.begin('conclave social notifications --watch', 'Watching.', { by: watcher });
  await tour.meanwhile(bob, 'conclave social post "Tea at five, @ada"');
  await watcher.terminal.shows('mentioned you');
  await watcher.terminal.press('C-c');
  await tour.ends(watcher, { ends: 130 });
  await tour.run('conclave social notifications read 019bc1fcb906', {
    for: { '019bc1fcb906': /^[0-9a-f]{12}/m.exec(unread)?.[0] ?? '' },
  });
  await tour.run('conclave social notifications clear --yes');

  await tour.run(
    'conclave social notifications preferences --no-email --category files=in_app --category social=in_app,push',
  );
  await tour.run('conclave social notifications preferences --quiet 22:00-07:00 --zone Europe/Berlin');
  await tour.run('conclave social notifications preferences --dnd 8h');
  await tour.finish();
});
