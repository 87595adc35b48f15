import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { vaultTable } from '../../src/cli/passvault/vault-tables.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a vault, and open it in this session';
  static override description =
    'Only the master password opens the vault. If you forget it, only emergency access can replace it; see: conclave vault emergency setup';
  static override examples = ['<%= config.bin %> vault create Work'];
  static override args = { name: Args.string({ description: 'name of the vault' }) };
  static override flags = flagsOf(passvault.createVault, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    // Checks the sign-in first. Otherwise a person could choose a password for a request that is refused.
    await perform(client, passvault.listVaults, {});
    const options = { given: args, argument: 'name', fresh: ['master-password'] };
    const input = await this.inputFor(passvault.createVault, flags, options);
    const { vault } = await this.waitFor('Creating the vault', perform(client, passvault.createVault, input));
    await this.answer(vault, (screen) => vaultTable(screen, [vault]));
  }
}
