import { Problem } from '../../problem.ts';

/** For vaults that don't exist and for whoever may not know of them, or may not do this with them: one answer. */
export function vaultNotFound(): Problem {
  return new Problem('missing', 'VAULT_NOT_FOUND', 'There is no such vault.');
}

export function vaultLocked(): Problem {
  return new Problem('unauthenticated', 'VAULT_LOCKED', 'The vault is locked. Open it first.');
}

/** For what takes the key that only a master password gives. */
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

/** For work that started over as often as makes sense. */
export function overloaded(): Problem {
  return new Problem('unavailable', 'OVERLOADED', 'The vault keeps changing. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}

/** @param field dotted path of an input field */
