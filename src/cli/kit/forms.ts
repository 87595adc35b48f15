import * as v from 'valibot';
import { line, secretText } from '../../contract/text.ts';

/** Values that commands need in addition to the inputs of operations. */

export const keySignIn = {
  path: '',
  input: v.object({
    username: line(254),
    key: v.pipe(secretText(512), v.description('recovery phrase, or private key in hex')),
  }),
};

/** For restoring a backup. */
export const backupPassphrase = {
  path: '',
  input: v.object({
    passphrase: v.pipe(
      secretText(1024),
      v.description('passphrase of the node secret and the erasure keys of the backup'),
    ),
  }),
};

/** For what can be read without it too. */
export const knownPassphrase = {
  path: '',
  input: v.object({
    passphrase: v.optional(
      v.pipe(secretText(1024), v.description('passphrase of the node secret and the erasure keys of the backup')),
    ),
  }),
};

/** For the target database of a copy. */
export const targetPassword = {
  path: '',
  input: v.object({
    toPassword: v.optional(v.pipe(secretText(1024), v.description('password of the target database'))),
  }),
};
