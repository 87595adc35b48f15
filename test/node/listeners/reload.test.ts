import { X509Certificate } from 'node:crypto';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { options } from '../../../src/config/options.ts';
import { shutdownSignal } from '../../../src/node/listeners/shutdown.ts';
import { eventually } from '../../support/eventually.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';

const certificates = join(import.meta.dirname, 'certificates');
const read = 'the configuration was read again';
const refused = 'the configuration was not taken over; the server goes on with the earlier one';

/** A node with a file of its configuration. */
async function configured(text: string): Promise<
  AsyncDisposable & {
    readonly node: RunningNode;
    readonly folder: string;
    /** reads it again. @returns what the log says of it */
    reload(next: string): Promise<Readonly<Record<string, unknown>>>;
  }
> {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'conclave.toml');
  await writeFile(file, text);
  const node = await startNode({ dataDir: folder.path, env: { CONCLAVE_LOG_LEVEL: '' } });
  return {
    node,
    folder: folder.path,
    async reload(next) {
      await writeFile(file, next);
      const results = () => node.log.lines.filter(({ message }) => message === read || message === refused);
      const before = results().length;
      node.reload();
      await eventually(() => expect(results()).toHaveLength(before + 1));
      return results().at(-1)!;
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function shown(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function certificateIn(folder: string, name: string): Promise<string> {
  await copyFile(join(certificates, `${name}.pem`), join(folder, 'c.pem'));
  await copyFile(join(certificates, `${name}-key.pem`), join(folder, 'k.pem'));
  return new X509Certificate(await readFile(join(folder, 'c.pem'))).fingerprint256;
}

describe('a server that reads its configuration again', () => {
  it('shows a renewed certificate, over HTTPS and SMTP, and lets connections go on that have the earlier one', async () => {
    await using own = await temporaryFolder();
    const first = await certificateIn(own.path, 'ec');
    const text = `tls_cert = "${own.path}/c.pem"\ntls_key = "${own.path}/k.pem"\nsmtp = true\nsmtp_port = 0\nsmtp_tls = "implicit"\n`;
    await using server = await configured(text);
    const { port, smtp } = server.node.ready;
    const kept = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve) => kept.once('secureConnect', resolve));
    expect([await shown(port), await shown(smtp!.port)]).toEqual([first, first]);

    const second = await certificateIn(own.path, 'several');
    expect(await server.reload(text)).toMatchObject({ message: read, changed: [] });
    expect([await shown(port), await shown(smtp!.port)]).toEqual([second, second]);
    kept.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    const chunk = await new Promise((resolve) => kept.once('data', resolve));
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 /);
    kept.destroy();

    // A certificate without its key changes nothing, and says so.
    await rm(join(own.path, 'k.pem'));
    await certificateIn(own.path, 'ec').then(() => rm(join(own.path, 'k.pem')));
    const failed = await server.reload(`${text}trusted_proxies = ["127.0.0.1"]\n`);
    expect(failed).toMatchObject({ message: refused, reason: `${own.path}/k.pem: there is no such file.` });
    expect([await shown(port), await shown(smtp!.port)]).toEqual([second, second]);
    expect(server.node.engine.context.config.trustedProxies).toEqual([]);
  });

  it('takes over limits, proxies, quotas, the scanner and the level of the log, and begins no count anew', async () => {
    const limits = (login: number) => `[limits.sign_in]\nper_address = "${login}/15m"\n`;
    await using server = await configured(limits(5));
    const { node } = server;
    const login = async (from: string) =>
      await node.fetch('/api/user/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ username: 'nobody', password: 'Not-the-one-1' }),
      });
    const left = async (from: string) => (await login(from)).headers.get('ratelimit-remaining');
    expect([await left('192.0.2.1'), await left('192.0.2.2')]).toEqual(['4', '3']);

    const next = `trusted_proxies = ["127.0.0.1"]\n[log]\nlevel = "debug"\n[storage]\nper_member = "5MiB"\n[files]\nscan_command = ["/usr/bin/true"]\n`;
    expect(await server.reload(`${next}${limits(5)}`)).toMatchObject({
      changed: ['trusted_proxies', 'storage.per_member', 'files.scan_command', 'log.level'],
    });
    // The rate is the same, so what was counted stays; and clients of the proxy are told apart now.
    expect([await left('192.0.2.1:4711'), await left('[2001:db8::1]:443')]).toEqual(['4', '4']);
    expect(await left('127.0.0.1')).toBe('2');
    const { config } = node.engine.context;
    expect(config.log.level).toBe('debug');
    expect(config.storage.perMemberBytes).toBe(5 * 1024 ** 2);
    expect(config.files.scanCommand).toEqual(['/usr/bin/true']);

    await server.reload(`${next}[limits]\njson_body = "1KiB"\n${limits(9)}`);
    expect(await left('192.0.2.1')).toBe('8');
    const large = JSON.stringify({ username: 'x'.repeat(2000), password: 'Not-the-one-1' });
    const headers = { 'content-type': 'application/json' };
    expect((await node.fetch('/api/user/login', { method: 'POST', headers, body: large })).status).toBe(413);
  });

  it('begins and ends to use a mail relay, if the password for it can be read', { tags: 'thorough' }, async () => {
    await using server = await configured('[mail]\ndomain = "home.example"\n');
    const { mail } = server.node.engine.context.config;
    const password = join(server.folder, 'relay');
    const text = `[mail]\ndomain = "home.example"\n[mail.relay]\nhost = "mail.example"\nuser = "node"\npassword_file = "${password}"\n`;
    expect(await server.reload(text)).toMatchObject({
      message: refused,
      reason: expect.stringContaining(`mail.relay.password_file: ${password} can't be read (ENOENT).`),
    });
    expect(mail.relayHost).toBeUndefined();
    await writeFile(password, 'secret\n');
    expect(await server.reload(text)).toMatchObject({
      message: read,
      changed: ['mail.relay.host', 'mail.relay.user', 'mail.relay.password_file'],
    });
    expect(mail).toMatchObject({ relayHost: 'mail.example', relayPasswordFile: password });
    expect(JSON.stringify([mail, server.node.log.lines])).not.toContain('secret');
    await server.reload('[mail]\ndomain = "home.example"\n');
    expect(mail.relayHost).toBeUndefined();
    // A server that begins looks as well.
    const file = join(server.folder, 'elsewhere.toml');
    await writeFile(file, text.replace(password, `${password}-none`));
    await using other = await temporaryFolder();
    await expect(startNode({ dataDir: other.path, env: { CONCLAVE_CONFIG: file } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });

  it('names what waits for a restart, until it is as it was', async () => {
    await using server = await configured('');
    const { port } = server.node.ready;
    expect(await server.reload(`host = "0.0.0.0"\ntls = "self-signed"\n[server]\ndrain = "1h"\n`)).toMatchObject({
      message: read,
      changed: [],
    });
    const problems = async () => await statusProblems(server.node);
    expect(await problems()).toContain('Restart the server: changed options wait for it (host, tls).');
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    await server.reload('');
    expect((await problems()).filter((text) => text.startsWith('Restart'))).toEqual([]);
  });

  it('takes over nothing of a file that is wrong, and says why in its status', async () => {
    await using server = await configured('');
    const failed = await server.reload(`trusted_proxies = ["127.0.0.1"]\n[log]\nlevel = "loud"\n`);
    expect(failed).toMatchObject({ message: refused, reason: expect.stringContaining('log.level must be one of') });
    expect(server.node.engine.context.config.trustedProxies).toEqual([]);
    const problem = (await statusProblems(server.node)).find((text) => text.includes('could not be read again'));
    expect(problem).toContain('log.level');
    // Half of a certificate is a contradiction that each option alone is not.
    expect(await server.reload('tls_cert = "c.pem"\n')).toMatchObject({
      message: refused,
      reason: expect.stringContaining('tls_key'),
    });
    await server.reload('');
    expect((await statusProblems(server.node)).filter((text) => text.includes('read again'))).toEqual([]);
  });
});

async function statusProblems(node: RunningNode): Promise<string[]> {
  const headers = { authorization: `Bearer ${await node.engine.operatorToken()}` };
  const reply = await node.control(new Request('http://localhost/api/admin/status', { headers }));
  return ((await reply.json()) as { problems: string[] }).problems;
}

describe('SIGHUP', () => {
  it('ends a server that has a terminal', () => {
    using stopping = shutdownSignal(undefined, { inTerminal: true });
    process.emit('SIGHUP', 'SIGHUP');
    expect(stopping.signal.reason).toBe('SIGHUP');
  });

  it('has another one read its configuration again, also if it came too early', () => {
    using stopping = shutdownSignal(undefined, { inTerminal: false });
    let times = 0;
    process.emit('SIGHUP', 'SIGHUP');
    const end = stopping.onReload(() => (times += 1));
    expect(times).toBe(1);
    process.emit('SIGHUP', 'SIGHUP');
    expect(times).toBe(2);
    end();
    process.emit('SIGHUP', 'SIGHUP');
    expect([times, stopping.signal.aborted]).toEqual([2, false]);
  });
});

describe('a proxy that sends what is no address', () => {
  it('is warned of once, and its clients count as one', async () => {
    await using server = await configured('trusted_proxies = ["127.0.0.1"]\n');
    for (const from of ['unknown', '_hidden', '192.0.2.1:x'])
      await server.node.fetch('/api/user/login', { method: 'POST', headers: { 'x-forwarded-for': from } });
    expect(server.node.log.lines.filter(({ proxy }) => proxy !== undefined)).toEqual([
      expect.objectContaining({ level: 'warn', proxy: '127.0.0.1', message: expect.stringContaining('count as one') }),
    ]);
  });
});

describe('the options', () => {
  it('that a running server takes over are these', () => {
    const keys = Object.values(options as Record<string, { key: string; reloads: boolean }>).filter(
      ({ reloads }) => reloads,
    );
    const others = keys.map(({ key }) => key).filter((key) => !key.startsWith('limits.'));
    expect(others).toEqual([
      'tls_cert',
      'tls_key',
      'server.tls_key_passphrase_file',
      'trusted_proxies',
      'rate_limits',
      'storage.per_member',
      'files.scan_command',
      'files.scan_url',
      'files.scan_timeout',
      'files.scan_at_once',
      'files.scan_failure',
      ...['host', 'port', 'tls', 'user', 'password_file', 'per_day'].map((name) => `mail.relay.${name}`),
      'calendar.subscriptions',
      'log.level',
    ]);
  });
});
