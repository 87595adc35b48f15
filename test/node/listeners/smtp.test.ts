import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { describeReady } from '../../../src/cli/node/serving.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { startNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';

const smtp = { CONCLAVE_SMTP: 'on', CONCLAVE_SMTP_PORT: '0', CONCLAVE_MAIL_DOMAIN: 'home.example' };

async function member(fetch: (path: string, init?: RequestInit) => Promise<Response>) {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ username: 'ada', email: 'ada@x.test', password: 'seven green bottles' });
  const registered = await fetch('/api/user/register', { method: 'POST', headers: json, body });
  const { token } = ((await registered.json()) as { data: { token: string } }).data;
  const made = await fetch('/api/user/app-passwords', {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'Mutt', scopes: ['mail'] }),
  });
  const { password } = (await made.json()) as { password: string };
  return { token, password };
}

describe('a server with SMTP', () => {
  it('takes messages over TLS with a certificate of its own, on loopback', async () => {
    await using node = await startNode({ env: smtp });
    const { ready } = node;
    expect(ready.smtp).toMatchObject({
      host: '127.0.0.1',
      tls: 'starttls',
      fingerprint: expect.stringMatching(/^[0-9A-F:]{95}$/),
    });
    expect(ready.fingerprint).toBeUndefined();
    const screen = { paint: (_style: string, text: string) => text } as never;
    expect(describeReady(screen, ready)).toBe(
      `Conclave serves ${ready.url}\nPrograms submit e-mail at 127.0.0.1:${ready.smtp!.port}, with STARTTLS.\nThe SHA-256 fingerprint of its certificate is ${ready.smtp!.fingerprint}.`,
    );
    const { password, token } = await member(node.fetch);
    const transport = createTransport({
      host: '127.0.0.1',
      port: ready.smtp!.port,
      requireTLS: true,
      auth: { user: 'ada', pass: password },
      tls: { ca: await readFile(join(node.dataDir, 'tls', 'certificate.pem')) },
    });
    await transport.sendMail({ from: 'ada@home.example', to: 'ada@home.example', subject: 'x', text: 'y' });
    const inbox = await node.fetch('/api/emails/inbox', { headers: { authorization: `Bearer ${token}` } });
    expect(((await inbox.json()) as { data: { emails: unknown[] } }).data.emails).toHaveLength(1);
    expect(node.log.lines.map(({ message }) => message)).toContain('listening for SMTP');
    await node.stop();
    await expect(transport.verify()).rejects.toThrow(/ECONNREFUSED/);
  });

  it('says what to do when the address is not to be had, and listens on nothing then', async () => {
    await using taken = await listeningSomewhere();
    await expect(startNode({ env: { ...smtp, CONCLAVE_SMTP_PORT: String(taken.port) } })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `Port ${taken.port} on 127.0.0.1 is taken by another program. Stop it, or choose another port with --smtp-port or CONCLAVE_SMTP_PORT (0 takes any free one).`,
    });
    await expect(startNode({ env: { ...smtp, CONCLAVE_SMTP_HOST: '192.0.2.1' } })).rejects.toMatchObject({
      code: 'HOST_UNUSABLE',
      message: '192.0.2.1 is not an address of this machine. Choose another address with --smtp-host.',
    });
  });

  it('goes without TLS only on loopback', async () => {
    await using folder = await temporaryFolder();
    const load = async (env: Record<string, string>) =>
      await loadConfig({ flags: { 'data-dir': folder.path }, env, home: folder.path, cwd: folder.path });
    await expect(load({ CONCLAVE_SMTP_TLS: 'off', CONCLAVE_SMTP_HOST: '0.0.0.0' })).rejects.toThrow(
      /smtp_tls.*may be off only where smtp_host is a loopback address/is,
    );
    expect((await load({ CONCLAVE_SMTP_TLS: 'off' })).config.smtp).toEqual({
      enabled: false,
      host: '127.0.0.1',
      port: 2587,
      tls: 'off',
    });
  });
});

async function listeningSomewhere(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    [Symbol.asyncDispose]: async () => await new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
