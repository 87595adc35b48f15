import { createServer, type AddressInfo, type Socket } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { connectRelay, RelayUnusable, type Relay } from '../../../src/platform/outbound/relay.ts';
import { relayPassword } from '../../../src/platform/outbound/relay-password.ts';
import { elapses } from '../../support/real-time.ts';
import { openRelayServer } from '../../support/relay-server.ts';
import { temporaryFolder } from '../../support/stores.ts';

const letter = Buffer.from('From: a@home.example\r\nSubject: Dots\r\n\r\n.\r\n..two\r\nend\r\n');
const none = { ca: undefined };

function relayAt(port: number, more: Partial<Relay> = {}): Relay {
  return {
    host: '127.0.0.1',
    port,
    tls: 'off',
    user: undefined,
    passwordFile: undefined,
    name: 'home.example',
    timeoutMs: 60_000,
    ...more,
  };
}

async function sendOnce(
  relay: Relay,
  {
    ca = none.ca,
    to = 'b@far.example',
    from = 'a@home.example',
    signal = new AbortController().signal,
  }: {
    ca?: readonly string[] | undefined;
    to?: string;
    from?: string;
    signal?: AbortSignal;
  } = {},
) {
  await using connection = await connectRelay(relay, { ca }, signal);
  return await connection.send(from, to, letter);
}

/** Why the relay can't be used. */
async function trouble(...given: Parameters<typeof sendOnce>): Promise<string> {
  try {
    return `sent: ${JSON.stringify(await sendOnce(...given))}`;
  } catch (error) {
    if (!(error instanceof RelayUnusable)) throw error;
    return error.message;
  }
}

