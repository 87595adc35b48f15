import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { asNotRecovered } from '../../src/cli/passvault/sharing/recovery-shares.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

const operation = passvault.changeMasterPassword;

export default class Password extends VaultCommand {
  static override summary = 'Change the master password of a vault';
  static override description =
    'The vault is locked in your other sessions. If you forgot the master password, ask your trustees for their shares, recover the vault with: conclave vault emergency recover VAULT FILE..., and set a new one with --recovered.';
  static override examples = [
    '<%= config.bin %> vault password Work',
    '<%= config.bin %> vault password Work --recovered',
  ];
  static override args = vaultArgument;
  static override flags = {
    ...flagsOf(operation, { omit: ['vaultId', 'masterPassword'] }),
    recovered: Flags.boolean({
      description: 'set it without the old one, after you recovered the vault with shares of its trustees',
    }),
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
    const changing = perform(session.client, operation, input).catch((error: unknown) => {
      throw flags.recovered ? asNotRecovered(error, name) : error;
    });
    await this.waitFor('Changing the master password', changing);
    await this.answer(
      { changed: true, id: vaultId },
      () => `The master password of ${escapeForTerminal(name)} is changed.`,
    );
  }
}
