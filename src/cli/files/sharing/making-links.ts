import type { Recipient } from '../../../client/filevault/fingerprints.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import type { LinkMode } from '../../../contract/filevault/limits.ts';
import type { MadeLink } from '../../../contract/filevault/links.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Ciphers } from '../ciphers.ts';
import { recipientNamed } from './recipients.ts';
import { parsedUrl } from '../../../base/parsed-url.ts';

export const linkModes: Readonly<Record<string, LinkMode>> = {
  ephemeral: 'ephemeral_key_pair',
  proxied: 'server_proxied',
  recipient: 'recipient_public_key',
};

export interface LinkOptions {
  readonly ciphers: Ciphers;
  /** the default is `ephemeral_key_pair`, or `recipient_public_key` if there is a recipient */
  readonly mode?: LinkMode | undefined;
  /** a member by username, e-mail address or id, or a public key in hex */
  readonly recipient?: string | undefined;
  readonly password?: string | undefined;
  /** ISO 8601 */
  readonly expiresAt?: string | undefined;
  readonly maxAccessCount?: number | undefined;
}

export interface NewLink {
  /** `url` is the whole address, which is shown once */
  readonly link: MadeLink;
  /** the member that it is encrypted to */
  readonly recipient?: Recipient;
}

/** How often keys are made again because somebody stores versions of the file meanwhile. */
const ATTEMPTS = 3;

/**
 * Makes a link to a file. In a client-encrypted container its keys are made here, and the part behind the # reaches no server.
 * @throws Problem invalid USAGE, INPUT_INVALID, CLIENT_ENCRYPTED
 */
export async function makeLink(
  caller: Caller,
  file: Pick<FileItem, 'id' | 'vaultContainerId'>,
  options: LinkOptions,
): Promise<NewLink> {
  const { ciphers, recipient: name, password, expiresAt, maxAccessCount } = options;
  const mode = options.mode ?? (name === undefined ? 'ephemeral_key_pair' : 'recipient_public_key');
  if ((mode === 'recipient_public_key') !== (name !== undefined)) throw recipientMissing(name);
  const { publicKey, recipient } = name === undefined ? {} : await recipientNamed(caller, file.id, name);
  const input = {
    fileId: file.id,
    mode,
    ...(publicKey !== undefined && { recipientPublicKey: publicKey }),
    ...(password !== undefined && { password }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(maxAccessCount !== undefined && { maxAccessCount }),
  };
  const who = recipient === undefined ? {} : { recipient };
  const made = async (more: object): Promise<MadeLink> => {
    const link = await perform(caller, filevault.createLink, { ...input, ...more });
    // It is printed as it is.
    if (/^[\u0021-\u007e]+$/.test(link.url) && parsedUrl(link.url) !== undefined) return link;
    throw new Problem('network', 'BAD_REPLY', `${caller.place} answered with an address that is none.`);
  };
  const cipher = mode === 'server_proxied' ? undefined : await ciphers(file.vaultContainerId);
  if (cipher === undefined) {
    const link = await made({}).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'CLIENT_ENCRYPTED' ? notProxied() : error;
    });
    return { link, ...who };
  }
  const { keyForRecipient, keysForLink, newShareId } = await import('../../../client/filevault/share-keys.ts');
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const opened = await cipher.open(file.id);
    const linkId = newShareId();
    const { privateKey, ...keys } =
      publicKey === undefined
        ? keysForLink(linkId, opened)
        : { privateKey: undefined, ...keyForRecipient(linkId, publicKey, opened) };
    const link = await made({ linkId, ...keys });
    if (link.versionId === opened.versionId) {
      const fragment = privateKey === undefined ? '' : `#${Buffer.from(privateKey, 'hex').toString('base64url')}`;
      return { link: { ...link, url: `${link.url}${fragment}` }, ...who };
    }
    // The keys are those of the version before, so this link would open nothing.
    await perform(caller, filevault.revokeLink, { token: link.id });
  }
  throw new Problem('unavailable', 'OVERLOADED', 'The file changes too often. Make the link again in a moment.');
}

function recipientMissing(name: string | undefined): Problem {
  return new Problem(
    'invalid',
    'USAGE',
    name === undefined
      ? 'Say who can open the link: --recipient MEMBER_OR_KEY.'
      : 'A link for a recipient is one of --mode recipient. Leave --mode out, or --recipient.',
  );
}

function notProxied(): Problem {
  return new Problem(
    'invalid',
    'CLIENT_ENCRYPTED',
    'The container is encrypted by its members, so the server cannot decrypt the file for a link. Use --mode ephemeral or --mode recipient.',
  );
}
