import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { mail } from '../../contract/mail.ts';
import type { ByteBudget } from '../byte-budget.ts';
import { peerAddress } from '../client-address.ts';
import type { Limits, LimitSubject } from '../limits.ts';
import { paced, STREAM_BYTES } from '../paced-stream.ts';
import { checkAppPassword } from '../../shared/members/app-passwords.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { Problem } from '../../base/problem.ts';
import { replyError, replyTo } from './replies.ts';
import type { Submission } from '../../service/ports/submission.ts';

/** What the commands of clients need. */
export interface CommandParts {
  readonly submission: Submission;
  readonly limits: Limits;
  readonly bytes: ByteBudget;
  /** how long the rest of a refused message is read, so that the client gets to read the refusal; 30 s by default */
  readonly discardMs?: number;
  /** closes a connection, with a last reply */
  readonly hangUp: (id: string, reason: string) => void;
}

/** Wrong passwords on one connection. */
const TRIES = 3;
const DISCARD_MS = 30_000;

/** Commands that the library knows and this server does not. @param mayStart whether the connection may change to TLS */
export function unknownCommands({ mayStart }: { readonly mayStart: boolean }): string[] {
  return ['WIZ', 'SHELL', 'KILL', ...(mayStart ? [] : ['STARTTLS'])];
}

/** What is known of a connection. */
interface Session {
  readonly address: string;
  actor: Actor | undefined;
  wrongPasswords: number;
  recipientsTried: number;
}

type Done = (error?: Error | null, message?: string) => void;

type Handlers = Required<
  Pick<SMTPServerOptions, 'onConnect' | 'onSecure' | 'onClose' | 'onAuth' | 'onMailFrom' | 'onRcptTo' | 'onData'>
>;

export interface Commands {
  readonly handlers: Handlers;
  /** connections by their ids */
  readonly sessions: ReadonlyMap<string, { readonly actor: Actor | undefined }>;
  /** ids of the connections on which a message is on its way */
  readonly sending: ReadonlySet<string>;
  /** resolves when no message is on its way */
  quiet(): Promise<void>;
}

