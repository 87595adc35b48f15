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
    'The command checks the whole backup before it replaces anything. Sessions are not restored, so every member signs in again. The erasure keys of the file vault are taken from erasure.keys.backup beside the backup, unless those of the store are in place.';
  static override examples = [
    '<%= config.bin %> admin store restore /var/backups/conclave.backup',
    '<%= config.bin %> admin store restore ./conclave.backup --data-dir ./new --passphrase-file ./passphrase',
  ];
  static override args = { file: Args.string({ description: 'backup file', required: true }) };
  static override flags = {
    force: Flags.boolean({ description: 'replace an existing store' }),
    trust: Flags.boolean({ description: 'restore a backup that this node did not sign' }),
    'erasure-keys': Flags.string({
      description: 'file of erasure keys: erasure.keys, or erasure.keys.backup of a backup',
      helpValue: 'FILE',
    }),
    'without-files': Flags.boolean({
      description: 'go on without erasure keys. No file of the file vault that is in the backup can be opened then',
    }),
    'other-node': Flags.boolean({ description: 'restore with the secret of another node, or without one' }),
    ...flagsOf(backupPassphrase),
    ...configFlags(['database']),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Restore);
    const ask = async () => (await this.inputFor(backupPassphrase, flags)).passphrase;
    const trust = flags.trust ? (said: string) => this.warnOf(said) : undefined;
    const keys = { erasureKeys: flags['erasure-keys'], withoutFiles: flags['without-files'] };
    const request = { trust, file: args.file, force: flags.force, otherNode: flags['other-node'], ...keys };
    const report = await this.waitFor('Reading the backup', ({ report: onProgress, aside }) =>
      restoreStore(this.storeOf(flags), { ...request, onProgress, passphrase: () => aside(ask) }),
    );
    await this.answer(report, (screen) => describeRestored(screen, report));
  }
}
