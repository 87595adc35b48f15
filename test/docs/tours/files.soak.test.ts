import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { it } from 'vitest';
import { noise } from '../../services/filevault/pictures.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

/** What stands behind /s/ in a link, which a terminal of 80 columns breaks once. */
const address = /(?<=\/s\/)[\w#-]+\n[\w#-]+/;
/** Name, number and key of a log (C2SP signed-note), with the ends of lines that a terminal makes in it. */
const logKey = /conclave\/(?:[0-9a-f]\n?){40}\+(?:[0-9a-f]\n?){8}\+(?:[\w+/]\n?){43}[\w+/]/g;

it.skipIf(!hasTmux)('the tour of files', { tags: ['needs-program'], timeout: 1_200_000 }, async () => {
  await using tour = await openTour('docs/files.md');
  const { reader } = tour;
  const write = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(reader.home, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  };
  const phrase = await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);

  await write({ 'july.txt': 'Tea in the hall\n', 'film.mp4': new Uint8Array(12 * 2 ** 20) });
  await tour.run('conclave files create Work --quota 5GiB');
  await tour.run('conclave files put july.txt film.mp4 Work:');
  await tour.run('conclave files ls Work:');

  await write({ 'photos/2026/a.jpg': 'a\n', 'photos/b.jpg': 'b\n', 'photos/b-small.jpg': '\n', 'notes/plan': 'Tea\n' });
  await tour.run('conclave files mkdir Work:/photos');
  await tour.run("conclave files put 'photos/**/*.jpg' Work:/photos --exclude '*-small.jpg' --dry-run");
  await tour.run('tar cz notes | conclave files put - Work:/notes.tgz', { random: [[/\d+ bytes/, '265 bytes']] });
  await tour.meanwhile(reader, 'mkdir videos');
  await tour.run("conclave files get 'Work:/*.mp4' Work:/july.txt videos");
  await tour.run('conclave files cat Work:/july.txt | wc -l');

  await tour.meanwhile(reader, "conclave files put 'photos/**/*.jpg' Work:/photos --exclude '*-small.jpg'");
  await tour.meanwhile(reader, 'conclave files create Archive');
  await tour.run('conclave files cp --recursive Work:/photos Archive:');

  await tour.meanwhile(reader, 'conclave files create Home');
  await write({ 'Work/notes/plan.md': 'Tea\n', 'Work/budget.ods': '12\n', 'Work/list.txt': 'Milk\n' });
  await tour.meanwhile(reader, 'conclave files sync --both Work Home:');
  await tour.meanwhile(reader, 'mv Work/notes Work/ideas && rm Work/list.txt');
  await write({ 'Work/ideas/plan.md': 'Tea and cake\n', 'Work/budget.ods': '12 and 5\n', 'budget.ods': '12 and 30\n' });
  await tour.meanwhile(reader, 'conclave files put budget.ods Home:');
  await tour.run('conclave files sync --both Work Home:', {
    random: [[/(?<=\(conflict [\d-]+ )[^)]+/g, 'vm']],
  });
  await tour.meanwhile(reader, 'conclave files trash Home --empty --yes');

  await write({ 'photos/c.jpg': 'c\n', 'photos/c.tmp': 'c\n' });
  await tour.run("conclave files sync photos Work:/photos --exclude '*.tmp'");
  await tour.run('conclave files sync --delete Work:/photos photos');

  await write({ 'july.txt': 'Tea in the garden..\n' });
  await tour.meanwhile(reader, 'conclave files put july.txt Work:');
  await tour.run('conclave files versions Work:/july.txt --restore 1');
  await tour.run('conclave files rm Work:/july.txt');
  await tour.run('conclave files trash');
  await tour.run('conclave files trash Work --empty', { answers: [['? Destroy everything', 'y']] });

  const bob = await tour.invite('bob');
  await tour.invite('cyd');
  await tour.meanwhile(reader, 'conclave files mkdir Work:/reports');
  await tour.run('conclave files acl grant Work:/reports bob --level editor');
  const later = `${new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)}T18:00Z`;
  await tour.run(
    'conclave files acl grant Work:/reports cyd --flags read,preview --networks 10.0.0.0/8 --until 2027-01-31T18:00Z',
    { for: { '2027-01-31T18:00Z': later } },
  );

  await write({ 'report.pdf': new Uint8Array(261 * 2 ** 10) });
  await tour.meanwhile(reader, 'conclave files put report.pdf Work:');
  await tour.run('conclave files share Work:/report.pdf bob --level editor');
  await tour.run('conclave files unshare Work:/report.pdf bob');
  await tour.meanwhile(reader, 'conclave files share Work:/report.pdf bob --level editor');
  await tour.run('conclave files link Work:/report.pdf --expires 7d --max-opens 1', { random: [[address, 'xxxxxx']] });
  const shares = await tour.run('conclave files shares Work:/report.pdf', {
    random: [[/(?<=link )[\w-]{6}/, 'xxxxxx']],
  });
  await tour.run('conclave files unlink 01a2104e9afb35939828557cd0179769', {
    for: { '01a2104e9afb35939828557cd0179769': /(?<=^link .*)[0-9a-f]{32}/m.exec(shares)?.[0] ?? '' },
  });
  const link = await tour.meanwhile(reader, 'conclave files link Work:/report.pdf');
  await tour.meanwhile(reader, 'mkdir Downloads');
  await tour.run("conclave files open 'https://conclave.example.org/s/4c1f…#9QbZ…' ~/Downloads", {
    for: {
      'https://conclave.example.org/s/4c1f…#9QbZ…': (/^http\S*\n\S*(?=\nWarning)/.exec(link)?.[0] ?? '').replaceAll(
        '\n',
        '',
      ),
    },
    random: [[address, 'xxxxxx']],
  });

  const key: readonly [string, string] = ['? Recovery phrase', phrase];
  await write({ 'minutes.txt': 'Tea in the hall\n' });
  await tour.run('conclave files create Board --client-encrypted');
  await tour.run('conclave files put minutes.txt Board:', { answers: [key] });
  await tour.run('conclave files acl grant Board: bob --level editor', {
    answers: [key],
    random: [[/(?<=fingerprint: )[a-z\s]+$/, '(ten words)']],
  });

  await write({ 'secret.pdf': 'secret\n', 'contract.pdf': 'contract\n' });
  await tour.meanwhile(reader, 'conclave files put secret.pdf contract.pdf Work:');
  await tour.run('conclave files destroy Work:/secret.pdf', { answers: [['? Destroy', 'y']] });
  const proof = await tour.run('conclave files proof Work:/contract.pdf --out contract.proof', {
    random: [[logKey, 'conclave/(log key)']],
  });
  await tour.run('conclave files verify contract.proof --node-key conclave/2f5e5ae8…+9a2236d5+AUxqD47…', {
    for: { 'conclave/2f5e5ae8…+9a2236d5+AUxqD47…': (proof.match(logKey)?.[0] ?? '').replaceAll('\n', '') },
    random: [
      [logKey, 'conclave/(log key)'],
      [/chunk \d+ of/, 'chunk 1 of'],
      [/hash \d+ of the file is bit \d+/, 'hash 0 of the file is bit 447'],
      [/entry \d+ of \d+/, 'entry 63 of 64'],
      [/(?<=ok {6})\d+(?= entries)/, '64'],
      [/(?<=before )\d+(?=, until)/, '63'],
      [/(?<=the first )\d+(?= entries)/, '63'],
    ],
  });

  await tour.meanwhile(reader, 'conclave files put secret.pdf Work:');
  await tour.run('conclave files approval policy Work --destroy 2');
  await tour.run('conclave files destroy Work:/secret.pdf --yes', { ends: 5 });
  await tour.run('conclave files approval request destroy Work:/secret.pdf --reason "Too old"');

  await write({ 'will.pdf': 'will\n', 'passwords.txt': 'none\n' });
  await tour.meanwhile(reader, 'conclave files put will.pdf passwords.txt Work:');
  await tour.run('conclave files canary add Gone --when absence --hours 72 --notify bob --share Work:/will.pdf=bob');
  await tour.run('conclave files canary add Decoy --when presence --watch Work:/passwords.txt --notify ada');
  await tour.run('conclave files canary dry-run Gone');
  await tour.run('conclave files fsck Work --full');

  await write({ 'plan.png': noise(160, 48) });
  await tour.meanwhile(reader, 'conclave files put plan.png Work:/reports');
  const found = await tour.meanwhile(reader, 'conclave files stat Work:/reports/plan.png --json');
  const { id } = (JSON.parse(found) as { readonly file: { readonly id: string } }).file;
  await tour.meanwhile(reader, `conclave call filevault.change-file id=${id} invisibleWatermark=true`);
  await tour.meanwhile(bob, `conclave call filevault.preview id=${id} --output ${reader.home}/leaked.png`);
  await tour.run('conclave files watermark leaked.png');
  await tour.finish();
});
