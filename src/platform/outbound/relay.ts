import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Outgoing } from '../../service/ports/outbound.ts';
import { relayPassword } from './relay-password.ts';

/** The mail server that the operator chose. */
export interface Relay {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'off';
  readonly user: string | undefined;
  /** undefined: no sign-in */
  readonly passwordFile: string | undefined;
  /** how this node calls itself */
  readonly name: string;
  /** of one step, in milliseconds */
  readonly timeoutMs: number;
}

/** What the server says of one message to one recipient. */
export type RelayOutcome = 'taken' | RelayRefusal;

/** It refuses this message to this recipient: for good, or for now. */
export interface RelayRefusal {
  readonly forGood: boolean;
  /** its words, on one line */
  readonly reply: string;
}

/** The connection did not come about, or broke off. The message says what, and nothing that the server or the configuration keeps secret. */
export class RelayUnusable extends Error {}

export interface RelayConnection extends AsyncDisposable {
  /**
   * Hands over one message to one recipient.
   * @param message exact octets, with CRLF
   * @throws RelayUnusable; whether the server took the message is unknown then, if it broke off at the end
   */
  send(from: string, to: string, message: Uint8Array): Promise<RelayOutcome>;
}

/** Of a step, whatever the server does to seem alive in it. */
const STEPS_TOGETHER = 5;
/** Bytes of a reply; the longest that RFC 5321 knows is some lines of 512. */
const LONGEST_REPLY = 64 * 1024;
const SHOWN_REPLY = 200;
/** Those with which a server wants a sign-in, or does not like it (RFC 4954, 6): the operator's matter, and not that of the message. */
const signIn: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** Commands that are about a message. */
const ofMessage: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

interface Failure extends Error {
  readonly code?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

/**
 * Connects to the relay and signs in. The connection is encrypted before anything else is said, unless the relay is on this machine and the operator
 * wants none; its certificate is verified.
 *
 * @throws RelayUnusable, Problem invalid CONFIG_INVALID for the file of the password
 */
export async function connectRelay(
  relay: Relay,
  { ca }: Pick<Outgoing, 'ca'>,
  signal: AbortSignal,
): Promise<RelayConnection> {
  const { host, port, tls, user, name, timeoutMs } = relay;
  const pass = await relayPassword(relay.passwordFile);
  const connection = new SMTPConnection({
    host,
    port,
    name,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [...ca] }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: LONGEST_REPLY,
    // Names of this machine alone are the operator's choice.
    allowInternalNetworkInterfaces: true,
    logger: false,
  });
  let broken: Failure | undefined;
  const step = async <T>(begin: (done: (error?: Failure | null, result?: T) => void) => void): Promise<T | undefined> =>
    await new Promise<T | undefined>((resolve, reject) => {
      const end = (error?: Failure | null, result?: T): void => {
        clearTimeout(timer);
        connection.off('error', end);
        connection.off('end', ended);
        signal.removeEventListener('abort', stop);
        if (error === undefined || error === null) resolve(result);
        else reject(error);
      };
      const giveUp = (why: string): void => {
        end(new Error(why));
        connection.close();
      };
      const ended = (): void => end(broken ?? new Error('it closed the connection'));
      const stop = (): void => giveUp('this process stops');
      // A server that sends an octet now and then would never be silent for long.
      const timer = setTimeout(() => giveUp('it took too long'), STEPS_TOGETHER * timeoutMs);
      if (signal.aborted) return stop();
      connection.once('error', end);
      connection.once('end', ended);
      signal.addEventListener('abort', stop, { once: true });
      begin(end);
    });
  connection.on('error', (error: Failure) => void (broken = error));
  try {
    await step<void>((done) => connection.connect(done));
    if (user !== undefined && pass !== undefined)
      await step<unknown>((done) => connection.login({ user, credentials: { user, pass } }, done));
  } catch (error) {
    connection.close();
    throw unusable(error as Failure);
  }
  return {
    async send(from, to, message) {
      try {
        const envelope = { from, to: [to], size: message.length, use8BitMime: true };
        await step<unknown>((done) => connection.send(envelope, Buffer.from(message), done));
        return 'taken';
      } catch (error) {
        const refusal = refusalIn(error as Failure);
        if (refusal === undefined) throw unusable(error as Failure);
        // What was begun of this message must not be taken for the next one. If that fails, so does the next one.
        await step<unknown>((done) => connection.reset(done)).catch(() => connection.close());
        return refusal;
      }
    },
    async [Symbol.asyncDispose]() {
      // QUIT is a courtesy. A server that does not answer it keeps nobody waiting.
      connection.quit();
      connection.close();
    },
  };
}

/** @returns undefined for what is not about the message, but about the connection */
function refusalIn({ code, command = '', responseCode, response = '' }: Failure): RelayRefusal | undefined {
  if (responseCode === undefined) {
    // What the library refuses by itself: an address or a size that the server would not take.
    if (code === 'EENVELOPE') return { forGood: true, reply: 'The address can not be mailed to.' };
    return code === 'EMESSAGE' ? { forGood: true, reply: 'The message is too large for it.' } : undefined;
  }
  if (!ofMessage.has(command) || signIn.has(responseCode) || responseCode === 421 || responseCode === 503)
    return undefined;
  return { forGood: responseCode >= 500 && responseCode < 600, reply: shown(response) };
}

/** Its words are shown to members: one line, without what terminals take for commands. */
function shown(response: string): string {
  const line = response.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return Array.from(line).slice(0, SHOWN_REPLY).join('');
}

function unusable({ code, command, responseCode, message }: Failure): RelayUnusable {
  const reply = responseCode === undefined ? '' : ` (${responseCode})`;
  if (code === 'EAUTH' || (responseCode !== undefined && signIn.has(responseCode)))
    return new RelayUnusable(
      `it does not take the sign-in${reply}: check mail.relay.user and the file of mail.relay.password_file`,
    );
  // These are the words of OpenSSL and Node, such as "self-signed certificate".
  if (code === 'ESOCKET' || code === 'ETLS' || code === 'EDNS' || code === 'ETIMEDOUT')
    return new RelayUnusable(shown(message));
  if (responseCode !== undefined) return new RelayUnusable(`it refuses ${command ?? 'the connection'}${reply}`);
  if (code === 'EPROTOCOL') return new RelayUnusable('what it says is not SMTP, or too long');
  return new RelayUnusable(code === undefined ? message : 'the connection broke off');
}
