import { perform } from '../../../src/client/perform.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { changeText } from '../../../src/cli/passvault/sharing/emergency-details.ts';
import { findOwnVault } from '../../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Deny extends VaultCommand {
  static override summary = 'Refuse a recovery of your vault that its trustees ask for';
  static override description =
    'Works until the waiting period is over (option vaults.emergency_wait of the server). Where the vault is open, shares that were handed over become worthless as well.';
  static override examples = ['<%= config.bin %> vault emergency deny Work'];
  static override args = vaultArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Deny);
    await using session = await this.session(flags);
    const { id: vaultId, name } = await findOwnVault(session, args.vault);
    const reply = await perform(session.client, passvault.denyEmergencyRecovery, { vaultId });
    await this.answer({ vaultId, ...reply }, () => escapeForTerminal(`The recovery of ${name} is refused.`));
    const { emergencyAccess: change } = reply;
    this.say(
      change === undefined
        ? 'The vault is locked, so the shares that were handed over still count, and who asked can ask again. New ones: conclave vault emergency setup'
        : changeText(change, name),
    );
  }
}
