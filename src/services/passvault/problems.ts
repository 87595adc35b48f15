import { Problem } from '../../base/problem.ts';

/** One answer for vaults that don't exist, for actors who may not know the vault, and for actors who may not do this. */
export function vaultNotFound(): Problem {
  return new Problem('missing', 'VAULT_NOT_FOUND', 'There is no such vault.');
}

export function vaultLocked(): Problem {
  return new Problem('unauthenticated', 'VAULT_LOCKED', 'The vault is locked. Open it first.');
}

/** For actions that need the key that only a master password opens. */
export function masterPasswordUnknown(): Problem {
  return new Problem(
    'forbidden',
    'MASTER_PASSWORD_UNKNOWN',
    'The vault was opened by emergency recovery, and this needs its master password. Set a new one, or open the vault with it.',
  );
}

export function entryNotFound(): Problem {
  return new Problem('missing', 'ENTRY_NOT_FOUND', 'The vault has no such entry.');
}

export function attachmentNotFound(): Problem {
  return new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'The entry has no such attachment.');
}

export function wrongPassword(): Problem {
  return new Problem('unauthenticated', 'INVALID_MASTER_PASSWORD', 'Wrong password for this vault.');
}

/** For work that started over too often. */
export function overloaded(): Problem {
  return new Problem('unavailable', 'OVERLOADED', 'The vault keeps changing. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}

/** @param field dotted path of an input field */
