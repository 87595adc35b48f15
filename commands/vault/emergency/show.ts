import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { describeEmergency } from '../../../src/cli/passvault/sharing/emergency-details.ts';
import { findOwnVault } from '../../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Show extends VaultCommand {
  static override summary = 'Show the trustees of a vault, recovery requests, and recoveries';
  static override description =
    'Only the owner may see it. Lists of vaults mention a recovery until the owner dismisses it.';
  static override examples = [
    '<%= config.bin %> vault emergency show Work',
    '<%= config.bin %> vault emergency show Work --dismiss',
  ];
  static override args = vaultArgument;
  static override flags = {
    dismiss: Flags.boolean({ description: 'dismiss recoveries: they are not mentioned again' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using session = await this.session(flags);
    const { id: vaultId, name } = await findOwnVault(session, args.vault);
    const access = await perform(session.client, passvault.showEmergencyAccess, { vaultId });
    if (flags.dismiss) await perform(session.client, passvault.dismissNotices, { vaultId });
    await this.answer({ vaultId, ...access }, (screen) => describeEmergency(screen, name, access));
  }
}
