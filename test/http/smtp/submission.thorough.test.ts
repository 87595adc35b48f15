import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { eventually } from '../../support/eventually.ts';
import { engines } from '../../support/stores.ts';
import { openSmtpScene, plain, type SmtpClient, type SmtpScene } from './smtp-scene.ts';

const text = (from: string, to: string, body = 'Hi.') =>
  `From: Ada <${from}>\r\nTo: ${to}\r\nSubject: Plans\r\n\r\n${body}\r\n`;

async function begin(client: SmtpClient, from: string, ...to: string[]): Promise<void> {
  expect(await client.say(`MAIL FROM:<${from}>`)).toMatch(/^250 2\.1\.0 /);
  for (const one of to) expect(await client.say(`RCPT TO:<${one}>`)).toMatch(/^250 2\.1\.5 /);
  expect(await client.say('DATA')).toMatch(/^354 /);
}

async function inboxOf({ mail }: SmtpScene, who: Awaited<ReturnType<SmtpScene['mail']['join']>>): Promise<string[]> {
  const { body } = await mail.ask(who, 'GET', '/inbox', undefined, 200);
  return body.data.emails.map(({ subject }: { subject: string }) => subject);
}

describe.each(engines)('submission over SMTP on %s', (engine) => {
  it('sends a message of a program that signed in, and keeps a copy of it', async () => {
    await using scene = await openSmtpScene(engine);
    const [ada, bob, eve] = [await scene.mail.join('ada'), await scene.mail.join('bob'), await scene.mail.join('eve')];
    using client = await scene.signIn(ada);
    expect(client.raw.received).toMatch(/^220 home\.example ESMTP Conclave\r\n/);
    for (const extension of [
      'PIPELINING',
      '8BITMIME',
      'SMTPUTF8',
      'ENHANCEDSTATUSCODES',
      'SIZE 52428800',
      'AUTH PLAIN LOGIN',
    ])
      expect(client.raw.received).toContain(extension);
    await begin(client, ada.address, bob.address, eve.address);
    expect(await client.send(`${text(ada.address, bob.address, 'One\r\n..\r\n...three')}.\r\n`)).toMatch(
      /^250 2\.6\.0 The message is sent as <[0-9a-f]{32}@home\.example>\.$/,
    );
    expect(await inboxOf(scene, bob)).toEqual(['Plans']);
    expect(await inboxOf(scene, eve)).toEqual(['Plans']);
    const [sent] = (await scene.mail.ask(ada, 'GET', '/sent', undefined, 200)).body.data.emails;
    const kept = await scene.mail.ask(ada, 'GET', `/${sent.id}`, undefined, 200);
    expect(kept.body.data).toMatchObject({ subject: 'Plans', bcc: [{ localPart: 'eve' }] });
    const { id } = (await scene.mail.ask(bob, 'GET', '/inbox', undefined, 200)).body.data.emails[0];
    const { body } = await scene.mail.ask(bob, 'GET', `/${id}/content`, undefined, 200);
    // The dots at the beginning of lines were doubled by the client (RFC 5321, 4.5.2).
    expect(body.data.textBody).toMatch(/^One\r?\n\.\r?\n\.\.three/);
    expect(JSON.stringify(body.data)).not.toContain('eve');
  });

  it('takes several messages on one connection, and all commands at once', async () => {
    await using scene = await openSmtpScene(engine);
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    using client = await scene.signIn(ada);
    for (let count = 0; count < 3; count += 1) {
      await client.raw.write(`MAIL FROM:<${ada.address}>\r\nRCPT TO:<${bob.address}>\r\nDATA\r\n`);
      for (const code of ['250', '250', '354']) expect(await client.hear()).toMatch(new RegExp(`^${code} `, 'u'));
      expect(await client.send(`${text(ada.address, bob.address)}.\r\n`)).toMatch(/^250 /);
    }
    expect(await inboxOf(scene, bob)).toHaveLength(3);
  });

  it('knows app passwords alone, and says the same of every wrong one', async () => {
    await using scene = await openSmtpScene(engine);
    const ada = await scene.mail.join('ada');
    const bob = await scene.mail.join('bob');
    const { password } = await scene.appPassword(ada);
    const { password: files } = await scene.appPassword(ada, { scopes: ['files'] });
    const refused =
      /^535 5\.7\.8 The name or the app password is wrong, or the app password has ended\. Make an app password in your account: /;
    for (const [name, given, reply] of [
      ['ada', ada.password, refused],
      ['bob', password, refused],
      ['nobody', password, refused],
      ['ada', password.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), refused],
      ['ada', files, /^535 5\.7\.8 This app password lacks the scope mail\. Use one that has it\.$/],
    ] as const) {
      using client = await scene.connect();
      await client.say('EHLO test');
      expect(await client.say(`AUTH PLAIN ${plain(name, given)}`)).toMatch(reply);
      expect(await client.say(`MAIL FROM:<${bob.address}>`)).toMatch(/^530 5\.7\.0 /);
    }
    using client = await scene.connect();
    await client.say('EHLO test');
    const wrong = `AUTH PLAIN ${plain('ada', 'wrong')}`;
    expect(await client.say(wrong)).toMatch(refused);
    expect(await client.say(wrong)).toMatch(refused);
    expect(await client.say(wrong)).toMatch(/^421 /);
    await client.raw.closed;
    using other = await scene.connect();
    await other.say('EHLO test');
    await other.say('AUTH LOGIN');
    await other.say(Buffer.from(ada.email).toString('base64'));
    expect(await other.say(Buffer.from(password).toString('base64'))).toMatch(/^235 2\.7\.0 /);
    expect(JSON.stringify(scene.mail.house.log.lines)).not.toContain(password.slice(10));
  });

  it('lets nobody act as somebody else', async () => {
    await using scene = await openSmtpScene(engine);
    const ada = await scene.mail.join('ada');
    await scene.mail.join('bob');
    const { password } = await scene.appPassword(ada);
    for (const [actingAs, reply] of [
      ['bob', /^535 5\.7\.8 Nobody can act as somebody else\. Leave the authorization identity empty\.$/],
      ['ada', /^235 /],
      ['Ada', /^235 /],
      [ada.email, /^235 /],
    ] as const) {
      using client = await scene.connect();
      await client.say('EHLO test');
      expect(await client.say(`AUTH PLAIN ${plain(ada.email, password, actingAs)}`)).toMatch(reply);
      const from = await client.say(`MAIL FROM:<${ada.address}>`);
      expect(from).toMatch(actingAs === 'bob' ? /^530 5\.7\.0 / : /^250 /);
    }
    // Some programs put the name there alone.
    using client = await scene.connect();
    await client.say('EHLO test');
    expect(await client.say(`AUTH PLAIN ${plain('', password, 'ada')}`)).toMatch(/^235 /);
  });

  it('hangs up when the app password ends, also in the middle of a message', async () => {
    await using scene = await openSmtpScene(engine);
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    const { id, password } = await scene.appPassword(ada);
    const clients: SmtpClient[] = [];
    for (let count = 0; count < 2; count += 1) {
      const client = await scene.connect();
      clients.push(client);
      await client.say('EHLO test');
      expect(await client.say(`AUTH PLAIN ${plain('ada', password)}`)).toMatch(/^235 /);
    }
    const [idle, busy] = clients as [SmtpClient, SmtpClient];
    await begin(busy, ada.address, bob.address);
    await busy.raw.write(text(ada.address, bob.address));
    await scene.mail.house.perform(accounts.removeAppPassword, { id }, ada.token);
    expect(await idle.hear()).toBe('421 4.4.2 The app password has ended.');
    expect(await busy.hear()).toBe('421 4.4.2 The app password has ended.');
    await Promise.all(clients.map(async ({ raw }) => await raw.closed));
    expect(await inboxOf(scene, bob)).toEqual([]);
  });

  it('checks the app password before each command, and when the message is there', async () => {
    await using scene = await openSmtpScene(engine);
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    const expiresAt = new Date(scene.mail.house.clock.now() + 60_000).toISOString();
    const { password } = await scene.appPassword(ada, { expiresAt });
    const open = async (): Promise<SmtpClient> => {
      const client = await scene.connect();
      await client.say('EHLO test');
      await client.say(`AUTH PLAIN ${plain('ada', password)}`);
      return client;
    };
    using early = await open();
    using late = await open();
    await begin(late, ada.address, bob.address);
    scene.mail.house.clock.advance(60_000);
    expect(await early.say(`MAIL FROM:<${ada.address}>`)).toMatch(/^421 4\.4\.2 The name or the app password is wrong/);
    expect(await late.send(`${text(ada.address, bob.address)}.\r\n`)).toMatch(
      /^421 4\.4\.2 The name or the app password is wrong/,
    );
    expect(await inboxOf(scene, bob)).toEqual([]);
  });

  it('finishes what is on its way when the server stops', async () => {
    await using scene = await openSmtpScene(engine);
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    using idle = await scene.signIn(ada);
    using busy = await scene.signIn(ada);
    await begin(busy, ada.address, bob.address);
    await busy.raw.write(text(ada.address, bob.address));
    // The server has to read that much before it is asked to stop.
    await eventually(() => expect(busy.raw.socket.bytesWritten).toBeGreaterThan(100));
    const drained = scene.smtp.drain(60_000);
    expect(await idle.hear()).toBe('421 4.4.2 The server is stopping.');
    expect(await busy.send('.\r\n')).toMatch(/^250 2\.6\.0 /);
    await drained;
    expect(await inboxOf(scene, bob)).toEqual(['Plans']);
    expect(await busy.say('NOOP')).toMatch(/^421 /);
  });
});