/** Carries out the commands of all connections. */
export function createCommands(
  ctx: Context,
  { submission, limits, bytes, discardMs = DISCARD_MS, hangUp }: CommandParts,
): Commands {
  const sessions = new Map<string, Session>();
  const sending = new Set<string>();
  let whenQuiet = (): void => undefined;

  const handlers: Handlers = {
    onConnect(session, done) {
      const address = peerAddress(session.remoteAddress);
      // A client that sees AUTH before TLS may send its password in clear.
      if (ctx.config.smtp.tls === 'starttls')
        session.disabledCommands = [...unknownCommands({ mayStart: true }), 'AUTH'];
      sessions.set(session.id, { address, actor: undefined, wrongPasswords: 0, recipientsTried: 0 });
      done();
    },
    onSecure(_socket, session, done) {
      session.disabledCommands = unknownCommands({ mayStart: false });
      // RFC 3207, 4.2: what was said before TLS does not count.
      const known = sessions.get(session.id);
      if (known !== undefined) known.actor = undefined;
      done();
    },
    onClose(session) {
      sessions.delete(session.id);
    },
    onAuth({ username, password, authzid }, session, done) {
      const known = sessionOf(session);
      const attempt = async (): Promise<void> => {
        try {
          await signIn(known, username ?? '', password ?? '', authzid ?? '');
          done(null, { user: true });
        } catch (error) {
          done(refusedSignIn(known, error));
        }
      };
      void attempt();
    },
    onMailFrom({ address }, session, done) {
      void answer(done, 'MAIL', async () => {
        const known = sessionOf(session);
        const actor = await stillSignedIn(known);
        known.recipientsTried = 0;
        // Counted before any octet of the message is read.
        await limits.take(mail.sendRaw, subjectOf(known, actor));
        submission.checkSender(actor, address);
      });
    },
    onRcptTo({ address }, session, done) {
      void answer(done, 'RCPT', async () => {
        const known = sessionOf(session);
        const actor = await stillSignedIn(known);
        await limits.takeBridge(actor.memberId);
        // Refused ones count as well, or names could be tried without end.
        known.recipientsTried += 1;
        if (known.recipientsTried > 2 * submission.maxRecipients) throw replyError(421, 'Too many recipients.');
        await submission.checkRecipient(address);
      });
    },
    onData(stream, session, done) {
      const attempt = async (): Promise<void> => {
        sending.add(session.id);
        try {
          done(null, `The message is sent as <${await take(stream, session)}>.`);
        } catch (error) {
          // The library answers when all has come, which may be never.
          if (error instanceof Problem && error.code === 'REQUEST_TIMEOUT') hangUp(session.id, error.message);
          else discard(stream, session.id);
          done(replyTo(error, ctx.log, 'DATA'));
        }
        sending.delete(session.id);
        if (sending.size === 0) whenQuiet();
      };
      void attempt();
    },
  };

  function sessionOf({ id }: SMTPServerSession): Session {
    const known = sessions.get(id);
    if (known === undefined) throw new Error('a command came on a connection that is not open');
    return known;
  }

  /** @param actingAs whom to act as (RFC 4616): nobody acts as somebody else */
  async function signIn(known: Session, username: string, password: string, actingAs: string): Promise<void> {
    const caller = { address: known.address, userAgent: 'SMTP' };
    const actor = await checkAppPassword(ctx, {
      username,
      password,
      scope: mail.sendRaw.scope,
      caller,
      failed: (presented) => limits.appPasswordFailed(known.address, presented),
    });
    const own = ['', username, actor.username].map((name) => name.toLowerCase());
    if (!own.includes(actingAs.toLowerCase()))
      throw new Problem(
        'forbidden',
        'FORBIDDEN',
        'Nobody can act as somebody else. Leave the authorization identity empty.',
      );
    known.actor = actor;
  }

  function refusedSignIn(known: Session, error: unknown): Error {
    known.wrongPasswords += 1;
    const reply = replyTo(error, ctx.log, 'AUTH');
    if (known.wrongPasswords >= TRIES) return replyError(421, reply.message);
    const isWrong = error instanceof Problem && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
    return replyError(isWrong ? 535 : 454, reply.message);
  }

  async function stillSignedIn({ actor }: Session): Promise<Actor> {
    // A connection may stay open for hours.
    if (actor === undefined) throw replyError(530, 'Sign in over TLS, with an app password.');
    await assertStillSignedIn(ctx, actor);
    return actor;
  }

  async function answer(done: Done, doing: string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
      done();
    } catch (error) {
      done(replyTo(error, ctx.log, doing));
    }
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const known = sessionOf(session);
    const actor = await stillSignedIn(known);
    using held = bytes.begin(subjectOf(known, actor));
    held.take(STREAM_BYTES);
    const gone = new AbortController();
    stream.once('close', () => {
      if (!stream.readableEnded) gone.abort();
    });
    const own: Context = {
      ...ctx,
      heavy: ctx.heavy.of(actor.memberId),
      offload: ctx.offload.of(actor.memberId),
      caller: { signal: gone.signal, reserve: (more) => held.take(more) },
    };
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    return await submission.submit(own, actor, recipients, paced(stream, ctx.config.server.bodyPace));
  }

  /** Reads the rest of a message that was refused. A client that goes on for long is cut. */
  function discard(stream: SMTPServerDataStream, id: string): void {
    if (stream.readableEnded || stream.destroyed) return;
    const tooLong = setTimeout(() => hangUp(id, 'The message was refused. Stop sending it.'), discardMs);
    stream.once('close', () => clearTimeout(tooLong)).once('end', () => clearTimeout(tooLong));
    stream.on('error', () => undefined).resume();
  }

  return {
    handlers,
    sessions,
    sending,
    async quiet() {
      if (sending.size === 0) return;
      await new Promise<void>((resolve) => {
        whenQuiet = resolve;
      });
    },
  };
}

function subjectOf({ address }: Session, { memberId }: Actor): LimitSubject {
  return { address, memberId, bridge: true };
}
