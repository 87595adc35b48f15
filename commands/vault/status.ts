import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { allVaults, findVault } from '../../src/cli/passvault/find-vault.ts';
import { describeVault, vaultTable } from '../../src/cli/passvault/vault-tables.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Status extends VaultCommand {
  static override summary = 'Show which vaults are open, or the details of one';
  static override examples = ['<%= config.bin %> vault status', '<%= config.bin %> vault status Work --json'];
  static override args = { vault: Args.string({ description: 'name of a vault, or beginning of its id' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Status);
    await using session = await this.session(flags);
    if (args.vault !== undefined) {
      const vault = await findVault(session, args.vault);
      const { client } = session;
      const of = { vaultId: vault.id };
      const { members } = await perform(client, passvault.listVaultMembers, of);
      const emergency = vault.role === 'owner' ? await perform(client, passvault.showEmergencyAccess, of) : undefined;
      const data = { ...vault, members, ...(emergency && { emergency }) };
      await this.answer(data, (screen) => describeVault(screen, vault, members, emergency));
      return await this.tell([vault]);
    }
    const vaults = await allVaults(session);
    const open = vaults.filter((vault) => vault.open);
    await this.answer({ open: open.length, vaults }, (screen) =>
      open.length === 0 ? `None of your ${vaults.length} vaults is open.` : vaultTable(screen, open),
    );
    await this.tell(vaults);
  }
}
