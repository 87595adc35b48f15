import { perform } from '../../../src/client/perform.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { changeText } from '../../../src/cli/passvault/sharing/emergency-details.ts';
import { findOwnVault } from '../../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Deny extends VaultCommand {
  static override summary = 'Deny a recovery request of the trustees of your vault';
  static override description =
    'This works until the waiting period is over (option vaults.emergency_wait of the server). If the vault is open, the shares that were handed over stop working as well.';
  static override examples = ['<%= config.bin %> vault emergency deny Work'];
  static override args = vaultArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Deny);
    await using session = await this.session(flags);
    const { id: vaultId, name } = await findOwnVault(session, args.vault);
    const reply = await perform(session.client, passvault.denyEmergencyRecovery, { vaultId });
    await this.answer({ vaultId, ...reply }, () => escapeForTerminal(`The recovery of ${name} is denied.`));
    const { emergencyAccess: change } = reply;
    this.say(
      change === undefined
        ? 'The vault is locked, so the shares that were handed over still work, and the trustees can ask again. To replace the shares, run: conclave vault emergency setup'
        : changeText(change, name),
    );
  }
}
