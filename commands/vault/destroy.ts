import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { entriesText, findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Destroy extends VaultCommand {
  static override summary = 'Delete a vault with all its entries and attachments';
  static override description = 'The command asks for the master password even if the vault is open.';
  static override examples = ['<%= config.bin %> vault destroy Work'];
  static override args = vaultArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Destroy);
    await using session = await this.session(flags);
    const { id: vaultId, name, entryCount } = await findOwnVault(session, args.vault);
    const question = `Delete ${escapeForTerminal(name)} with ${entriesText(entryCount)} for ever?`;
    await confirmed(this.terminal, flags.yes, question);
    const input = await this.inputFor(passvault.deleteVault, flags, { given: { vaultId } });
    await perform(session.client, passvault.deleteVault, input);
    await this.answer({ deleted: vaultId, name }, () => `Deleted ${escapeForTerminal(name)}.`);
  }
}
