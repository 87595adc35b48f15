import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { onePux, onePuxLogin } from '../../services/passvault/transfer/import/samples.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf } from './tour.ts';

const master = 'twelve green bottles hanging';
const twice = (question: string, answer: string) =>
  [
    [`? ${question}`, answer],
    [`? ${question}, again`, answer],
  ] as const;

it.skipIf(!hasTmux)('the tour of passwords', { tags: ['needs-program'], timeout: 600_000 }, async () => {
  await using tour = await openTour('docs/passwords.md');
  const { reader } = tour;
  const phrase = await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);

  await tour.run('conclave vault create Home', { answers: twice('Master password', master) });
  await tour.run("conclave vault add Home/GitHub username=ada url=https://github.com 'password[generate]'");
  await tour.run('conclave vault get Home/GitHub');
  await tour.run('conclave vault generate --words 5', {
    random: [[/^[a-z]+(?:-[a-z]+){4,}$/m, 'five-words-that-are-random']],
  });

  await tour.run(
    "conclave vault add Home/Bank username=4711 url=https://bank.example 'password[prompt]' 'PIN[hidden]'",
    {
      answers: [
        ['? password', 'nine tin drums'],
        ['? PIN', '0815'],
      ],
    },
  );
  await tour.run('conclave vault add Home/Visa --type card', {
    answers: [
      ['? Cardholder', 'Ada Lovelace'],
      ['? Card number', '4111 1111 1111 1111'],
      ['? Expires', '01/2031'],
      ['? CVV', '737'],
    ],
  });
  await tour.run("conclave vault edit Home/GitHub 'password[generate=32]' 'totp-secret[prompt]'", {
    answers: [['? totp-secret', 'JBSWY3DPEHPK3PXP']],
  });
  await tour.run('conclave vault get Home/GitHub --field username');
  await tour.run('conclave vault copy Home/GitHub');
  await tour.run('conclave vault otp Home/GitHub', { random: [[/^\d{6}.*$/m, '000000']] });
  await tour.run('conclave vault find git');
  await tour.meanwhile(reader, 'echo 1234 > recovery-codes.txt');
  await tour.run('conclave vault attach Home/GitHub recovery-codes.txt');
  await tour.run('conclave vault history Home/GitHub');

  await tour.meanwhile(reader, 'git init -q');
  await tour.run("git config credential.helper '!conclave vault git-credential --vault Home'");

  const logins = ['Mail', 'Shop'].map((title) =>
    onePuxLogin({ title, username: 'ada', password: 'nine tin drums', url: `https://${title}.example`, notes: '' }),
  );
  await writeFile(join(reader.home, 'export.1pux'), onePux(logins));
  await tour.run('conclave vault import Home export.1pux --dry-run');
  await tour.run('conclave vault import Home export.1pux --skip-duplicates');
  await tour.run('conclave vault export Home --out home.json', {
    answers: twice('Password', 'seven grey geese'),
  });
  await tour.run('conclave vault export Home --format csv --plaintext --out home.csv', { answers: [['?', 'y']] });

  const bob = await tour.invite('bob');
  const carol = await tour.invite('carol');
  await tour.invite('dave');
  await tour.run('conclave vault share Home bob carol');
  await tour.run('conclave vault unshare Home bob');
  await tour.run('conclave vault audit Home');

  await tour.run('conclave vault emergency setup Home --threshold 2 bob carol dave');
  const carols = async (): Promise<string> =>
    await tour.meanwhile(carol, `conclave vault emergency share ada > ${bob.home}/carol-share.json`);
  await carols();
  await tour.run('conclave vault emergency share ada > bob-share.json', { by: bob });
  await tour.run('conclave vault emergency recover ada bob-share.json carol-share.json', { by: bob });
  await carols();
  await tour.meanwhile(bob, `conclave vault emergency share ada > bob-share.json`);
  await tour.meanwhile(reader, `cp ${bob.home}/*-share.json .`);
  await tour.meanwhile(reader, 'conclave vault lock Home');
  await tour.run('conclave vault emergency recover Home bob-share.json carol-share.json');
  await tour.run('conclave vault password Home --recovered', {
    answers: twice('New master password', 'thirteen blue bottles falling'),
  });

  await tour.serveAgain({ CONCLAVE_VAULTS_EMERGENCY_WAIT: '7d' });
  await carols();
  await tour.meanwhile(bob, `conclave vault emergency share ada > bob-share.json`);
  await tour.meanwhile(bob, 'conclave vault emergency recover ada bob-share.json carol-share.json');
  await tour.run('conclave vault emergency show Home');
  await tour.run('conclave vault emergency deny Home');
  await tour.run('conclave vault emergency show Home --dismiss');

  const changed = 'a second lighthouse hums at dusk';
  await tour.run('conclave account password', {
    answers: [['? Current password', passwordOf('ada')], ...twice('New password', changed)],
  });
  const code = /^(?:[0-9A-Z]{5}-){3}[0-9A-Z]{5}$/gm;
  await tour.run('conclave account backup-codes --new', { random: [[code, 'XXXXX-XXXXX-XXXXX-XXXXX']] });
  await tour.run('conclave account recover', {
    answers: [['? E-mail address', 'ada@example.org'], ['phrase', phrase], ...twice('New password', passwordOf('ada'))],
  });
  await tour.run('conclave account sessions');
  await tour.run('conclave account settings --timezone Europe/Vienna --dark-mode');
  await tour.finish();
});
