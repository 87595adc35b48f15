import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { openSmtpScene, type SmtpScene } from './smtp-scene.ts';

/** Programs that people send with. Those that are not installed are left out. */
const has = (...command: [string, ...string[]]): boolean => spawnSync(command[0], command.slice(1)).status === 0;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let scene: SmtpScene;
let ada: Awaited<ReturnType<SmtpScene['mail']['join']>>;
let bob: typeof ada;
let password: string;
let certFile: string;
let mailFile: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  certFile = join(folder.path, 'c.pem');
  const { certificate, key } = await selfSignedCertificate(['localhost', '127.0.0.1'], Date.now());
  await writeFile(certFile, certificate);
  scene = await openSmtpScene('sqljs', {
    smtp: { tls: 'starttls' },
    parts: { certificate: { cert: certificate, key } },
  });
  ada = await scene.mail.join('ada');
  bob = await scene.mail.join('bob');
  ({ password } = await scene.appPassword(ada));
  mailFile = join(folder.path, 'mail.eml');
  const head = `From: Ada <${ada.address}>\nTo: ${bob.address}\nSubject: By a program\n`;
  await writeFile(mailFile, `${head}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nGrüße\n.\n..\nEnd\n`);
  await writeFile(join(folder.path, 'password'), `${password}\n`);
});
beforeEach(() => scene.mail.house.clock.advance(1_000));
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The newest message of the recipient. */
async function newest(): Promise<{ subject: string; textBody: string }> {
  const { emails } = (await scene.mail.ask(bob, 'GET', '/inbox?limit=1', undefined, 200)).body.data;
  const { body } = await scene.mail.ask(bob, 'GET', `/${emails[0].id}/content`, undefined, 200);
  return { subject: emails[0].subject, textBody: body.data.textBody.replaceAll('\r\n', '\n') };
}

const sent = { subject: 'By a program', textBody: expect.stringMatching(/^Grüße\n\.\n\.\.\nEnd\n*$/) };

describe('submission works with', { tags: 'needs-program' }, () => {
  it.skipIf(!has('msmtp', '--version'))('msmtp', async () => {
    const { port } = scene.smtp;
    const flags = [
      `--host=127.0.0.1`,
      `--port=${port}`,
      '--tls=on',
      '--tls-starttls=on',
      `--tls-trust-file=${certFile}`,
    ];
    const auth = ['--auth=plain', '--user=ada', `--passwordeval=cat ${join(folder.path, 'password')}`];
    await execa('msmtp', ['--file=/dev/null', ...flags, ...auth, `--from=${ada.address}`, '-t'], {
      inputFile: mailFile,
    });
    expect(await newest()).toMatchObject(sent);
    const refused = await execa(
      'msmtp',
      ['--file=/dev/null', ...flags, ...auth, `--from=${ada.address}`, 'nobody@home.example'],
      { inputFile: mailFile, reject: false },
    );
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('There is no mailbox nobody@home.example.');
  });

  it.skipIf(!has('swaks', '--version'))('swaks', async () => {
    const server = `--server 127.0.0.1:${scene.smtp.port} --tls --tls-ca-path ${certFile} --auth LOGIN`;
    const envelope = `--auth-user ada --auth-password ${password} --from ${ada.address} --to ${bob.address}`;
    const { stdout } = await execa('swaks', `${server} ${envelope} --data @${mailFile}`.split(' '));
    expect(stdout).toContain('250 2.6.0 The message is sent as');
    expect(await newest()).toMatchObject(sent);
  });

  it.skipIf(!has('python3', '--version'))('smtplib of Python', async () => {
    const script = `
import email, smtplib, ssl, sys
port, ca, user, password, mail, to = sys.argv[1:]
with smtplib.SMTP('127.0.0.1', int(port)) as s:
    s.starttls(context=ssl.create_default_context(cafile=ca))
    s.login(user, open(password).read().strip())
    s.send_message(email.message_from_binary_file(open(mail, 'rb')), user + '@home.example', [to])
`;
    const words = [String(scene.smtp.port), certFile, 'ada', join(folder.path, 'password'), mailFile, bob.address];
    await execa('python3', ['-c', script, ...words]);
    expect(await newest()).toMatchObject(sent);
  });

  it.skipIf(!has('sh', '-c', 'test -x "$(git --exec-path)/git-send-email"'))(
    'git send-email',
    { tags: 'thorough' },
    async () => {
      const repository = join(folder.path, 'repository');
      await mkdir(repository);
      const env = {
        HOME: folder.path,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: ada.address,
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: ada.address,
      };
      const git = async (...words: string[]) => await execa('git', words, { cwd: repository, env });
      await git('init', '-q');
      await writeFile(join(repository, 'file.txt'), 'One\n');
      await git('add', '.');
      await git('commit', '-qm', 'Add a file with "Grüße"');
      await git(
        ...`send-email --root --to=${bob.address} --from=${ada.address} --confirm=never --quiet`.split(' '),
        ...`--smtp-server=127.0.0.1 --smtp-server-port=${scene.smtp.port} --smtp-encryption=tls`.split(' '),
        ...`--smtp-ssl-cert-path=${certFile} --smtp-user=ada --smtp-pass=${password} HEAD`.split(' '),
      );
      const { subject, textBody } = await newest();
      expect(subject).toBe('[PATCH] Add a file with "Grüße"');
      expect(textBody).toContain('+One');
    },
  );
});
