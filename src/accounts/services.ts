import type { accounts } from '../contract/accounts.ts';
import type { Implementation } from '../http/implementation.ts';
import { countBackupCodes, replaceBackupCodes } from './backup-codes.ts';
import { recoverBackup } from './backup-recovery.ts';
import { changePassword } from './change-password.ts';
import { directChallenge, requestDirectLogin } from './direct-login.ts';
import { showProfile, updateProfile } from './profile.ts';
import { recover } from './recovery.ts';
import { refreshToken } from './refresh.ts';
import { register } from './registration.ts';
import { endSession, listSessions, logout } from './sessions.ts';
import { showSettings, updateSettings } from './settings.ts';
import { login } from './sign-in.ts';
import { verify } from './user.ts';

export const accountServices: Implementation<typeof accounts> = {
  register,
  login,
  requestDirectLogin,
  directChallenge,
  verify,
  profile: showProfile,
  updateProfile,
  changePassword,
  recover,
  logout,
  refreshToken,
  settings: showSettings,
  updateSettings,
  createBackupCodes: replaceBackupCodes,
  countBackupCodes,
  replaceBackupCodes,
  recoverBackup,
  listSessions,
  endSession,
};
