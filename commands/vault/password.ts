import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

const operation = passvault.changeMasterPassword;

export default class Password extends VaultCommand {
  static override summary = 'Change the master password of a vault';
  static override description =
    'The vault is locked in your other sessions. After an emergency recovery, its owner sets a new master password without the old one.';
  static override examples = ['<%= config.bin %> vault password Work'];
  static override args = vaultArgument;
  static override flags = {
    ...flagsOf(operation, { omit: ['vaultId', 'masterPassword'] }),
    recovered: Flags.boolean({ description: 'set it without the old one, after an emergency recovery' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Password);
    await using session = await this.session(flags);
    const { id: vaultId, name } = await findOwnVault(session, args.vault);
    const input = await this.inputFor(operation, flags, {
      given: { vaultId },
      fresh: ['new-master-password'],
      ...(flags.recovered ? { skip: ['master-password'] } : { ask: ['master-password'] }),
    });
    await this.waitFor('Changing the master password', perform(session.client, operation, input));
    await this.answer(
      { changed: true, id: vaultId },
      () => `The master password of ${escapeForTerminal(name)} is changed.`,
    );
  }
}
