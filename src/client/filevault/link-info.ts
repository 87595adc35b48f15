import * as v from 'valibot';
import { links } from '../../contract/filevault/links.ts';
import { sharePasswordText } from '../../contract/filevault/share-password.ts';
import { Problem } from '../../base/problem.ts';
import { answered, perform, type Caller } from '../perform.ts';
import type { WireReply } from '../transport.ts';

/** Whoever has a link, without an account. */
export interface LinkCaller extends Pick<Caller, 'transport' | 'place' | 'userAgent'> {
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

/** Counts as no access. @throws Problem from the server, or network */
export async function askAboutLink(caller: LinkCaller): Promise<LinkInfo> {
  const said = await perform(guestOf(caller), links.openLink, { ...presented(caller), content: 'false' });
  const result = v.safeParse(linkInfo, said);
  if (result.success) return result.output;
  throw new Problem('network', 'BAD_REPLY', `${caller.place} did not answer like a Conclave server. Check the link.`);
}

/** Counts as an access, unless there is a grant. @returns a success, whose body has to be read. @throws Problem */
export async function askForContent(
  caller: LinkCaller,
  grant: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<WireReply> {
  const accompanied = { accept: 'application/octet-stream', headers };
  return await answered(guestOf(caller), links.downloadLink, { ...presented(caller), grant }, accompanied, undefined);
}

function guestOf({ transport, place, userAgent }: LinkCaller): Caller {
  return { transport, place, userAgent, tokenFor: async () => undefined };
}

function presented({ token, password }: LinkCaller): { readonly token: string; readonly sharePassword?: string } {
  return { token, ...(password !== undefined && { sharePassword: sharePasswordText(password) }) };
}
