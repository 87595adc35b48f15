import type { accounts } from '../../contract/accounts.ts';
import type { members } from '../../contract/members.ts';
import { lazily } from '../../service/service-parts.ts';

export const accountsImplementation = lazily<typeof accounts>({
  register: () => import('./members/new-member.ts'),
  login: () => import('./sign-in/sign-in.ts'),
  proveServer: () => import('./sign-in/direct-login.ts'),
  requestDirectLogin: () => import('./sign-in/direct-login.ts'),
  directChallenge: () => import('./sign-in/direct-login.ts'),
  verify: () => import('./members/user.ts'),
  profile: async () => ({ profile: (await import('./members/profile.ts')).showProfile }),
  updateProfile: () => import('./members/profile.ts'),
  changePassword: () => import('./passwords/change-password.ts'),
  recover: () => import('./passwords/recovery.ts'),
  logout: () => import('./sign-in/sessions.ts'),
  refreshToken: () => import('./sign-in/refresh.ts'),
  settings: async () => ({ settings: (await import('./members/settings.ts')).showSettings }),
  updateSettings: () => import('./members/settings.ts'),
  createBackupCodes: async () => ({
    createBackupCodes: (await import('./passwords/backup-codes.ts')).replaceBackupCodes,
  }),
  countBackupCodes: () => import('./passwords/backup-codes.ts'),
  replaceBackupCodes: () => import('./passwords/backup-codes.ts'),
  recoverBackup: () => import('./passwords/backup-recovery.ts'),
  listSessions: () => import('./sign-in/sessions.ts'),
  endSession: () => import('./sign-in/sessions.ts'),
  createAppPassword: () => import('./sign-in/app-passwords.ts'),
  listAppPasswords: () => import('./sign-in/app-passwords.ts'),
  removeAppPassword: () => import('./sign-in/app-passwords.ts'),
});

export const membersImplementation = lazily<typeof members>({
  list: async () => ({ list: (await import('./members/members.ts')).listMembers }),
  createAdministrator: () => import('./members/administration.ts'),
  show: async () => ({ show: (await import('./members/members.ts')).showMember }),
  promote: () => import('./members/administration.ts'),
  demote: () => import('./members/administration.ts'),
  suspend: () => import('./members/administration.ts'),
  restore: () => import('./members/administration.ts'),
  sessions: async () => ({ sessions: (await import('./members/members.ts')).listMemberSessions }),
  endSessions: async () => ({ endSessions: (await import('./members/administration.ts')).endMemberSessions }),
});
