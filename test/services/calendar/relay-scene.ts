import { simpleParser, type ParsedMail } from 'mailparser';
import type { SMTPServerOptions } from 'smtp-server';
import type { Config } from '../../../src/config/config.ts';
import type { Context } from '../../../src/service/context.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { config as mailConfig } from '../../support/mail-config.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openRelayServer, type RelayServer } from '../../support/relay-server.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

type Mail = { -readonly [K in keyof Config['mail']]: Config['mail'][K] };

/** A node whose calendar mails over a relay. */
export interface RelayScene extends CalendarScene {
  readonly relay: RelayServer;
  /** as a reload changes them */
  readonly mail: Mail;
  /** lets so much time pass, and has everything mailed that is due then */
  mailed(ms?: number): Promise<void>;
  /** what the relay took, as a program reads it */
  read(): Promise<ParsedMail[]>;
  /** status and code of deliveries, by address */
  outcomes(): Promise<Record<string, string>>;
  inboxOf(who: HouseMember): Promise<string[]>;
}

export async function openRelayScene(
  engine: EngineName,
  {
    server,
    mail: given,
    context,
  }: { server?: SMTPServerOptions; mail?: Partial<Mail>; context?: Partial<Context> } = {},
): Promise<RelayScene> {
  const relay = await openRelayServer(server);
  const mail: Mail = { ...mailConfig.mail, relayHost: '127.0.0.1', relayPort: relay.port, relayTls: 'off', ...given };
  const scene = await openCalendars(engine, { config: { mail }, ...(context !== undefined && { context }) });
  const { house } = scene;
  return {
    ...scene,
    relay,
    mail,
    async mailed(ms = 31_000) {
      await scene.later(ms);
      await runDueJobs({ house }, 'mail');
      // A notice may follow.
      await runDueJobs({ house }, 'mail');
    },
    read: async () => await Promise.all(relay.taken.map(async ({ message }) => await simpleParser(message))),
    async outcomes() {
      const rows = await house.ctx.db.selectFrom('mail_deliveries').selectAll().orderBy('id').execute();
      return Object.fromEntries(rows.map(({ address, status, code }) => [address, [status, code].join(' ').trim()]));
    },
    async inboxOf({ token }) {
      const { body } = await house.api('GET', '/api/emails/inbox', { token });
      return body.data.emails.map(({ subject }: { subject: string }) => subject);
    },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}
