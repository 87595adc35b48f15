import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programPath, quoted } from '../../support/program.ts';
import { reservePort } from '../../support/reserved-ports.ts';
import { hasTmux, type Answers } from './terminal.ts';
import { openTour, passwordOf, type Step, type Tour, type Traveller } from './tour.ts';

const release = 'conclave-0.1.0-linux-x64';
const passphrase = 'seven grey geese';
const asks = (password: string): Answers => [
  ['? Username', 'ada'],
  ['? E-mail address', 'ada@example.org'],
  ['? Password', password],
  ['Password, again', password],
];
const phrase: NonNullable<Step['random']> = [[/(?:^ {2}(?:[a-z]+ ){5}[a-z]+\n){4}/m, '  (24 words)\n']];

/** Somebody with a home of their own, and where their server listens. */
interface Host extends Traveller {
  readonly url: string;
  /** another terminal of theirs, for the server */
  readonly server: Traveller;
}

async function openHost(tour: Tour, name: string, env: Readonly<Record<string, string>> = {}): Promise<Host> {
  const port = String(await reservePort());
  const all = { ...env, CONCLAVE_PORT: port };
  const host = await tour.openHome(name, all);
  const server = await tour.openHome(`${name}-serves`, all, host.home);
  return { ...host, server, url: `http://127.0.0.1:${port}` };
}

/** Stands in for a file of a release. */
async function downloadRelease({ home }: Traveller): Promise<void> {
  const content = `#!/bin/sh\nexec ${quoted(programPath)} "$@"\n`;
  await writeFile(join(home, release), content);
  const hash = createHash('sha256').update(content).digest('hex');
  await writeFile(join(home, 'SHA256SUMS'), `${hash}  ${release}\n${hash}  conclave_0.1.0_amd64.deb\n`);
}