describe.each(['starttls', 'implicit'] as const)('submission with TLS (%s)', (tls) => {
  it('takes passwords over TLS alone', async () => {
    const { certificate, key } = await selfSignedCertificate(['localhost', '127.0.0.1'], Date.now());
    await using scene = await openSmtpScene('sqljs', {
      smtp: { tls },
      parts: { certificate: { cert: certificate, key } },
    });
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    const { password } = await scene.appPassword(ada);
    if (tls === 'starttls') {
      using client = await scene.connect();
      await client.say('EHLO test');
      expect(client.raw.received).toContain('STARTTLS');
      expect(client.raw.received).not.toContain('AUTH');
      expect(await client.say(`AUTH PLAIN ${plain('ada', password)}`)).toMatch(/^500 5\.5\.2 /);
      expect(await client.say(`MAIL FROM:<${ada.address}>`)).toBe('530 5.7.0 Sign in over TLS, with an app password.');
      // CVE-2011-0411: what came in clear behind STARTTLS must not run inside of TLS.
      expect(await client.send(`STARTTLS\r\nNOOP\r\n`)).toMatch(/^220 /);
    }
    const transport = createTransport({
      host: '127.0.0.1',
      port: scene.smtp.port,
      secure: tls === 'implicit',
      requireTLS: true,
      auth: { user: 'ada', pass: password },
      tls: { ca: certificate },
    });
    const sent = await transport.sendMail({
      from: ada.address,
      to: bob.address,
      bcc: ada.address,
      subject: 'Grüße',
      text: 'Hallo',
      attachments: [{ filename: 'ü.txt', content: 'x'.repeat(300_000) }],
    });
    expect(sent.response).toMatch(/^250 2\.6\.0 /);
    const { emails } = (await scene.mail.ask(bob, 'GET', '/inbox', undefined, 200)).body.data;
    expect(emails).toMatchObject([{ subject: 'Grüße', hasAttachments: true }]);
    const old = createTransport({
      host: '127.0.0.1',
      port: scene.smtp.port,
      secure: tls === 'implicit',
      requireTLS: true,
      tls: { ca: certificate, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
    });
    await expect(old.verify()).rejects.toThrow(/protocol version|alert/i);
  });
});
