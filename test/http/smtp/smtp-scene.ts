import { once } from 'node:events';
import { accounts } from '../../../src/contract/accounts.ts';
import type { Config } from '../../../src/config/config.ts';
import { createByteBudget } from '../../../src/http/byte-budget.ts';
import { memoryCounter } from '../../../src/http/counter.ts';
import { createLimits } from '../../../src/http/limits.ts';
import { mailSubmission } from '../../../src/services/mail/sending/submission.ts';
import { openSmtp, type SmtpListener, type SmtpParts } from '../../../src/http/smtp/server.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseOptions } from '../../support/house.ts';
import { connectRaw, type RawClient } from '../../support/raw-client.ts';
import { openMail, type Correspondent, type MailScene } from '../../services/mail/scene.ts';

export interface SmtpScene extends AsyncDisposable {
  readonly mail: MailScene;
  readonly smtp: SmtpListener;
  /** a new app password of a member */
  appPassword(
    who: Correspondent,
    more?: { readonly scopes?: string[]; readonly expiresAt?: string },
  ): Promise<{ readonly id: string; readonly password: string }>;
  /** a connection that has been greeted */
  connect(): Promise<SmtpClient>;
  /** the same, signed in */
  signIn(who: Correspondent): Promise<SmtpClient>;
}

export interface SmtpClient extends Disposable {
  readonly raw: RawClient;
  /** sends a line, and returns the last line of the reply to it */
  say(line: string): Promise<string>;
  /** sends octets that are answered once */
  send(octets: string): Promise<string>;
  /** the next reply */
  hear(): Promise<string>;
}

/** A node that takes messages over SMTP, without TLS unless a test says so. */
export async function openSmtpScene(
  engine: EngineName,
  {
    smtp = {},
    parts = {},
    ...options
  }: { smtp?: Partial<Config['smtp']>; parts?: Partial<SmtpParts> } & HouseOptions = {},
): Promise<SmtpScene> {
  const config = { smtp: { enabled: true, host: '127.0.0.1', port: 0, tls: 'off' as const, ...smtp } };
  const mail = await openMail(engine, { ...options, config: { ...config, ...options.config } });
  const { ctx } = mail.house;
  const listener = await openSmtp(ctx, {
    submission: mailSubmission(ctx),
    limits: createLimits(ctx.config.limits, memoryCounter),
    bytes: createByteBudget(ctx.config.limits.bytes),
    door: () => true,
    certificate: undefined,
    name: 'home.example',
    ...parts,
  });
  const scene: SmtpScene = {
    mail,
    smtp: listener,
    async appPassword({ token }, more = {}) {
      const input = { name: 'Mutt', scopes: ['mail'] as never, ...(more as object) };
      const { body } = await mail.house.perform(accounts.createAppPassword, input, token);
      return { id: body.appPassword.id, password: body.password };
    },
    async connect() {
      const client = clientOn(await connectRaw(listener.port));
      await client.hear();
      return client;
    },
    async signIn(who) {
      const { password } = await scene.appPassword(who);
      const client = await scene.connect();
      await client.say('EHLO test');
      await client.say(`AUTH PLAIN ${plain(who.username, password)}`);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
  return scene;
}

/** @param actingAs the authorization identity (RFC 4616) */
export function plain(username: string, password: string, actingAs = ''): string {
  return Buffer.from(`${actingAs}\0${username}\0${password}`).toString('base64');
}

function clientOn(raw: RawClient): SmtpClient {
  let read = 0;
  const ended = raw.closed.then(() => {
    throw new Error(`the connection ended after: ${raw.received}`);
  });
  ended.catch(() => undefined);
  const hear = async (): Promise<string> => {
    for (;;) {
      const end = raw.received.indexOf('\r\n', read);
      if (end === -1) {
        await Promise.race([once(raw.socket, 'data'), ended]);
        continue;
      }
      const line = raw.received.slice(read, end);
      read = end + 2;
      // RFC 5321, 4.2.1: a hyphen says that more lines follow.
      if (line[3] !== '-') return line;
    }
  };
  return {
    raw,
    hear,
    async say(line) {
      await raw.write(`${line}\r\n`);
      return await hear();
    },
    async send(octets) {
      await raw.write(octets);
      return await hear();
    },
    [Symbol.dispose]: () => raw[Symbol.dispose](),
  };
}
