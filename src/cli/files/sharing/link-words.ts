import { Flags } from '@oclif/core';
import { parseLink } from '../../../client/filevault/link-address.ts';
import { Problem } from '../../../base/problem.ts';
import { newSecret, prompts } from '../../kit/prompts.ts';
import { fileVariableOf, secretReader } from '../../kit/secrets.ts';
import { isInteractive, widthOf, type Terminal } from '../../kit/terminal.ts';
import { missingInput } from '../../kit/missing-input.ts';
import { recipientLine } from '../ciphers.ts';
import { passwordVariable } from '../links/open-keys.ts';
import type { NewLink } from './making-links.ts';

/** Where the password of a new link comes from. */
export const newPasswordFlags = {
  'ask-password': Flags.boolean({
    description: 'ask for a password that opens the link',
    exclusive: ['password-file'],
  }),
  'password-file': Flags.string({
    description: `file with the password that opens the link (- for standard input); also ${passwordVariable}, ${fileVariableOf(passwordVariable)}`,
    helpValue: 'FILE',
  }),
};

/** @returns undefined for a link without a password. @throws Problem invalid INPUT_MISSING without a terminal to ask on */
export async function newPassword(
  terminal: Terminal,
  flags: { readonly 'ask-password': boolean; readonly 'password-file'?: string | undefined },
): Promise<string | undefined> {
  if (!flags['ask-password'])
    return await secretReader(terminal).read('password', flags['password-file'], passwordVariable);
  if (!isInteractive(terminal)) throw missingInput({ path: 'password', by: `--password-file or ${passwordVariable}` });
  return await newSecret(prompts(terminal), { message: 'Password of the link' });
}

/** What a person should know before they send a link. */
export function linkWarning({ link, recipient }: NewLink): string {
  const secret = link.passwordProtected
    ? 'Whoever has the whole address and the password'
    : 'Whoever has the whole address';
  if (link.mode !== 'recipient_public_key') {
    const how = link.passwordProtected ? ' Send the two in different ways.' : '';
    return `${secret} opens the file. The address is not shown again.${how}`;
  }
  if (recipient === undefined)
    return 'Only the private key of the recipient opens the file. The address is not shown again.';
  return `Only this member opens the file. Compare the fingerprint with them. The address is not shown again.\n${recipientLine(recipient)}`;
}

/**
 * Draws a QR code on standard error, so that a program reads the address alone.
 * @returns why it can't; the link is made already, so that is no error
 */
export async function drawLink({ stderr }: Terminal, url: string): Promise<string | undefined> {
  const { qrCode } = await import('../../kit/qr-code.ts');
  try {
    stderr.write(`${await qrCode(url, widthOf(stderr))}\n`);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** @param text a link, its token, or the id of either. @returns what the server calls it by. @throws Problem invalid INPUT_INVALID */
export function linkNamed(text: string): string {
  const written = text.trim();
  return /^[A-Za-z0-9_-]{16,64}$/.test(written) ? written : parseLink(written).token;
}
