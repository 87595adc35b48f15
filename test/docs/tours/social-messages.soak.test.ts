import { expect, it } from 'vitest';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

const idIn = (shown: string): string => /[0-9a-f]{12,}/.exec(shown)?.[0] ?? '';
const options = { tags: ['needs-program'], timeout: 900_000 };

it.skipIf(!hasTmux)('the tour of messages in the social network', options, async () => {
  await using tour = await openTour('docs/social-messages.md');
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  const bob = await tour.invite('bob');
  await tour.meanwhile(bob, 'conclave social follow ada');
  await tour.meanwhile(reader, 'conclave social follow bob');

  const tea = idIn(await tour.run('conclave social message send bob "Tea at four?"'));
  const onTea = { for: { '01a2281692f9': tea } };
  await tour.run('conclave social messages', { by: bob });
  await tour.run('conclave social message read ada', { by: bob });
  const reply = 'conclave social message send ada "Yes. With cake?" --reply-to 01a2281692f9';
  await tour.run(reply, { by: bob, ...onTea });
  await tour.run('conclave social message react 01a2281692f9 👍', { by: bob, ...onTea });

  const cleo = await tour.invite('cleo');
  await tour.run('conclave social message send ada "May I come too?"', { by: cleo });
  await tour.run('conclave social message requests');
  await tour.run('conclave social message read cleo');
  await tour.run('conclave social message accept cleo');

  await tour.run('conclave social message read bob --unread');
  const watcher = await tour.openHome('ada-watches', {}, reader.home);
  await tour.begin('conclave social message watch bob', 'Watching.', { by: watcher });
  await tour.meanwhile(bob, 'conclave social message send ada "And jam?"');
  await watcher.terminal.shows('And jam?');
  await watcher.terminal.press('C-c');
  await tour.ends(watcher, { ends: 130 });

  await tour.run('conclave social message edit 01a2281692f9 "Tea at five?"', onTea);
  await tour.run('conclave social message forward 01a2281692f9 cleo', onTea);
  await tour.run('conclave social message remove 01a2281692f9 --yes', onTea);

  await tour.run('conclave social message group create "tea party" bob cleo');
  await tour.run('conclave social message send "tea party" "Cake at four, @bob?"');
  expect(await tour.run('conclave social message group show "tea party"')).toContain('ada, bob, cleo');
  await tour.runNamed('conclave chat list', { by: bob });
  await tour.run('conclave social message settings "tea party" --mute 8h --pin');
  await tour.run('conclave social messages --archived');
  await tour.run('conclave social message delete "tea party" --yes');

  const cake = await tour.run('conclave social message search cake');
  const report = { for: { ID: idIn(cake), TEXT: '"Too sweet"' } };
  await tour.runNamed('conclave social message report ID --reason TEXT', report);
  const reported = { for: { ID: idIn(await tour.runNamed('conclave social message reports')) } };
  await tour.runNamed('conclave social message review ID --done', reported);
  await tour.finish();
});