it.skipIf(!hasTmux)('the tour of self-hosting', { tags: ['needs-program'], timeout: 1_200_000 }, async () => {
  await using tour = await openTour('docs/self-hosting.md');
  const { reader } = tour;
  /** Begins the next line, which serves until it is stopped, and keeps what it says before its log. */
  const serves = async (line: string, { server }: Pick<Host, 'server'>, url: string): Promise<void> => {
    await tour.begin(line, `Conclave serves ${url}`, { by: server });
    tour.keep(server, await server.terminal.shows('listening urls='), [[/\n20\d\d-[^]*$/, '']]);
  };
  const stop = async ({ server }: Pick<Host, 'server'>): Promise<void> => {
    await server.terminal.press('C-c');
    await server.terminal.ends();
  };

  await downloadRelease(reader);
  await tour.run('sha256sum --check --ignore-missing SHA256SUMS');
  await tour.run('mv conclave-0.1.0-linux-x64 conclave && chmod +x conclave');
  const first = await openHost(tour, 'first', {
    CONCLAVE_ADMIN_USERNAME: 'ada',
    CONCLAVE_ADMIN_EMAIL: 'ada@example.org',
    CONCLAVE_ADMIN_PASSWORD_FILE: 'password',
  });
  await writeFile(join(first.home, 'password'), passwordOf('ada'), { mode: 0o600 });
  await tour.meanwhile(reader, `cp conclave ${first.home}`);
  await tour.begin('./conclave init && ./conclave serve', `Conclave serves ${first.url}`, { by: first.server });
  tour.keep(first.server, await first.server.terminal.shows('listening urls='), [...phrase, [/\n20\d\d-[^]*$/, '']]);
  await stop(first);

  await tour.run('./conclave init', { answers: asks(passwordOf('ada')), random: phrase });
  const server = await tour.openHome('ada-serves', { CONCLAVE_PORT: new URL(tour.url).port }, reader.home);
  await serves('./conclave serve', { server }, tour.url);

  const service = await openHost(tour, 'service');
  const installs = 'It would change the system that the test runs on.';
  tour.skip('sudo apt-get install ./conclave_0.1.0_amd64.deb', installs);
  await tour.meanwhile(service, 'conclave init --generate-password');
  await service.server.terminal.begin('conclave serve', `Conclave serves ${service.url}`);
  const told = await tour.run('sudo cat /var/lib/conclave/first-administrator.txt', {
    by: service,
    for: { 'sudo ': '', '/var/lib/conclave': '~/.local/share/conclave' },
    random: [
      [/(?<=^password: ).*$/m, 'kye8ub-acmsvz-mwwa2u-dusqb4'],
      [/(?<=^recovery phrase: )[a-z\s]+$/m, '(24 words)'],
    ],
  });
  const generated = /(?<=^password: ).*$/m.exec(told)?.[0] ?? '';
  const desk = await tour.openHome('desk');
  await tour.run('conclave login admin --server http://127.0.0.1:7878', {
    by: desk,
    for: { 'http://127.0.0.1:7878': service.url },
    answers: [['? Password', generated]],
  });
  tour.skip('sudo useradd --system --home-dir /var/lib/conclave --create-home conclave', installs);
  await tour.run('sudo -u conclave env CONCLAVE_DATA_DIR=/var/lib/conclave conclave init --generate-password', {
    by: service,
    for: { 'sudo -u conclave ': '', '/var/lib/conclave': 'node' },
  });
  tour.skip('sudo systemctl enable --now conclave', installs);

  const noImage = 'It needs the image of a release, and podman. test/release has tests of it.';
  tour.skip('skopeo copy oci-archive:conclave-0.1.0-oci.tar containers-storage:localhost/conclave:0.1.0', noImage);
  tour.skip(
    'podman run --detach --name home --stop-timeout 30 --publish 127.0.0.1:7878:7878 --volume conclave:/var/lib/conclave localhost/conclave:0.1.0',
    noImage,
  );
  tour.skip('podman cp home:/var/lib/conclave/first-administrator.txt .', noImage);
  tour.skip('podman exec home conclave status', noImage);

  tour.skip('npm install -g ./conclave-0.1.0.tgz', 'It needs the package of a release. test/release has tests of it.');
  const npm = await openHost(tour, 'npm');
  await tour.run('conclave init', { by: npm, answers: asks(passwordOf('ada')), random: phrase });
  await serves('conclave serve', npm, npm.url);
  await stop(npm);
  await serves('conclave serve --trusted-proxies 127.0.0.1', npm, npm.url);
  await stop(npm);
  tour.skip(
    'install -D -o conclave -m 0400 -t /etc/conclave/tls "$RENEWED_LINEAGE/fullchain.pem" "$RENEWED_LINEAGE/privkey.pem"',
    'It is a hook of certbot.',
  );
  tour.skip('systemctl reload conclave', 'It is a hook of certbot.');

  tour.skip('scripts/install && npm run build', 'It would build the checkout that the test runs from.');
  tour.skip(
    'export PATH="$PWD/bin:$PATH"',
    'The program of this run is on the PATH. test/scripts/launcher.test.ts runs it.',
  );
  const checkout = await openHost(tour, 'checkout');
  await tour.run('conclave init', { by: checkout, answers: asks(passwordOf('ada')), random: phrase });
  await serves('conclave serve', checkout, checkout.url);
  await stop(checkout);

  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);
  const there = { 'http://127.0.0.1:7878': tour.url };
  const registered = `-H 'content-type: application/json' -d '{"username":"bob",`;
  await tour.run(
    `curl -s http://127.0.0.1:7878/api/user/register ${registered}"email":"bob@example.org","password":"a lighthouse hums at dawn"}'`,
    {
      for: there,
      random: [
        [/(?<=\{"message"[^]*)\n/g, ''],
        [/(?<="token":")[^"]+/, 'eyJhbGciOi…'],
        [/(?<="mnemonic":")[^"]+/, 'cliff track pause …'],
      ],
    },
  );
  await tour.run(
    `TOKEN=$(curl -s http://127.0.0.1:7878/api/user/login ${registered}"password":"a lighthouse hums at dawn"}' | sed -E 's/.*"token":"([^"]+)".*/\\1/')`,
    { for: there },
  );
  const settings = 'curl -s http://127.0.0.1:7878/api/user/settings -H "authorization: Bearer $TOKEN"';
  await tour.run(settings, { for: there });
  await tour.run('conclave admin members list');
  await tour.run('conclave admin members suspend bob');
  await tour.run(settings, { for: there });
  await tour.run('conclave login ada --server https://home.example', {
    by: desk,
    for: { 'https://home.example': tour.url },
    answers: [['? Password', passwordOf('ada')]],
  });
  await tour.run('conclave admin members list', { by: desk });
  await tour.run('conclave admin members confirm-email bob', { answers: [['? Did you check', 'y']] });

  await writeFile(join(reader.home, 'july.txt'), 'Tea in the hall\n');
  await tour.meanwhile(reader, 'conclave files create Work && conclave files put july.txt Work:');
  await mkdir(join(reader.home, 'backups/conclave'), { recursive: true });
  await writeFile(join(reader.home, 'passphrase'), passphrase, { mode: 0o600 });
  const size: NonNullable<Step['random']> = [[/\d+ rows, (\d+ blocks?), [\d.]+ [KM]iB/, '99 rows, $1, 1.9 MiB']];
  const folder = { '/var/backups': 'backups' };
  await tour.run('conclave admin store backup /var/backups/conclave.backup', { for: folder, random: size });
  await tour.run(
    'conclave admin store backup /var/backups/whole.backup --with-secrets --passphrase-file ./passphrase',
    { for: folder, random: size },
  );
  for (const line of [
    'sudo install -d -o conclave -g conclave -m 0700 /var/backups/conclave /etc/conclave',
    'sudo install -o conclave -g conclave -m 0400 passphrase /etc/conclave/passphrase',
    'sudo systemctl restart conclave',
    'sudo systemctl enable --now conclave-backup.timer',
    'sudo systemctl start conclave-backup.service',
  ])
    tour.skip(line, installs);
  const nightly = 'conclave admin store backup backups/conclave/2026-11-21.backup --with-secrets';
  await tour.meanwhile(reader, `${nightly} --passphrase-file passphrase`);
  const secrets = { for: { ...folder, '/etc/conclave/passphrase': 'passphrase' } };
  const ofStore: NonNullable<Step['random']> = [
    [/(?<=^Schema +)\d+/m, '59'],
    [/(?<=^Rows +)\d+/m, '99'],
    [/(?<=version )\d+$/m, '59'],
    [/\d+(?= tables and their indexes)/, '174'],
    [/(?<=of )\d+(?= tables$)/m, '174'],
  ];
  await tour.run(
    'conclave admin store verify /var/backups/conclave/2026-11-21.backup --passphrase-file /etc/conclave/passphrase',
    secrets,
  );
  await tour.run(
    'conclave admin store restore /var/backups/conclave/2026-11-21.backup --data-dir ./trial --passphrase-file /etc/conclave/passphrase',
    { ...secrets, random: ofStore },
  );
  await tour.run('conclave admin store verify --data-dir ./trial', { random: ofStore });
  const inTrial = `--data-dir trial`;
  await tour.meanwhile(reader, `conclave login ada ${inTrial}`, [['Password', passwordOf('ada')]]);
  const restored = await tour.meanwhile(reader, `conclave files cat Work:/july.txt ${inTrial}`);
  expect(restored).toBe('Tea in the hall');
  tour.skip(
    'sudo install conclave-0.2.0-linux-x64 /usr/local/bin/conclave && sudo systemctl restart conclave',
    installs,
  );
  await tour.finish();
});
