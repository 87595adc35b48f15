import { appPasswords } from './accounts/app-passwords.ts';
import { passwords } from './accounts/passwords.ts';
import { profile } from './accounts/profile.ts';
import { sessions } from './accounts/sessions.ts';
import { signingIn } from './accounts/signing-in.ts';

/** Accounts and sessions, prefix `/api/user`. */
export const accounts = { ...signingIn, ...sessions, ...profile, ...passwords, ...appPasswords };
