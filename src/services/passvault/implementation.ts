import { vaults } from '../../contract/passvault/vaults.ts';
import { entries } from '../../contract/passvault/entries.ts';
import { sharing } from '../../contract/passvault/sharing.ts';
import { emergency } from '../../contract/passvault/emergency.ts';
import { tools } from '../../contract/passvault/tools.ts';
import { transfer } from '../../contract/passvault/transfer.ts';
import { implement } from '../../service/implement.ts';

export const passvaultImplementation = {
  ...implement(
    vaults,
    () => import('./vaults/vaults.ts'),
    () => import('./vaults/master-password.ts'),
  ),
  ...implement(
    entries,
    () => import('./entries/entries.ts'),
    () => import('./entries/named-entry.ts'),
    () => import('./entries/search.ts'),
    () => import('./entries/autofill.ts'),
    () => import('./entries/attachments.ts'),
  ),
  ...implement(
    sharing,
    () => import('./vaults/audit.ts'),
    () => import('./sharing/sharing.ts'),
    () => import('./emergency/emergency-access.ts'),
    () => import('./sharing/vault-members.ts'),
    () => import('./emergency/emergency-status.ts'),
    () => import('./emergency/emergency-recovery.ts'),
  ),
  ...implement(
    emergency,
    () => import('./emergency/emergency-status.ts'),
    () => import('./emergency/emergency-denial.ts'),
    () => import('./sharing/notices.ts'),
  ),
  ...implement(
    tools,
    () => import('./tools/generator.ts'),
    () => import('./tools/one-time-codes.ts'),
    () => import('./tools/breach.ts'),
    () => import('./tools/health.ts'),
  ),
  ...implement(
    transfer,
    () => import('./transfer/importing.ts'),
    () => import('./transfer/import-progress.ts'),
    () => import('./transfer/exporting.ts'),
  ),
};
