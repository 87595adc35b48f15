import { Args, Flags } from '@oclif/core';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { allVaults, findVault } from '../../src/cli/passvault/find-vault.ts';
import { openBefore, performOn } from '../../src/cli/passvault/session.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { describeHealth } from '../../src/cli/passvault/vault-tables.ts';
import type { HealthReport } from '../../src/contract/passvault/tools.ts';
import { passvault } from '../../src/contract/passvault.ts';

interface NamedReport extends HealthReport {
  readonly vaultName: string;
}

export default class Health extends VaultCommand {
  static override summary = 'Report weak, reused, breached and old passwords';
  static override description =
    'Checks one vault, or all open vaults. To find breached passwords, the server sends five digits of a hash of each password to a service. Use --no-breaches to send nothing.';
  static override examples = [
    '<%= config.bin %> vault health',
    '<%= config.bin %> vault health Work --no-breaches --json',
  ];
  static override args = { vault: Args.string({ description: 'name of a vault, or beginning of its id' }) };
  static override flags = {
    breaches: Flags.boolean({ description: 'check for breached passwords as well', default: true, allowNo: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Health);
    await using session = await this.session(flags);
    const open = async () => (await allVaults(session)).filter((vault) => vault.open);
    const vaults = args.vault === undefined ? await open() : [await findVault(session, args.vault)];
    const breaches = flags.breaches ? 'check' : 'skip';
    const reports: NamedReport[] = [];
    for (const vault of vaults) {
      await openBefore(session, vault);
      const checking = performOn(session, vault, passvault.health, { vaultId: vault.id, breaches });
      reports.push({ vaultName: vaultTitle(vault), ...(await this.waitFor('Checking the passwords', checking)) });
    }
    if (reports.length === 0) this.say('No vault is open.');
    await this.answer({ reports }, (screen) => reports.map((report) => describeHealth(screen, report)).join('\n\n'));
    // On a terminal the summary already says this.
    if (this.terminal.stdout.isTTY === true && !this.wantsJson) return;
    for (const { vaultName, breachCheck } of reports)
      if (breachCheck !== 'done') this.say(`${vaultName}: breaches were not checked: ${breachCheck}.`);
  }
}
