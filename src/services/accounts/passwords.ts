export { countBackupCodes, createBackupCodes, replaceBackupCodes } from './passwords/backup-codes.ts';
export { recoverBackup } from './passwords/backup-recovery.ts';
export { changePassword } from './passwords/change-password.ts';
export { recover } from './passwords/recovery.ts';
