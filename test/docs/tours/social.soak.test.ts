import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sample } from '../../services/filevault/pictures.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf, type Tour } from './tour.ts';

const options = { tags: ['needs-program'], timeout: 900_000 };
const id = /[0-9a-f]{32}/;
const idIn = (shown: string): string => id.exec(shown)?.[0] ?? '';

async function openSocialTour(path: string): Promise<Tour> {
  const tour = await openTour(path);
  try {
    await tour.startNode();
    await tour.meanwhile(tour.reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
    await writeFile(join(tour.reader.home, 'garden.jpg'), sample('progressiveJpeg'));
    return tour;
  } catch (error) {
    await tour[Symbol.asyncDispose]();
    throw error;
  }
}

it.skipIf(!hasTmux)('the tour of posts and timelines', options, async () => {
  await using tour = await openSocialTour('docs/social.md');
  const { reader } = tour;
  const bob = await tour.invite('bob');
  const cyd = await tour.invite('cyd');

  const post = idIn(await tour.run('conclave social post "The garden is open. Bring tea, @bob. #garden"'));
  await tour.run('conclave social follow ada', { by: bob });
  const onPost = { by: bob, for: { '01a21495ce6c23944675e2422fa52a50': post } };
  await tour.run('conclave social like 01a21495ce6c23944675e2422fa52a50', onPost);
  await tour.run('conclave social reply 01a21495ce6c23944675e2422fa52a50 "I come at four."', onPost);
  await tour.run('conclave social timeline', { by: bob });

  await tour.meanwhile(cyd, "conclave social post --warning Food 'Soup with leeks.'");
  await tour.meanwhile(reader, 'conclave social follow cyd');
  await reader.terminal.begin('conclave social', '[Food]');
  // Of a follower, a like and a reply, which jobs tell.
  tour.keep(reader, await reader.terminal.shows('4 notifications (3)'));
  await reader.terminal.press('q');
  await reader.terminal.ends();

  await tour.runNamed('conclave social profile edit --is-protected', { by: cyd });
  await tour.meanwhile(bob, 'conclave social follow cyd');
  await tour.runNamed('conclave social requests', { by: cyd });
  await tour.runNamed('conclave social report', { by: bob, and: ` ${post} "Too much tea"` });
  const report = idIn(await tour.runNamed('conclave social reports'));
  await tour.runNamed('conclave social reports review', { and: ` ${report} dismiss` });
  await tour.finish();
});

it.skipIf(!hasTmux)('the tour of hubs', options, async () => {
  await using tour = await openSocialTour('docs/social-hubs.md');
  const bob = await tour.invite('bob');
  await tour.run('conclave social hub create "Garden and bees" --description "Who plants what"');
  await tour.run('conclave social hubs --explore --query garden', { by: bob });
  await tour.run('conclave social hub join garden-and-bees', { by: bob });
  await tour.run('conclave social post "Who waters on Friday?" --hub garden-and-bees', { by: bob });
  await tour.run('conclave social timeline hub garden-and-bees --sort hot', { by: bob });

  const hub = { HUB: 'garden-and-bees' };
  await tour.runNamed('conclave social hubs');
  await tour.runNamed('conclave social hub show HUB', { for: hub });
  await tour.runNamed('conclave social hub leaderboard HUB', { for: hub });
  const reason = { ...hub, MEMBER: 'bob', TEXT: "'Be kind.'" };
  await tour.runNamed('conclave social hub warn HUB MEMBER --reason TEXT', { for: reason });
  await tour.runNamed('conclave social hub temp-ban HUB MEMBER --days N --reason TEXT', {
    for: { ' N ': ' 3 ', ...reason },
  });
  await tour.runNamed('conclave social hub unban HUB MEMBER', { for: { ...hub, MEMBER: 'bob' } });
  await tour.runNamed('conclave social hub ban HUB MEMBER', { for: { ...hub, MEMBER: 'bob' } });
  await tour.meanwhile(tour.reader, 'conclave social hub unban garden-and-bees bob');
  await tour.runNamed('conclave social hub log HUB', { for: hub });
  await tour.runNamed('conclave social hub edit HUB --default', { for: hub });
  await tour.meanwhile(bob, 'conclave social hub join garden-and-bees');
  await tour.runNamed('conclave social hub transfer HUB MEMBER', {
    for: { ...hub, MEMBER: 'bob' },
    answers: [['?', 'y']],
  });
  await tour.finish();
});

it.skipIf(!hasTmux)('the tour of pictures, videos and sounds', options, async () => {
  await using tour = await openSocialTour('docs/social-media.md');
  await tour.run('conclave social post "Tulips!" --media garden.jpg --alt "A bed of tulips"');
  await tour.run('conclave social media upload garden.jpg --alt "A bed of tulips"');
  await tour.finish();
});

it.skipIf(!hasTmux)('the tour of the search', options, async () => {
  await using tour = await openSocialTour('docs/social-search.md');
  const { reader } = tour;
  await tour.meanwhile(reader, "conclave social post 'Tomatoes for the garden.'");
  await tour.meanwhile(reader, "conclave social post 'Our #garden' --media garden.jpg");
  await tour.meanwhile(reader, "conclave social post 'Tea at four.'");
  await tour.run('conclave social search garden tomatoes');
  await tour.run("conclave social search '#garden' from:ada has:image before:2026-02-01", {
    // It was posted today.
    for: { '2026-02-01': '2999-01-01' },
  });
  await tour.run('conclave social search tea --json | jq -r .cursor');
  await tour.finish();
});

it.skipIf(!hasTmux)('the tour of what members keep for themselves', options, async () => {
  await using tour = await openSocialTour('docs/social-own.md');
  const { reader } = tour;
  const bob = await tour.invite('bob');
  const post = idIn(await tour.meanwhile(bob, "conclave social post 'Cold soup again.'"));
  await tour.meanwhile(reader, 'conclave social follow bob');
  await tour.runNamed('conclave social list create', { and: ' Friends' });
  await tour.meanwhile(reader, 'conclave social list add Friends bob');
  await tour.runNamed('conclave social lists');
  await tour.runNamed('conclave social bookmark ID [--undo]', { for: { 'ID [--undo]': post } });
  await tour.runNamed('conclave social bookmarks');
  await tour.runNamed('conclave social filter add', { and: ' "cold soup" --hide' });
  await tour.runNamed('conclave social filters');
  await tour.runNamed('conclave social filter remove', { and: ' "cold soup"' });
  await tour.runNamed('conclave account app-password create NAME --scope feeds', {
    for: { NAME: 'reader' },
    random: [[/^.*[0-9a-zA-Z]{4}-[0-9a-zA-Z]{4}.*$/m, '(an app password)']],
  });
  await tour.runNamed('conclave social export follows|blocks|mutes|bookmarks --out FILE', {
    for: { 'follows|blocks|mutes|bookmarks': 'follows', FILE: 'follows.csv' },
  });
  await tour.runNamed('conclave social import follows FILE', { for: { FILE: 'follows.csv' }, and: ' --wait' });
  await tour.runNamed('conclave social archive --create');
  await tour.meanwhile(reader, "until conclave social archive | grep 'is ready'; do sleep 1; done");
  await tour.runNamed('conclave social archive', {
    random: [[/ready: [\d.]+ KiB, .* Download[^]*$/, 'ready: 20 KiB, until then. Download it with --out FILE.']],
  });
  await tour.meanwhile(reader, 'conclave social archive --out social.tar');
  expect(await tour.meanwhile(reader, 'tar -tf social.tar')).toContain('profile.json');
  await tour.runNamed('conclave social leave', {
    answers: [
      ['for good?', 'y'],
      ['? ', passwordOf('ada')],
    ],
  });
  await tour.meanwhile(reader, 'until conclave social join; do sleep 1; done');
  await tour.finish();
});
