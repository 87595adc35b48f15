import { sharePasswordText } from '../../../contract/filevault/share-password.ts';
import { failureOf, LinkFailure } from './failure.ts';

export type LinkMode = 'server_proxied' | 'ephemeral_key_pair' | 'recipient_public_key';

/** What the server says of a link, before a byte of the file. */
export interface LinkInfo {
  readonly id: string;
  readonly fileId: string;
  readonly contentId: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sealedBytes: number;
  readonly mode: LinkMode;
  /** hex */
  readonly ephemeralPublicKey?: string | undefined;
  readonly recipientPublicKey?: string | undefined;
  readonly wrappedKey?: string | undefined;
  /** base64 */
  readonly manifest?: string | undefined;
  readonly expiresAt?: string | null | undefined;
}

/** Where a link is asked about: the page is at `…/s/<token>`, and the interface beside it, also behind a proxy that adds a path. */
export function addressOfLink(page: string, token: string): string {
  return new URL(`../filevault/share/link/${encodeURIComponent(token)}`, page).href;
}

export function passwordHeader(password: string | undefined): Record<string, string> {
  return password === undefined ? {} : { 'x-share-password': sharePasswordText(password) };
}

/** No cookie, no address of the page, nothing kept, and no other server: what a link gives is between the page and its server. */
export const discreet: RequestInit = {
  cache: 'no-store',
  credentials: 'omit',
  referrerPolicy: 'no-referrer',
  redirect: 'error',
};

/** Counts as no access. @throws LinkFailure */
export async function askAbout(link: string, password: string | undefined): Promise<LinkInfo> {
  let answer: Response;
  try {
    answer = await fetch(`${link}?content=false`, { ...discreet, headers: passwordHeader(password) });
  } catch {
    throw new LinkFailure('network');
  }
  if (!answer.ok) throw await failureOf(answer);
  const info = infoIn(await answer.json().catch(() => undefined));
  if (info === undefined) throw new LinkFailure('server');
  return info;
}

const modes: ReadonlySet<unknown> = new Set(['server_proxied', 'ephemeral_key_pair', 'recipient_public_key']);

function infoIn(body: unknown): LinkInfo | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const info = body as Record<string, unknown>;
  const texts = ['id', 'fileId', 'contentId', 'fileName', 'mimeType'].every((name) => typeof info[name] === 'string');
  const sizes = ['sizeBytes', 'sealedBytes'].every((name) => Number.isSafeInteger(info[name]));
  const optional = ['ephemeralPublicKey', 'recipientPublicKey', 'wrappedKey', 'manifest', 'expiresAt'].every((name) =>
    ['string', 'undefined'].includes(typeof (info[name] ?? undefined)),
  );
  return texts && sizes && optional && modes.has(info['mode']) ? (info as unknown as LinkInfo) : undefined;
}
