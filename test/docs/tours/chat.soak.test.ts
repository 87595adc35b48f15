import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

const idIn = (shown: string): string => /[0-9a-f]{12,}/.exec(shown)?.[0] ?? '';

it.skipIf(!hasTmux)('the tour of conversations', { tags: ['needs-program'], timeout: 900_000 }, async () => {
  await using tour = await openTour('docs/chat.md');
  const { reader } = tour;
  const phrase = await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  const bob = await tour.invite('bob');

  const tea = idIn(await tour.run('conclave chat send bob "Tea at four?"'));
  const onTea = { for: { '01a2281692f9': tea } };
  await tour.run('conclave chat list', { by: bob });
  await tour.run('conclave chat read ada', { by: bob });
  const reply = 'conclave chat send ada "I come. Shall I bring cake?" --reply 01a2281692f9';
  await tour.run(reply, { by: bob, ...onTea });
  await tour.run('conclave chat react ada 01a2281692f9 👍', { by: bob, ...onTea });

  await tour.run('conclave chat read bob --unread');
  const watcher = await tour.openHome('ada-watches', {}, reader.home);
  await tour.begin('conclave chat watch bob', 'Watching.', { by: watcher });
  await tour.meanwhile(bob, 'conclave chat send ada "And jam?"');
  await watcher.terminal.shows('And jam?');
  await watcher.terminal.press('C-c');
  await tour.ends(watcher, { ends: 130 });

  await tour.run('conclave chat send bob "Cake, please." --thread 01a2281692f9', onTea);
  await tour.run('conclave chat threads');
  expect(await tour.run('conclave chat read bob --thread 01a2281692f9', onTea)).toContain('Cake, please.');

  await tour.run('conclave chat edit bob 01a2281692f9 "Tea at five?"', onTea);
  await tour.run('conclave chat pin bob 01a2281692f9', onTea);
  expect(await tour.run('conclave chat pins bob')).toContain('edited, pinned');
  await tour.run('conclave chat remove bob 01a2281692f9 --yes', onTea);

  const cleo = await tour.invite('cleo');
  await tour.run('conclave chat group create "tea party" bob cleo');
  await tour.run('conclave chat send "tea party" "Cake at four, @bob?"');
  await tour.run('conclave chat list', { by: bob });
  await tour.run('conclave chat read "tea party"', { by: bob });
  await tour.run('conclave chat group members "tea party"', { by: bob });
  await tour.run('conclave chat group role "tea party" bob moderator');
  await tour.run('conclave chat group mute "tea party" cleo --for 1h --reason "Too loud"');
  await tour.run('conclave chat group log "tea party"');
  await tour.run('conclave chat group edit "tea party" --slow 30s');
  await tour.run('conclave chat group leave "tea party"', { by: cleo });
  await tour.run('conclave chat promote bob cleo --name "cake"');

  await tour.run('conclave chat channel create tea --topic "Leaves, not bags"');
  await tour.run('conclave chat channel list', { by: bob });
  await tour.run('conclave chat channel join tea', { by: bob });
  await tour.run('conclave chat send tea "How long does green tea steep?"', { by: bob });
  await tour.run('conclave chat channel create cake-plans --visibility private');
  const invited = await tour.run('conclave chat channel invite cake-plans --uses 2 --for 1w', {
    random: [[/\/[\w-]{32}/, '/TOKEN']],
  });
  const invite = /[0-9a-f]{32}\/[\w-]{32}/.exec(invited)?.[0] ?? '';
  await tour.run('conclave chat channel join --invite', { by: bob, answers: [['Invite', invite]] });

  const hook = await tour.run('conclave chat webhook create tea deploys', {
    random: [[/\/hooks\/[\w-]{32}/, '/hooks/TOKEN']],
  });
  const path = /\/hooks\/[\w-]{32}/.exec(hook)?.[0] ?? '';
  const guided = 'https://home.example/hooks/Jr9hW0rKq2lV5yN3bXtA8cQeZ7uDfGmS';
  await tour.run(`curl --json '{"text": "Version 2 is out"}' ${guided}`, {
    for: { [guided]: `${tour.url}${path}` },
    random: [[/http:\S+\s\S+/, 'ADDRESS']],
  });
  expect(await tour.meanwhile(reader, 'conclave chat read tea')).toContain('Version 2 is out');

  await tour.run('conclave chat bot create deploys --write tea --expires 90d > token.txt');
  const told = 'https://home.example/api/channels/01a228c82dd9d41bb0c73cef46658d68/messages';
  const channel = idIn(await tour.meanwhile(reader, 'conclave chat channel show tea --json'));
  await tour.run(`curl -H "Authorization: Bearer $(cat token.txt)" --json '{"content": "Version 2 is out"}' ${told}`, {
    for: { [told]: `${tour.url}/api/channels/${channel}/messages` },
    random: [[/\{"status":"success"[\s\S]*\}/, 'ANSWER']],
  });
  expect(await tour.meanwhile(reader, 'conclave chat read tea')).toContain('(by deploys)');

  await tour.run('conclave chat retention cake 7d', { answers: [['? Erase', 'y']] });
  await tour.run('conclave chat search green tea');

  const there = await tour.openHome('bob-watches', { CONCLAVE_SERVER: tour.url }, bob.home);
  await tour.meanwhile(bob, 'conclave chat presence set idle');
  await there.terminal.begin('conclave chat watch', 'Watching.');
  // It watches before its server knows that a socket is there.
  await eventually(async () =>
    expect(await tour.meanwhile(reader, 'conclave chat presence show bob')).toMatch(/bob +idle/),
  );
  await tour.run('conclave chat presence show bob cleo');
  await there.terminal.press('C-c');
  await there.terminal.ends();
  await tour.run('conclave chat presence set dnd');

  await tour.run('conclave chat settings cake --mute 8h --pin');
  await tour.run('conclave chat list --archived');

  await tour.run('conclave chat draft set cake "About the cake:"');
  await tour.run('conclave chat draft show cake');
  await tour.run('conclave chat draft send cake');
  const wish = idIn(await tour.run('conclave chat schedule cake "Happy birthday!" --at 8h'));
  const onWish = { for: { '01a22b5a3b7d': wish } };
  await tour.run('conclave chat scheduled edit 01a22b5a3b7d --at 9h', onWish);
  await tour.run('conclave chat scheduled remove 01a22b5a3b7d', onWish);

  const answers = [['Recovery phrase', phrase]] as const;
  await tour.run('conclave chat group create board bob --mode client', { answers });
  await tour.run('conclave files key --keep', { answers, random: [[/^(?:[a-z]+ ){9}[a-z]+$/m, 'TEN WORDS']] });
  await tour.run('conclave chat send board "The vote is on Friday."');
  const digits = /(?:\d{5} ){5}\d{5}/;
  const number = [
    [digits, 'SIX GROUPS'],
    [digits, 'SIX GROUPS'],
  ] as const;
  expect(await tour.run('conclave chat verify board', { random: number })).toContain('has it (you)');

  const exported = await tour.run('conclave chat export --to conversations');
  expect(exported).toMatch(/Wrote \d+ messages of \d+ conversations to conversations\./);

  await tour.run('conclave chat leave --all', {
    answers: [
      ['? Leave', 'y'],
      ['? Password', passwordOf('ada')],
    ],
  });
  // How far it is by then is up to the server.
  const left = [
    [/You\s+have\s+something\s+in\s+\d[^]+?leave\s+--all|You\s+are\s+leaving:\s+\d[^]+?what\s+is\s+left\./, 'SO FAR'],
  ] as const;
  await tour.run('conclave chat leave', { random: left });
  await tour.finish();
});
