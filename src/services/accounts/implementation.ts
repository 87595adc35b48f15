import { members } from '../../contract/members.ts';
import { signingIn } from '../../contract/accounts/signing-in.ts';
import { sessions } from '../../contract/accounts/sessions.ts';
import { profile } from '../../contract/accounts/profile.ts';
import { passwords } from '../../contract/accounts/passwords.ts';
import { appPasswords } from '../../contract/accounts/app-passwords.ts';
import { implement } from '../../service/implement.ts';

export const accountsImplementation = {
  ...implement(
    signingIn,
    () => import('./members/new-member.ts'),
    () => import('./sign-in/sign-in.ts'),
    () => import('./sign-in/direct-login.ts'),
  ),
  ...implement(
    sessions,
    () => import('./members/user.ts'),
    () => import('./sign-in/refresh.ts'),
    () => import('./sign-in/sessions.ts'),
  ),
  ...implement(
    profile,
    () => import('./members/profile.ts'),
    () => import('./members/settings.ts'),
  ),
  ...implement(
    passwords,
    () => import('./passwords/change-password.ts'),
    () => import('./passwords/recovery.ts'),
    () => import('./passwords/backup-codes.ts'),
    () => import('./passwords/backup-recovery.ts'),
  ),
  ...implement(appPasswords, () => import('./sign-in/app-passwords.ts')),
};

export const membersImplementation = implement(
  members,
  () => import('./members/members.ts'),
  () => import('./members/administration.ts'),
);
