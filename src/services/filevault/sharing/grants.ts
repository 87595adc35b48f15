import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

const GRANT_MS = 24 * 60 * 60 * 1000;
const CONTEXT = utf8('conclave/filevault/share-grant/v1');

type Sealing = Pick<Context, 'keys' | 'clock' | 'random'>;

/**
 * Lets whoever was counted go on with a download, for a day. It is given after the password was right, so it stands for the password, too.
 * It can't be renewed, and ends with the link.
 */
export function newGrant({ keys, clock, random }: Sealing, linkId: string): string {
  const text = utf8(`${linkId} ${clock.now() + GRANT_MS}`);
  return Buffer.from(sealWithKey(keys.wrap, text, CONTEXT, random)).toString('base64url');
}

/** What is none, or is for another link, or has expired, is as if it wasn't there. */
export function isGranted({ keys, clock }: Sealing, linkId: string, grant: string | undefined): boolean {
  if (grant === undefined) return false;
  try {
    const sealed = new Uint8Array(Buffer.from(grant, 'base64url'));
    const [id, expires = ''] = fromUtf8(openWithKey(keys.wrap, sealed, CONTEXT)).split(' ');
    return id === linkId && clock.now() < (wholeNumber(expires) ?? 0);
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}
