import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../../src/http/byte-budget.ts';
import { memoryCounter } from '../../../src/http/counter.ts';
import { createLimits } from '../../../src/http/limits.ts';
import { createDoor } from '../../../src/node/listeners/door.ts';
import { connectRaw } from '../../support/raw-client.ts';
import { openSmtpScene, plain, type SmtpClient, type SmtpScene } from './smtp-scene.ts';
import { elapses } from '../../support/real-time.ts';

type Person = Awaited<ReturnType<SmtpScene['mail']['join']>>;

const head = (ada: Person, bob: Person) => `From: ${ada.address}\r\nTo: ${bob.address}\r\nSubject: Plans\r\n\r\n`;

async function data(client: SmtpClient, ada: Person, bob: Person): Promise<void> {
  await client.say(`MAIL FROM:<${ada.address}>`);
  await client.say(`RCPT TO:<${bob.address}>`);
  expect(await client.say('DATA')).toMatch(/^354 /);
}

async function count({ mail }: SmtpScene, who: Person): Promise<number> {
  return (await mail.ask(who, 'GET', '/inbox', undefined, 200)).body.data.emails.length;
}

describe('SMTP refuses', () => {
  it('octets that end a message for one program and not for another', async () => {
    await using scene = await openSmtpScene('sqljs');
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    const smuggled = `MAIL FROM:<${ada.address}>\r\nRCPT TO:<${bob.address}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx`;
    const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\r\n\0.\r\n', '\r\r\n.\r\r\n'];
    for (const end of ends) {
      using client = await scene.signIn(ada);
      await data(client, ada, bob);
      const reply = await client.send(`${head(ada, bob)}a${end}${smuggled}\r\n.\r\n`);
      expect([end, reply]).toEqual([
        end,
        expect.stringMatching(
          /^554 5\.6\.0 The message has a (?:line feed without a carriage return before it|carriage return without a line feed after it|NUL octet)\.$/,
        ),
      ]);
      // The connection is where both sides believe it to be.
      expect(await client.say('NOOP')).toMatch(/^250 /);
    }
    expect(await count(scene, bob)).toBe(0);
    // A message cut into single octets ends where the whole one does (dots are counted across pieces).
    using slow = await scene.signIn(ada);
    await data(slow, ada, bob);
    slow.raw.socket.setNoDelay(true);
    for (const octet of `${head(ada, bob)}a\r\n..\r\n...\r\n.\r\n`) await slow.raw.write(octet);
    expect(await slow.hear()).toMatch(/^250 /);
    expect(await count(scene, bob)).toBe(1);
  });

  it('senders, recipients and fields that are not right, each with its reason', async () => {
    await using scene = await openSmtpScene('sqljs');
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    using client = await scene.signIn(ada);
    for (const [line, reply] of [
      [`MAIL FROM:<${bob.address}>`, '553 5.1.3 You can send from ada@home.example alone.'],
      ['MAIL FROM:<not an address>', /^501 /],
      [`MAIL FROM:<${ada.address}> SIZE=60000000`, /^552 5\.3\.4 /],
      ['RCPT TO:<bob@home.example>', /^503 /],
      ['DATA', /^503 /],
      [`MAIL FROM:<${ada.address}> SIZE=1000 BODY=8BITMIME`, /^250 /],
      ['RCPT TO:<nobody@home.example>', '550 5.1.1 There is no mailbox nobody@home.example.'],
      ['RCPT TO:<bob@elsewhere.example>', '550 5.1.1 No node of the pool takes mail for elsewhere.example.'],
      ['RCPT TO:<bob@>', /^501 /],
      ['RCPT TO:<bob..x@home.example>', /^501 5\.1\.3 /],
      ['RCPT TO:<bob@home_.example>', /^(?:501|554) /],
      ['VRFY bob', /^252 /],
      ['EXPN bob', /^500 /],
      ['WIZ x', /^500 /],
      ['STARTTLS', /^500 /],
      ['XCLIENT NAME=x', /^5/],
      ['RCPT TO:<bob+tag@home.example>', /^250 /],
      ['DATA', /^354 /],
    ] as const)
      expect([line, await client.say(line)]).toEqual([
        line,
        typeof reply === 'string' ? reply : expect.stringMatching(reply),
      ]);
    expect(await client.send(`From: ${bob.address}\r\nTo: ${bob.address}\r\n\r\nx\r\n.\r\n`)).toBe(
      '553 5.1.3 You can send from ada@home.example alone.',
    );
    for (const [message, reply] of [
      [`From: ${ada.address}, ${bob.address}\r\n\r\nx`, '554 5.6.0 The message has no From with one valid address.'],
      ['Subject: x\r\n\r\nx', '554 5.6.0 The message has no From with one valid address.'],
      [' folded\r\n\r\nx', '554 5.6.0 The message begins with a folded line.'],
      [
        `From: ${ada.address}\r\nno field\r\n\r\nx`,
        '554 5.6.0 The message has a line in its header section that is no field.',
      ],
      [`${head(ada, bob)}${'x'.repeat(999)}`, '554 5.6.0 The message has a line of more than 998 octets.'],
      [
        `From: ${ada.address}\r\n${'X: y\r\n'.repeat(60_000)}\r\nx`,
        '554 5.6.0 The message has a header section of more than 256 KiB.',
      ],
    ] as const) {
      await data(client, ada, bob);
      expect(await client.send(`${message}\r\n.\r\n`)).toBe(reply);
    }
    expect(await count(scene, bob)).toBe(0);
  });

  it('more recipients than a message may have, and guessing names', async () => {
    await using scene = await openSmtpScene('sqljs');
    const ada = await scene.mail.join('ada');
    using client = await scene.signIn(ada);
    await client.say(`MAIL FROM:<${ada.address}>`);
    for (let index = 0; index < 100; index += 1)
      expect(await client.say(`RCPT TO:<ada+${index}@home.example>`)).toMatch(/^250 /);
    expect(await client.say('RCPT TO:<ada+more@home.example>')).toMatch(/^452 4\.5\.3 /);
    await client.say('RSET');
    await client.say(`MAIL FROM:<${ada.address}>`);
    for (let index = 0; index < 200; index += 1)
      expect(await client.say(`RCPT TO:<nobody${index}@home.example>`)).toMatch(/^550 /);
    expect(await client.say('RCPT TO:<nobody@home.example>')).toBe('421 4.4.2 Too many recipients.');
    await client.raw.closed;
  });

  it('who sends too much, too slowly, or holds too much memory', async () => {
    await using scene = await openSmtpScene('sqljs', {
      parts: { bytes: createByteBudget({ perAddress: 300_000, perAccount: 300_000, total: 10_000_000 }) },
    });
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    using first = await scene.signIn(ada);
    await data(first, ada, bob);
    await first.raw.write(head(ada, bob));
    using second = await scene.signIn(ada);
    await data(second, ada, bob);
    expect(await second.send(`${head(ada, bob)}x\r\n.\r\n`)).toMatch(
      /^451 4\.3\.0 You have too many large requests and answers at once\./,
    );
    expect(await first.send('x\r\n.\r\n')).toMatch(/^250 /);

    const limited = scene.mail.house.ctx.config.limits;
    await using few = await openSmtpScene('sqljs', {
      parts: {
        limits: createLimits(
          {
            ...limited,
            enabled: true,
            rates: {
              ...limited.rates,
              mailSending: { perAccount: { points: 1, seconds: 300 }, perAddress: undefined },
            },
          },
          memoryCounter,
        ),
      },
    });
    const eve = await few.mail.join('eve');
    using busy = await few.signIn(eve);
    expect(await busy.say(`MAIL FROM:<${eve.address}>`)).toMatch(/^250 /);
    await busy.say('RSET');
    expect(await busy.say(`MAIL FROM:<${eve.address}>`)).toMatch(
      /^451 4\.3\.0 Too many requests\. Try again in \d+ s\.$/,
    );

    const { server } = scene.mail.house.ctx.config;
    await using paced = await openSmtpScene('sqljs', {
      config: { server: { ...server, bodyPace: { bytesPerSecond: 1_000_000, graceMs: elapses(100) } } },
    });
    const eda = await paced.mail.join('eda');
    using trickling = await paced.signIn(eda);
    await data(trickling, eda, eda);
    await trickling.raw.write(head(eda, eda));
    expect(await trickling.hear()).toBe('421 4.4.2 The body arrived too slowly.');
    await trickling.raw.closed;
  });

  it('too many connections of one address, web pages, and clients that talk before the greeting', async () => {
    await using narrow = await openSmtpScene('sqljs', {
      parts: { door: createDoor({ perAddress: 2, proxied: { trustedProxies: [] } }) },
    });
    const open = [await narrow.connect(), await narrow.connect()];
    using third = await connectRaw(narrow.smtp.port);
    await third.closed;
    expect(third.received).toBe('');
    for (const one of open) one[Symbol.dispose]();
    await using scene = await openSmtpScene('sqljs');
    using first = await scene.connect();
    expect(await first.say('POST / HTTP/1.1')).toBe('421 4.4.2 HTTP requests not allowed');
    await first.raw.closed;
    using hasty = await connectRaw(scene.smtp.port);
    await hasty.write('EHLO x\r\n');
    await hasty.closed;
    expect(hasty.received).toBe('421 home.example You talk too soon\r\n');
    using second = await scene.connect();
    expect(await second.say(`EHLO ${'x'.repeat(20_000)}`)).toMatch(/^421 4\.4\.2 Error: Command line too long$/);
  });

  it('to read on for ever, and hangs up on nobody whose message it read to its end', async () => {
    await using scene = await openSmtpScene('sqljs', { parts: { discardMs: elapses(300) } });
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    using done = await scene.signIn(ada);
    await data(done, ada, bob);
    expect(await done.send(`From: ${bob.address}\r\n\r\nx\r\n.\r\n`)).toMatch(/^553 /);
    using endless = await scene.signIn(ada);
    await data(endless, ada, bob);
    await endless.raw.write(`${head(ada, bob)}a\nb\r\nand more of it\r\n`);
    expect(await endless.hear()).toBe('421 4.4.2 The message was refused. Stop sending it.');
    await endless.raw.closed;
    expect(await done.say('NOOP')).toMatch(/^250 /);
  });

  it('a message whose client goes away, and keeps nothing of it', async () => {
    await using scene = await openSmtpScene('sqljs');
    const [ada, bob] = [await scene.mail.join('ada'), await scene.mail.join('bob')];
    {
      using client = await scene.signIn(ada);
      await data(client, ada, bob);
      await client.raw.write(`${head(ada, bob)}${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`);
    }
    using next = await scene.connect();
    const { password } = await scene.appPassword(ada);
    await next.say('EHLO x');
    expect(await next.say(`AUTH PLAIN ${plain('ada', password)}`)).toMatch(/^235 /);
    expect(await count(scene, bob)).toBe(0);
  });
});
