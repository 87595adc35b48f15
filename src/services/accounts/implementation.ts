import type { accounts } from '../../contract/accounts.ts';
import type { Implementation } from '../../service-parts.ts';
import { showProfile, updateProfile } from './members/profile.ts';
import { refreshToken } from './sign-in/refresh.ts';
import { endSession, listSessions, logout } from './sign-in/sessions.ts';
import { showSettings, updateSettings } from './members/settings.ts';
import { verify } from './members/user.ts';

/** What needs curves, phrases or password hashes is loaded when it is first called: starting a server shouldn't wait for it. */
export const accountServices: Implementation<typeof accounts> = {
  register: async (...call) => (await import('./members/registration.ts')).register(...call),
  login: async (...call) => (await import('./sign-in/sign-in.ts')).login(...call),
  proveServer: async (...call) => (await import('./sign-in/direct-login.ts')).proveServer(...call),
  requestDirectLogin: async (ctx) => (await import('./sign-in/direct-login.ts')).requestDirectLogin(ctx),
  directChallenge: async (...call) => (await import('./sign-in/direct-login.ts')).directChallenge(...call),
  verify,
  profile: showProfile,
  updateProfile,
  changePassword: async (...call) => (await import('./passwords/change-password.ts')).changePassword(...call),
  recover: async (...call) => (await import('./passwords/recovery.ts')).recover(...call),
  logout,
  refreshToken,
  settings: showSettings,
  updateSettings,
  createBackupCodes: async (ctx, actor) => (await import('./passwords/backup-codes.ts')).replaceBackupCodes(ctx, actor),
  countBackupCodes: async (ctx, actor) => (await import('./passwords/backup-codes.ts')).countBackupCodes(ctx, actor),
  replaceBackupCodes: async (ctx, actor) =>
    (await import('./passwords/backup-codes.ts')).replaceBackupCodes(ctx, actor),
  recoverBackup: async (...call) => (await import('./passwords/backup-recovery.ts')).recoverBackup(...call),
  listSessions,
  endSession,
};
