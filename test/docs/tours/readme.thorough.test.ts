import { randomBytes } from 'node:crypto';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateMnemonic } from '../../../src/crypto/mnemonic.ts';
import { identityOf } from '../../support/member-key.ts';
import { it } from 'vitest';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

/** Of somebody who made their key on their own machine. */
async function freshKey(): Promise<string> {
  return toHex((await identityOf(generateMnemonic(24, (count) => randomBytes(count)))).publicKey);
}

const master = 'twelve green bottles hanging';

it.skipIf(!hasTmux)('the tour of README.md', { tags: ['needs-program'], timeout: 600_000 }, async () => {
  await using tour = await openTour('README.md');
  const { reader } = tour;
  tour.skip(
    'scripts/start    # installs, builds, creates a store if there is none, and serves on http://127.0.0.1:7878',
    'It would build the checkout that the test runs from. conclave init and conclave serve run instead.',
  );
  tour.skip(
    'scripts/test     # installs what tests need, then build, lint, format, types, and the quick stage of the tests; --all for what has to hold',
    'This test is part of it.',
  );
  await tour.startNode();
  tour.skip(
    'export PATH="$PWD/bin:$PATH"',
    'The program of this run is on the PATH. test/scripts/launcher.test.ts runs it.',
  );
  await tour.run('conclave login ada', { answers: [['Password', passwordOf('ada')]] });
  await tour.run('conclave vault create Home', {
    answers: [
      ['? Master password', master],
      ['Master password, again', master],
    ],
  });
  await tour.run("conclave vault add Home/GitHub username=ada url=https://github.com 'password[generate]'");
  await tour.run('conclave vault copy Home/GitHub');

  const bob = await tour.invite('bob');
  await tour.meanwhile(reader, `echo '{"safe":"left 12, right 7"}' > safe.json`);
  await tour.meanwhile(reader, 'conclave quorum members add Ada --own');
  for (const name of ['Bob', 'Cyd', 'Dan', 'Eve']) {
    await tour.meanwhile(reader, `conclave quorum members add ${name} --public-key ${await freshKey()}`);
  }
  await tour.run(
    'conclave quorum seal safe.json --member ada --member bob --member cyd --member dan --member eve --threshold 3',
  );

  const post = await tour.run('conclave social post "The garden is open. Bring tea, @bob. #garden"');
  await tour.meanwhile(reader, 'conclave social follow bob');
  await tour.meanwhile(reader, `conclave social like ${/[0-9a-f]{32}/.exec(post)?.[0]}`);
  await tour.meanwhile(bob, `conclave social reply ${/[0-9a-f]{32}/.exec(post)?.[0]} 'I come at four.'`);
  await tour.run('conclave social timeline');

  await tour.run('conclave status', { random: [[/SQLite file, [\d.]+ [KM]iB/, 'SQLite file, 368 KiB']] });
  await tour.run('conclave admin members suspend bob');
  await tour.run('conclave admin store backup ../conclave.backup', {
    random: [[/\d+ rows, (\d+ blocks?), [\d.]+ [KM]iB/, '99 rows, $1, 1.9 MiB']],
  });

  await tour.meanwhile(reader, `echo 'TOKEN=conclave://Home/GitHub/password' > .env`);
  await tour.meanwhile(reader, `echo 'password: {{ conclave://Home/GitHub/password }}' > config.tpl.yml`);
  await tour.meanwhile(reader, 'git init -q');
  await tour.run('cat .env');
  await tour.run("conclave vault run --env-file .env -- sh -c 'echo token is $TOKEN'");
  await tour.run('conclave vault inject --in config.tpl.yml --out config.yml');
  await tour.run("git config credential.helper '!conclave vault git-credential --vault Home'");
  await tour.finish();
});
