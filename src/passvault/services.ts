import type { passvault } from '../contract/passvault.ts';
import type { Implementation } from '../http/implementation.ts';

/** All of it is loaded when it is first called: a server starts without bcrypt, curves, importers and word lists. */
export const passvaultServices: Implementation<typeof passvault> = {
  createVault: async (...call) => (await import('./vaults.ts')).createVault(...call),
  listVaults: async (ctx, actor) => (await import('./listing.ts')).listVaults(ctx, actor),
  renameVault: async (...call) => (await import('./listing.ts')).renameVault(...call),
  openVault: async (...call) => (await import('./opening.ts')).openVaultWith(...call),
  lockVault: async (...call) => (await import('./opening.ts')).lockVault(...call),
  deleteVault: async (...call) => (await import('./deletion.ts')).deleteVault(...call),
  changeMasterPassword: async (...call) => (await import('./master-password.ts')).changeMasterPassword(...call),
  listEntries: async (...call) => (await import('./entries.ts')).listEntries(...call),
  createEntry: async (...call) => (await import('./entries.ts')).createEntry(...call),
  showEntry: async (...call) => (await import('./entries.ts')).showEntry(...call),
  updateEntry: async (...call) => (await import('./entries.ts')).updateEntry(...call),
  deleteEntry: async (...call) => (await import('./entries.ts')).deleteEntry(...call),
  search: async (...call) => (await import('./search.ts')).search(...call),
  autofill: async (...call) => (await import('./autofill.ts')).autofill(...call),
  addAttachment: async (...call) => (await import('./attachments.ts')).addAttachment(...call),
  showAttachment: async (...call) => (await import('./attachments.ts')).showAttachment(...call),
  removeAttachment: async (...call) => (await import('./attachments.ts')).removeAttachment(...call),
  auditLog: async (...call) => (await import('./audit-log.ts')).auditLog(...call),
  share: async (...call) => (await import('./sharing.ts')).share(...call),
  revokeShare: async (...call) => (await import('./revocation.ts')).revokeShare(...call),
  configureEmergencyAccess: async (...call) =>
    (await import('./emergency-access.ts')).configureEmergencyAccess(...call),
  listTrusteeships: async (ctx, actor) => (await import('./trusteeships.ts')).listTrusteeships(ctx, actor),
  emergencyShare: async (...call) => (await import('./emergency-access.ts')).emergencyShare(...call),
  emergencyRecover: async (...call) => (await import('./emergency-recovery.ts')).emergencyRecover(...call),
  generatePassword: async (...call) => (await import('./generator.ts')).generatePassword(...call),
  generateTotp: async (...call) => (await import('./one-time-codes.ts')).generateTotp(...call),
  validateTotp: async (...call) => (await import('./one-time-codes.ts')).validateTotp(...call),
  checkBreach: async (...call) => (await import('./breach.ts')).checkBreach(...call),
  health: async (...call) => (await import('./health.ts')).health(...call),
  import: async (...call) => (await import('./importing.ts')).importEntries(...call),
  export: async (...call) => (await import('./exporting.ts')).exportPlain(...call),
  exportProtected: async (...call) => (await import('./exporting.ts')).exportProtected(...call),
};
