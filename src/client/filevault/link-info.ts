import * as v from 'valibot';
import { Problem, kindOfStatus } from '../../problem.ts';
import { wholeNumber } from '../../whole-number.ts';
import type { Transport, WireReply } from '../transport.ts';

/** Whoever has a link, without an account. */
export interface LinkCaller {
  readonly transport: Transport;
  /** for messages */
  readonly place: string;
  readonly userAgent: string;
  readonly token: string;
  readonly password?: string | undefined;
}

const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/));
const hex = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2})*$/i));
const size = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What the server says of a link. Of all this only what the manifest confirms is believed. */
export const linkInfo = v.object({
  id,
  fileId: id,
  contentId: id,
  fileName: v.string(),
  sizeBytes: size,
  sealedBytes: size,
  mode: v.picklist(['server_proxied', 'ephemeral_key_pair', 'recipient_public_key']),
  ephemeralPublicKey: v.nullish(hex),
  recipientPublicKey: v.nullish(hex),
  wrappedKey: v.nullish(hex),
  manifest: v.nullish(v.pipe(v.string(), v.base64())),
  passwordProtected: v.optional(v.boolean(), false),
});

export type LinkInfo = v.InferOutput<typeof linkInfo>;

/** Bytes. The manifest of the largest file takes a few. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** Counts as no access. @throws Problem from the server, or network */
export async function askAboutLink(caller: LinkCaller): Promise<LinkInfo> {
  const reply = await sendForLink(caller, '?content=false', { accept: 'application/json' });
  const result = v.safeParse(linkInfo, parsed(await textOf(reply, caller.place)));
  if (result.success) return result.output;
  throw new Problem('network', 'BAD_REPLY', `${caller.place} did not answer like a Conclave server. Check the link.`);
}

/** @param rest of the path. @returns a success, whose body has to be read. @throws Problem */
export async function sendForLink(
  { transport, place, userAgent, token, password }: LinkCaller,
  rest: string,
  headers: Readonly<Record<string, string>>,
): Promise<WireReply> {
  const reply = await transport.send({
    method: 'GET',
    path: `/filevault/share/link/${token}${rest}`,
    headers: {
      ...headers,
      'user-agent': userAgent,
      // Headers have no characters beyond ISO 8859-1, so a password goes out as the bytes of its UTF-8.
      ...(password !== undefined && { 'x-share-password': Buffer.from(password.normalize('NFC')).toString('latin1') }),
    },
  });
  if (reply.status === 200 || reply.status === 206) return reply;
  throw await refusal(reply, place);
}

/** What the server refused, by its code: the page and the command line have words of their own for it. */
export class LinkRefused extends Problem {
  /** as the server sent it */
  readonly said: string;

  constructor(reply: WireReply, said: string, message: string) {
    const seconds = wholeNumber(reply.headers['retry-after']) ?? 0;
    super(kindOfStatus(reply.status), codes[said] ?? 'UNKNOWN', message, {
      ...(seconds > 0 && { retryAfterSeconds: seconds }),
    });
    this.said = said;
  }
}

const codes: Readonly<Record<string, Problem['code']>> = { RATE_LIMITED: 'RATE_LIMITED', OVERLOADED: 'OVERLOADED' };

async function refusal(reply: WireReply, place: string): Promise<Problem> {
  const body = parsed(await textOf(reply, place));
  const failure = v.safeParse(v.object({ message: v.string(), error: v.string() }), body);
  if (failure.success) return new LinkRefused(reply, failure.output.error, failure.output.message);
  const message = `${place} answered with status ${reply.status}, but not like a Conclave server. Check the link.`;
  return new Problem('network', 'BAD_REPLY', message);
}

async function textOf({ body }: WireReply, place: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > LONGEST_ANSWER) throw new Problem('network', 'BAD_REPLY', `The answer of ${place} is too large.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
