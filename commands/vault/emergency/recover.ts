import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { changeText } from '../../../src/cli/passvault/sharing/emergency-details.ts';
import { findRecoverable } from '../../../src/cli/passvault/sharing/find-trusteeship.ts';
import { readShares } from '../../../src/cli/passvault/sharing/recovery-shares.ts';
import { VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Recover extends VaultCommand {
  static override summary = 'Recover a vault with the shares of its trustees';
  static override description =
    'It is open in this session. A trustee becomes a member of the vault. An owner who forgot the master password recovers the vault in the same way, with shares of the trustees, and then sets a new one with: conclave vault password NAME --recovered. If the server has a waiting period (vaults.emergency_wait), the owner is notified first and can deny the recovery. Run the command again after the waiting period.';
  static override usage = 'vault emergency recover VAULT FILE...';
  static override examples = [
    '<%= config.bin %> vault emergency recover alice carol-share.json bob-share.json',
    '<%= config.bin %> vault emergency recover Work carol-share.json bob-share.json',
  ];
  static override strict = false;
  static override args = {
    vault: Args.string({
      description: 'name of the vault, username of its owner if you are a trustee, or beginning of its id',
      required: true,
    }),
    file: Args.string({ description: 'file with a share (- for standard input); repeat for more', required: true }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Recover);
    await using session = await this.session(flags);
    const vaultId = await findRecoverable(session, args.vault);
    const shares = await readShares(this.terminal, (argv as string[]).slice(1), vaultId);
    const given = shares.map(({ trusteeId, encryptedShare }) => ({ trusteeId, encryptedShare }));
    const { vault, emergencyAccess } = await perform(session.client, passvault.emergencyRecover, {
      vaultId,
      shares: given,
    });
    await this.answer({ ...vault, ...(emergencyAccess !== undefined && { emergencyAccess }) }, (screen) =>
      escapeForTerminal(
        vault.recovered
          ? `${vault.name} is recovered and open.`
          : `The owner of ${vault.name} can deny the recovery until ${moment(screen, vault.availableAt)}. Run this command again then.`,
      ),
    );
    if (emergencyAccess !== undefined) this.say(changeText(emergencyAccess, vault.name));
  }
}
