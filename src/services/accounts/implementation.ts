import { appPasswords } from '../../contract/accounts/app-passwords.ts';
import { members } from '../../contract/accounts/members.ts';
import { passwords } from '../../contract/accounts/passwords.ts';
import { profile } from '../../contract/accounts/profile.ts';
import { sessions } from '../../contract/accounts/sessions.ts';
import { signingIn } from '../../contract/accounts/signing-in.ts';
import { implement } from '../../service/implement.ts';

export const accountsImplementation = {
  ...implement(signingIn, () => import('./signing-in.ts')),
  ...implement(sessions, () => import('./sessions.ts')),
  ...implement(profile, () => import('./profile.ts')),
  ...implement(passwords, () => import('./passwords.ts')),
  ...implement(appPasswords, () => import('./app-passwords.ts')),
};

export const membersImplementation = implement(members, () => import('./members.ts'));
