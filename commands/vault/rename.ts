import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { vaultTable } from '../../src/cli/passvault/vault-tables.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Rename extends VaultCommand {
  static override summary = 'Rename a vault';
  static override examples = ['<%= config.bin %> vault rename Work Office'];
  static override args = {
    ...vaultArgument,
    name: Args.string({ description: 'new name of the vault', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Rename);
    await using session = await this.session(flags);
    const { id } = await findOwnVault(session, args.vault);
    const { vault } = await perform(session.client, passvault.renameVault, { vaultId: id, name: args.name });
    await this.answer(vault, (screen) => vaultTable(screen, [vault]));
  }
}
