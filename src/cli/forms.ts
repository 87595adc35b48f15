import * as v from 'valibot';
import { email, line, secretText } from '../contract/text.ts';

/** What commands ask for beside the inputs of operations. */

export const keySignIn = {
  path: '',
  input: v.object({
    username: line(254),
    key: v.pipe(secretText(512), v.description('recovery phrase, or private key in hex')),
  }),
};

export const newPassphrase = {
  path: '',
  input: v.object({ passphrase: v.pipe(secretText(1024), v.description('passphrase of the backup')) }),
};

export const whoever = { path: '', input: v.object({ email }) };
