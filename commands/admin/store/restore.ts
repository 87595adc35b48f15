import { Args, Flags } from '@oclif/core';
import { restoreStore } from '../../../src/client/offline.ts';
import { LocalCommand } from '../../../src/cli/kit/command.ts';
import { configFlags } from '../../../src/cli/kit/config-flags.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { backupPassphrase } from '../../../src/cli/kit/forms.ts';
import { describeRestored } from '../../../src/cli/node/store-work.ts';

export default class Restore extends LocalCommand {
  static override summary = 'Restore the store from a backup, while no server runs';
  static override description =
    'The command checks the whole backup before it replaces anything. Sessions are not restored, so every member signs in again.';
  static override examples = [
    '<%= config.bin %> admin store restore /var/backups/conclave.backup',
    '<%= config.bin %> admin store restore ./conclave.backup --data-dir ./new --passphrase-file ./passphrase',
  ];
  static override args = { file: Args.string({ description: 'backup file', required: true }) };
  static override flags = {
    force: Flags.boolean({ description: 'replace an existing store' }),
    trust: Flags.boolean({ description: 'restore a backup that this node did not sign' }),
    'other-node': Flags.boolean({ description: 'restore with the secret of another node, or without one' }),
    ...flagsOf(backupPassphrase),
    ...configFlags(['database']),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Restore);
    const ask = async () => (await this.inputFor(backupPassphrase, flags)).passphrase;
    const trust = flags.trust ? (said: string) => this.warnOf(said) : undefined;
    const request = { trust, file: args.file, force: flags.force, otherNode: flags['other-node'] };
    const report = await this.waitFor('Reading the backup', ({ report: onProgress, aside }) =>
      restoreStore(this.storeOf(flags), { ...request, onProgress, passphrase: () => aside(ask) }),
    );
    await this.answer(report, (screen) => describeRestored(screen, report));
  }
}
