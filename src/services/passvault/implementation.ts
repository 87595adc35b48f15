import type { passvault } from '../../contract/passvault.ts';
import type { Implementation } from '../../service-parts.ts';

/** All of it is loaded when it is first called: a server starts without bcrypt, curves, importers and word lists. */
export const passvaultServices: Implementation<typeof passvault> = {
  createVault: async (...call) => (await import('./vaults/vaults.ts')).createVault(...call),
  listVaults: async (ctx, actor) => (await import('./vaults/listing.ts')).listVaults(ctx, actor),
  renameVault: async (...call) => (await import('./vaults/listing.ts')).renameVault(...call),
  openVault: async (...call) => (await import('./vaults/opening.ts')).openVaultWith(...call),
  lockVault: async (...call) => (await import('./vaults/opening.ts')).lockVault(...call),
  deleteVault: async (...call) => (await import('./vaults/deletion.ts')).deleteVault(...call),
  changeMasterPassword: async (...call) => (await import('./vaults/master-password.ts')).changeMasterPassword(...call),
  listEntries: async (...call) => (await import('./entries/entries.ts')).listEntries(...call),
  createEntry: async (...call) => (await import('./entries/entries.ts')).createEntry(...call),
  showEntry: async (...call) => (await import('./entries/entries.ts')).showEntry(...call),
  updateEntry: async (...call) => (await import('./entries/entries.ts')).updateEntry(...call),
  deleteEntry: async (...call) => (await import('./entries/entries.ts')).deleteEntry(...call),
  search: async (...call) => (await import('./entries/search.ts')).search(...call),
  autofill: async (...call) => (await import('./entries/autofill.ts')).autofill(...call),
  addAttachment: async (...call) => (await import('./entries/attachments.ts')).addAttachment(...call),
  showAttachment: async (...call) => (await import('./entries/attachments.ts')).showAttachment(...call),
  removeAttachment: async (...call) => (await import('./entries/attachments.ts')).removeAttachment(...call),
  auditLog: async (...call) => (await import('./vaults/audit-log.ts')).auditLog(...call),
  share: async (...call) => (await import('./sharing/sharing.ts')).share(...call),
  revokeShare: async (...call) => (await import('./sharing/revocation.ts')).revokeShare(...call),
  configureEmergencyAccess: async (...call) =>
    (await import('./emergency/emergency-access.ts')).configureEmergencyAccess(...call),
  listVaultMembers: async (...call) => (await import('./sharing/vault-members.ts')).listVaultMembers(...call),
  listTrusteeships: async (ctx, actor) => (await import('./emergency/trusteeships.ts')).listTrusteeships(ctx, actor),
  emergencyShare: async (...call) => (await import('./emergency/emergency-access.ts')).emergencyShare(...call),
  emergencyRecover: async (...call) => (await import('./emergency/emergency-recovery.ts')).emergencyRecover(...call),
  showEmergencyAccess: async (...call) =>
    (await import('./emergency/emergency-status.ts')).showEmergencyAccess(...call),
  denyEmergencyRecovery: async (...call) =>
    (await import('./emergency/emergency-denial.ts')).denyEmergencyRecovery(...call),
  dismissNotices: async (...call) => (await import('./sharing/notices.ts')).dismissNotices(...call),
  generatePassword: async (...call) => (await import('./tools/generator.ts')).generatePassword(...call),
  generateTotp: async (...call) => (await import('./tools/one-time-codes.ts')).generateTotp(...call),
  validateTotp: async (...call) => (await import('./tools/one-time-codes.ts')).validateTotp(...call),
  checkBreach: async (...call) => (await import('./tools/breach.ts')).checkBreach(...call),
  health: async (...call) => (await import('./tools/health.ts')).health(...call),
  import: async (...call) => (await import('./transfer/importing.ts')).importEntries(...call),
  importProgress: async (...call) => (await import('./transfer/import-progress.ts')).importProgress(...call),
  export: async (...call) => (await import('./transfer/exporting.ts')).exportPlain(...call),
  exportProtected: async (...call) => (await import('./transfer/exporting.ts')).exportProtected(...call),
};
