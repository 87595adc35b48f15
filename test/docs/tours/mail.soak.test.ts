import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reservePort } from '../../support/reserved-ports.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf, type Tour, type Traveller } from './tour.ts';

/** What nodes of a pool need to find each other on one machine. */
async function networkOf(mailDomain: string): Promise<Record<string, string>> {
  return {
    CONCLAVE_MAIL_DOMAIN: mailDomain,
    CONCLAVE_NETWORK_ENABLED: 'true',
    CONCLAVE_NETWORK_LISTEN: `127.0.0.1:${await reservePort()}`,
  };
}

/** Somebody else's node, with a terminal for its operator and one for its server. */
async function openNode(tour: Tour, name: string, network: Readonly<Record<string, string>>): Promise<Traveller> {
  const port = String(await reservePort());
  const env = { ...network, CONCLAVE_PORT: port };
  const operator = await tour.openHome(name, env);
  const server = await tour.openHome(`${name}-serves`, env, operator.home);
  await tour.meanwhile(operator, `conclave init --generate-password`);
  await server.terminal.begin('conclave serve', `Conclave serves http://127.0.0.1:${port}`);
  return operator;
}

it.skipIf(!hasTmux)('the tour of e-mail', { tags: ['needs-program'], timeout: 1_200_000 }, async () => {
  const smtp = String(await reservePort());
  const env = { ...(await networkOf('home.example')), CONCLAVE_SMTP_PORT: smtp };
  await using tour = await openTour('docs/mail.md', { env });
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);

  const network = await networkOf('node.example');
  const node = await openNode(tour, 'node', network);
  const asked = await tour.run('conclave pool join node.example:7879 --mail-domain home.example', {
    for: { 'node.example:7879': network['CONCLAVE_NETWORK_LISTEN'] ?? '' },
    random: [
      [/"[a-z\s]+"/, '"ten words"'],
      [/^((?:Fingerprint|Asked pool) +)[a-z]+(?:\s+[a-z]+){9}$/gm, '$1ten words'],
      [/(?<=\/ip4\/127\.0\.0\.1\/tcp\/)\d+/, '7879'],
    ],
  });
  const id = /(?<=^Node +)[0-9a-f]{40}$/m.exec(asked)?.[0] ?? '';
  const words = /(?<=^Fingerprint +)[a-z]+(?:\s+[a-z]+){9}$/m.exec(asked)?.[0].split(/\s+/).join(' ') ?? '';
  const approve = `conclave admin nodes approve ${id} --fingerprint "${words}"`;
  const told = async () => (await node.terminal.type(approve)).exitCode;
  await expect.poll(told, { timeout: 300_000, interval: 1000 }).toBe(0);
  await tour.run('conclave admin nodes update 428778 --mail-domain home.example', {
    by: node,
    for: { '428778': id.slice(0, 6) },
    random: [[new RegExp(`(?<=update )${id.slice(0, 6)}`), '428778']],
  });

  const bob = await tour.invite('bob');
  await writeFile(join(reader.home, 'plans.txt'), 'At noon?\n');
  await writeFile(join(reader.home, 'list.txt'), 'Milk\n');
  const send = 'conclave mail send --to bob@home.example --subject Plans --body-file plans.txt --attach list.txt';
  await tour.meanwhile(reader, send);
  const inbox = await tour.run('conclave mail inbox', { by: bob });
  const one = { by: bob, for: { '01a209226668': /^[0-9a-f]{12}/m.exec(inbox)?.[0] ?? '' } };
  await tour.run('conclave mail read 01a209226668', one);
  await tour.run('conclave mail label 01a209226668 --add plans', one);
  await tour.run('conclave mail attachments save 01a209226668 --all --dir Downloads', one);

  const sent = await tour.run(send);
  await tour.run('echo Yes. | conclave mail reply 01a209226668', one);

  const other = await tour.openHome(
    'ada-serves',
    { CONCLAVE_PORT: new URL(tour.url).port, CONCLAVE_SMTP_PORT: smtp },
    reader.home,
  );
  await tour.serveAgain({ CONCLAVE_SMTP: 'true' }, async () => {
    await tour.begin('conclave serve --smtp', 'fingerprint of its certificate', { by: other });
    await other.terminal.press('C-c');
    await tour.ends(other, {
      random: [
        [/\n20\d\d-[^]*$/, ''],
        [/[0-9A-F:\n]{95,}/, '1F:6C:…'],
      ],
    });
  });
  await tour.run('conclave account app-password create msmtp --scope mail', {
    random: [[/(?:[0-9A-Z]{4}-){8}[0-9A-Z]{4}/, 'XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX']],
  });

  await tour.meanwhile(reader, 'git init -q');
  await tour.run("git config sendemail.sendmailCmd 'conclave mail sendmail'");
  await tour.run(String.raw`printf 'Subject: Backup\n\nDone.\n' | conclave mail sendmail bob@home.example`);
  await tour.run('conclave mail sync ~/Mail');
  await tour.run('conclave mail status 01a20922665b', {
    for: { '01a20922665b': /(?<=status )[0-9a-f]{12}/.exec(sent)?.[0] ?? '' },
  });
  await tour.finish();
});
