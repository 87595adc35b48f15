import { Flags } from '@oclif/core';
import { askAboutLink, type LinkCaller, type LinkInfo } from '../../../client/filevault/link-info.ts';
import type * as Keys from '../../../client/filevault/link-keys.ts';
import type { OpenedLink } from '../../../client/filevault/link-keys.ts';
import { Problem } from '../../../base/problem.ts';
import { missingInput } from '../../kit/missing-input.ts';
import { prompts } from '../../kit/prompts.ts';
import { fileVariableOf, secretReader, type SecretReader } from '../../kit/secrets.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';

export const passwordVariable = 'CONCLAVE_LINK_PASSWORD';
const keyVariable = 'CONCLAVE_KEY';

/** Where the secrets of a link come from, when they aren't typed. */
export const linkSecretFlags = {
  'password-file': Flags.string({
    description: `file with the password of the link (- for standard input); also ${passwordVariable}, ${fileVariableOf(passwordVariable)}`,
    helpValue: 'FILE',
  }),
  'key-file': Flags.string({
    description: `file with your recovery phrase or private key, for a file that is encrypted to you (- for standard input); also ${keyVariable}, ${fileVariableOf(keyVariable)}`,
    helpValue: 'FILE',
  }),
};

export interface LinkSecretFiles {
  readonly 'password-file'?: string | undefined;
  readonly 'key-file'?: string | undefined;
}

export interface AskedLink {
  /** with the password that was right */
  readonly caller: LinkCaller;
  readonly info: LinkInfo;
  /** undefined if the server decrypts the file */
  readonly opened: OpenedLink | undefined;
}

/**
 * Asks the server about a link, and the person for what it takes to open it.
 * @param left what an earlier process heard: a link that it used up is known no more, but goes on
 */
export async function askLink(
  terminal: Terminal,
  linked: LinkCaller,
  key: Uint8Array | undefined,
  files: LinkSecretFiles,
  left: () => Promise<LinkInfo | undefined>,
): Promise<AskedLink> {
  const secrets = secretReader(terminal);
  const { caller, info } = await withPassword(terminal, linked, secrets, files['password-file'], left);
  // Whoever sent a key meant that the file is verified with it. What the server says of the link must not leave that out.
  if (key !== undefined && info.mode !== 'ephemeral_key_pair')
    throw new Problem(
      'network',
      'BAD_REPLY',
      `The link has a key behind its #, and ${linked.place} says that it needs none. Nothing was received, because it could not be verified. Ask the sender for a new link.`,
    );
  if (info.mode === 'server_proxied') return { caller, info, opened: undefined };
  if (info.mode === 'recipient_public_key') {
    const own = await ownKey(terminal, secrets, files['key-file']);
    return { caller, info, opened: await opening(info, own) };
  }
  if (key === undefined)
    throw new Problem(
      'invalid',
      'INPUT_INVALID',
      'The key of the file is missing: it is behind the # of the link. Put the whole link between quotes.',
    );
  return { caller, info, opened: await opening(info, key) };
}

/** Loaded here, because the curves take longer to load than most commands to run. */
async function opening(...given: Parameters<typeof Keys.openLink>): Promise<OpenedLink> {
  return (await import('../../../client/filevault/link-keys.ts')).openLink(...given);
}

async function withPassword(
  terminal: Terminal,
  caller: LinkCaller,
  secrets: SecretReader,
  file: string | undefined,
  left: () => Promise<LinkInfo | undefined>,
): Promise<{ readonly caller: LinkCaller; readonly info: LinkInfo }> {
  const given = await secrets.read('password', file, passwordVariable);
  const first = { ...caller, password: given };
  let known: LinkInfo | undefined;
  try {
    return { caller: first, info: await askAboutLink(first) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'LINK_NOT_FOUND') known = await left();
    if (known !== undefined && (!known.passwordProtected || given !== undefined)) return { caller: first, info: known };
    if (known === undefined && error.code !== 'LINK_PASSWORD_REQUIRED') throw error;
    if (!isInteractive(terminal))
      throw missingInput({ path: 'password', by: `--password-file or ${passwordVariable}` });
  }
  if (known !== undefined) {
    const password = await prompts(terminal).secret({ message: 'Password of the link' });
    return { caller: { ...caller, password }, info: known };
  }
  for (let message = 'Password of the link'; ;) {
    const typed = { ...caller, password: await prompts(terminal).secret({ message }) };
    try {
      return { caller: typed, info: await askAboutLink(typed) };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'LINK_PASSWORD_WRONG') throw error;
      message = 'That was not the password. Password of the link';
    }
  }
}

async function ownKey(terminal: Terminal, secrets: SecretReader, file: string | undefined): Promise<Uint8Array> {
  const { keyPairFrom } = await import('../../../client/member-secret.ts');
  const given = await secrets.read('key', file, keyVariable);
  if (given !== undefined) return (await keyPairFrom(given)).privateKey;
  if (!isInteractive(terminal)) throw missingInput({ path: 'key', by: `--key-file or ${keyVariable}` });
  const message = 'The file is encrypted to you. Your recovery phrase or private key';
  return (await keyPairFrom(await prompts(terminal).secret({ message }))).privateKey;
}
