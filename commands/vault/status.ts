import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { allVaults, findVault } from '../../src/cli/vault/find-vault.ts';
import { describeVault } from '../../src/cli/vault/vault-facts.ts';
import { VaultCommand } from '../../src/cli/vault/vault-command.ts';
import { vaultTable } from '../../src/cli/vault/vault-tables.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Status extends VaultCommand {
  static override summary = 'Say which vaults are open, or how one is';
  static override examples = ['<%= config.bin %> vault status', '<%= config.bin %> vault status Work --json'];
  static override args = { vault: Args.string({ description: 'name of a vault, or beginning of its id' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Status);
    await using session = await this.session(flags);
    if (args.vault !== undefined) {
      const vault = await findVault(session, args.vault);
      const { members } = await perform(session.client, passvault.listVaultMembers, { vaultId: vault.id });
      return await this.answer({ ...vault, members }, (screen) => describeVault(screen, vault, members));
    }
    const vaults = await allVaults(session);
    const open = vaults.filter((vault) => vault.open);
    await this.answer({ open: open.length, vaults }, (screen) =>
      open.length === 0 ? `None of ${vaults.length} vaults is open.` : vaultTable(screen, open),
    );
  }
}