/** A server that says what a test wants, after its greeting. @param said commands that came, in order */
async function openScripted(
  answer: (line: string, socket: Socket) => string | undefined,
  greeting = '220 relay.example\r\n',
): Promise<AsyncDisposable & { readonly port: number; readonly said: string[] }> {
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(greeting);
    let rest = '';
    socket.on('data', (octets) => {
      const lines = (rest + octets.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        said.push(line);
        const reply = answer(line, socket);
        if (reply !== undefined && !socket.destroyed) socket.write(reply);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    said,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const polite = (line: string): string | undefined => {
  if (line.startsWith('EHLO')) return '250 relay.example\r\n';
  if (/^(?:MAIL|RCPT|RSET)/.test(line) || line === '.') return '250 ok\r\n';
  return line === 'DATA' ? '354 go on\r\n' : undefined;
};

describe('a connection to the mail relay', () => {
  it('gives the octets as they are, several messages one after another', async () => {
    await using server = await openRelayServer();
    await using connection = await connectRelay(relayAt(server.port), none, new AbortController().signal);
    server.replies.set('gone@far.example', { code: 550, text: 'Nobody' });
    expect(await connection.send('a@home.example', 'b@far.example', letter)).toBe('taken');
    expect(await connection.send('a@home.example', 'gone@far.example', letter)).toEqual({
      forGood: true,
      reply: '550 Nobody',
    });
    expect(await connection.send('a@home.example', 'c@far.example', letter)).toBe('taken');
    expect(server.taken.map(({ from, to, message }) => [from, to, message])).toEqual([
      ['a@home.example', ['b@far.example'], letter.toString()],
      ['a@home.example', ['c@far.example'], letter.toString()],
    ]);
  });

  it.each(['starttls', 'implicit'] as const)('wants a certificate that holds, with %s', async (tls) => {
    const [own, other] = await Promise.all([
      selfSignedCertificate(['127.0.0.1', 'localhost'], Date.now()),
      selfSignedCertificate(['mail.example'], Date.now()),
    ]);
    const secure = tls === 'implicit';
    await using server = await openRelayServer({ secure, key: own.key, cert: own.certificate });
    const relay = relayAt(server.port, { tls });
    expect(await trouble(relay)).toMatch(/self-signed certificate/);
    expect(await trouble(relay, { ca: [other.certificate] })).toMatch(/self-signed certificate/);
    await using named = await openRelayServer({ secure, key: other.key, cert: other.certificate });
    expect(await trouble(relayAt(named.port, { tls }), { ca: [other.certificate] })).toMatch(
      /does not match certificate's altnames/,
    );
    expect(await sendOnce(relay, { ca: [own.certificate] })).toBe('taken');
    expect([...server.taken, ...named.taken].map(({ secure: was }) => was)).toEqual([true]);
  });

  it('says nothing before TLS, also where a server knows none', async () => {
    await using folder = await temporaryFolder();
    const passwordFile = join(folder.path, 'password');
    await writeFile(passwordFile, 'correct horse');
    const wanted = { user: 'node', passwordFile } as const;
    for (const answer of ['502 unknown\r\n', '220 go on\r\n250 pretending\r\n', '454 not now\r\n']) {
      await using server = await openScripted((line) => (line === 'STARTTLS' ? answer : polite(line)));
      expect(
        await trouble(relayAt(server.port, { tls: 'starttls', ...wanted, timeoutMs: elapses(2_000) })),
      ).not.toMatch(/^sent/);
      expect(server.said.slice(0, 2)).toEqual(['EHLO home.example', 'STARTTLS']);
      expect(server.said.join('\n')).not.toMatch(/^(?:AUTH|MAIL|RCPT|DATA)/m);
    }
    await using server = await openScripted(polite);
    expect(await trouble(relayAt(server.port, { tls: 'implicit', ...wanted }))).not.toMatch(/^sent/);
    expect(server.said.join('\n')).not.toMatch(/EHLO|AUTH|MAIL/);
  });

  it('keeps the password out of what it says of a sign-in that fails', async () => {
    await using folder = await temporaryFolder();
    const passwordFile = join(folder.path, 'password');
    await writeFile(passwordFile, 'wrong battery\nmore\n');
    await using server = await openRelayServer();
    expect(await trouble(relayAt(server.port, { user: 'node', passwordFile }))).toBe(
      'it does not take the sign-in (535): check mail.relay.user and the file of mail.relay.password_file',
    );
    await using demanding = await openScripted((line) => (line.startsWith('MAIL') ? '530 sign in\r\n' : polite(line)));
    expect(await trouble(relayAt(demanding.port))).toMatch(/^it does not take the sign-in \(530\)/);
  });

  it('tells what is refused for good from what may be tried again', async () => {
    const replies: [string, string, unknown][] = [
      ['RCPT', '550 5.1.1 nobody', { forGood: true, reply: '550 5.1.1 nobody' }],
      ['RCPT', '450 later', { forGood: false, reply: '450 later' }],
      ['MAIL', '553 not you', { forGood: true, reply: '553 not you' }],
      ['DATA', '554 spam', { forGood: true, reply: '554 spam' }],
      ['.', '552-too\r\n552 large', { forGood: true, reply: '552-too 552 large' }],
      ['.', '452 full', { forGood: false, reply: '452 full' }],
    ];
    for (const [command, reply, outcome] of replies) {
      await using server = await openScripted((line) =>
        (command === '.' ? line === '.' : line.startsWith(command)) ? `${reply}\r\n` : polite(line),
      );
      expect(await sendOnce(relayAt(server.port)), reply).toEqual(outcome);
    }
    for (const greeting of ['554 not for you\r\n', '421 busy\r\n', 'SSH-2.0\r\n']) {
      await using server = await openScripted(polite, greeting);
      expect(await trouble(relayAt(server.port)), greeting).toMatch(/^it refuses|not SMTP/);
    }
    await using closing = await openScripted((line) => (line.startsWith('RCPT') ? '421 closing\r\n' : polite(line)));
    expect(await trouble(relayAt(closing.port))).toBe('it refuses RCPT TO (421)');
  });

  it('takes no address with lines or commands in it', async () => {
    await using server = await openScripted(polite);
    for (const to of ['b@far.example>\r\nDATA', 'b@far.example\nRCPT TO:<c@far.example>'])
      expect(await sendOnce(relayAt(server.port), { to })).toMatchObject({ forGood: true });
    expect(await sendOnce(relayAt(server.port), { from: 'a@home.example>\r\nRCPT TO:<c@far.example' })).toMatchObject({
      forGood: true,
    });
    expect(server.said.join('\n')).not.toMatch(/MAIL|RCPT|DATA/);
  });

  it('ends with servers that hang, talk without end, or die', async () => {
    for (const silent of ['EHLO', 'MAIL', 'DATA', '.']) {
      await using server = await openScripted((line) =>
        (silent === '.' ? line === '.' : line.startsWith(silent)) ? undefined : polite(line),
      );
      expect(await trouble(relayAt(server.port, { timeoutMs: elapses(300) })), silent).toMatch(/time/i);
    }
    await using mute = await openScripted(polite, '');
    expect(await trouble(relayAt(mute.port, { timeoutMs: elapses(300) }))).toMatch(/never received|timeout/i);
    for (const flood of ['250-x'.repeat(20_000), '250-more\r\n'.repeat(20_000)]) {
      await using server = await openScripted((line) => (line.startsWith('MAIL') ? flood : polite(line)));
      expect(await trouble(relayAt(server.port))).toBe('what it says is not SMTP, or too long');
    }
    // A little now and then is no answer either.
    const timers: NodeJS.Timeout[] = [];
    await using slow = await openScripted((line, socket) => {
      if (!line.startsWith('MAIL')) return polite(line);
      timers.push(setInterval(() => void (socket.destroyed || socket.write('250-x\r\n')), 50));
      return undefined;
    });
    expect(await trouble(relayAt(slow.port, { timeoutMs: elapses(300) }))).toBe('it took too long');
    for (const timer of timers) clearInterval(timer);
    for (const last of ['RCPT', '.']) {
      await using server = await openScripted((line, socket) => {
        if (last === '.' ? line !== '.' : !line.startsWith(last)) return polite(line);
        socket.destroy();
        return undefined;
      });
      expect(await trouble(relayAt(server.port)), last).toBe('the connection broke off');
    }
    const abort = new AbortController();
    await using waiting = await openScripted((line) => {
      if (!line.startsWith('MAIL')) return polite(line);
      abort.abort();
      return undefined;
    });
    expect(await trouble(relayAt(waiting.port), { signal: abort.signal })).toBe('this process stops');
    const { port } = waiting;
    await waiting[Symbol.asyncDispose]();
    expect(await trouble(relayAt(port))).toMatch(/ECONNREFUSED/);
  });
});

describe('the file with the password of the mail relay', () => {
  it('has it in its first line, and says what is wrong with it', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'password');
    expect(await relayPassword(undefined)).toBeUndefined();
    const refusals: [string, string][] = [
      ['', 'has an empty first line'],
      ['\nsecret', 'has an empty first line'],
      ['x'.repeat(2_000), 'has no password in its first line'],
      ['se\0cret', 'has no password in its first line'],
    ];
    await expect(relayPassword(file)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('(ENOENT)'),
    });
    for (const [text, what] of refusals) {
      await writeFile(file, text);
      const message = `mail.relay.password_file: ${file} ${what}. Write the password of mail.relay.user into its first line, for the user that runs the server.`;
      await expect(relayPassword(file), what).rejects.toMatchObject({ code: 'CONFIG_INVALID', message });
    }
    await writeFile(file, 'with späces \r\nnext');
    expect(await relayPassword(file)).toBe('with späces ');
  });
});
