import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { it } from 'vitest';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

const master = 'twelve green bottles hanging';
/** The pipeline runs it, and where the program is one file there need be no Node. */
const hasNpm = (await execa('npm', ['--version'], { reject: false })).exitCode === 0;

it.skipIf(!hasTmux || !hasNpm)('the tour of CI', { tags: ['needs-program'], timeout: 600_000 }, async () => {
  await using tour = await openTour('docs/ci.md');
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  await tour.meanwhile(reader, 'conclave vault create Home', [
    ['? Master password', master],
    ['? Master password, again', master],
  ]);
  await tour.meanwhile(reader, "conclave vault add Home/GitHub 'password[generate]' 'API token[hidden]'", [
    ['? API token', 'nine tin drums'],
  ]);
  const files = {
    '.env': 'TOKEN=conclave://Home/GitHub/password\n',
    'config.tpl.yml': 'password: {{ conclave://Home/GitHub/password }}\n',
    'package.json': '{ "scripts": { "test": "echo The token is $TOKEN" } }\n',
    password: passwordOf('pipeline'),
  };
  const pipeline = await tour.openHome('pipeline');
  for (const { home } of [reader, pipeline])
    for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);

  await tour.run('cat .env');
  await tour.run("conclave vault run --env-file .env -- sh -c 'echo token is $TOKEN'");
  await tour.run('cat config.tpl.yml');
  await tour.run('conclave vault inject --in config.tpl.yml --out config.yml');
  await tour.run('TOKEN=$(conclave vault get Home/GitHub --field "API token")');
  await tour.run('conclave vault list Home --json');

  const there = { for: { 'https://home.example': tour.url }, by: pipeline };
  await tour.run(
    'conclave account register --server https://home.example --username pipeline --email pipeline@example.org --password-file password',
    { ...there, random: [[/(?:^ {2}(?:[a-z]+ ){5}[a-z]+\n){4}/m, '  (24 words)\n']] },
  );
  await tour.run('conclave vault share Home pipeline');
  await tour.run(
    'conclave login pipeline --server https://home.example --password-file password --print-token > token',
    there,
  );
  await tour.run('export CONCLAVE_SERVER=https://home.example', there);
  await tour.run('export CONCLAVE_TOKEN=$(cat token)', { by: pipeline });
  await tour.run('export CONCLAVE_MASTER_PASSWORD_FILE=password', { by: pipeline });
  await tour.run('conclave vault run --env-file .env -- npm test', { by: pipeline });
  await tour.finish();
});
