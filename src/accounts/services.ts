import type { accounts } from '../contract/accounts.ts';
import type { Implementation } from '../http/implementation.ts';
import { showProfile, updateProfile } from './profile.ts';
import { refreshToken } from './refresh.ts';
import { endSession, listSessions, logout } from './sessions.ts';
import { showSettings, updateSettings } from './settings.ts';
import { verify } from './user.ts';

/** What needs curves, phrases or password hashes is loaded when it is first called: starting a server shouldn't wait for it. */
export const accountServices: Implementation<typeof accounts> = {
  register: async (...call) => (await import('./registration.ts')).register(...call),
  login: async (...call) => (await import('./sign-in.ts')).login(...call),
  proveServer: async (...call) => (await import('./direct-login.ts')).proveServer(...call),
  requestDirectLogin: async (ctx) => (await import('./direct-login.ts')).requestDirectLogin(ctx),
  directChallenge: async (...call) => (await import('./direct-login.ts')).directChallenge(...call),
  verify,
  profile: showProfile,
  updateProfile,
  changePassword: async (...call) => (await import('./change-password.ts')).changePassword(...call),
  recover: async (...call) => (await import('./recovery.ts')).recover(...call),
  logout,
  refreshToken,
  settings: showSettings,
  updateSettings,
  createBackupCodes: async (ctx, actor) => (await import('./backup-codes.ts')).replaceBackupCodes(ctx, actor),
  countBackupCodes: async (ctx, actor) => (await import('./backup-codes.ts')).countBackupCodes(ctx, actor),
  replaceBackupCodes: async (ctx, actor) => (await import('./backup-codes.ts')).replaceBackupCodes(ctx, actor),
  recoverBackup: async (...call) => (await import('./backup-recovery.ts')).recoverBackup(...call),
  listSessions,
  endSession,
};
