import { Args } from '@oclif/core';
import { verifyBackup } from '../../../src/client/offline.ts';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { knownPassphrase } from '../../../src/cli/kit/forms.ts';
import { describeChecks } from '../../../src/cli/pool/node-details.ts';
import { node } from '../../../src/contract/node.ts';

export default class Verify extends ApiCommand {
  static override summary = 'Check the database, its references and every block; exit code 1 if something is wrong';
  static override description =
    'With the file of a backup it checks that instead, and needs no store. With the passphrase it opens the node secret and the erasure keys as well.';
  static override usage = 'admin store verify [BACKUP [--passphrase-file FILE]]';
  static override examples = [
    '<%= config.bin %> admin store verify',
    '<%= config.bin %> admin store verify /var/backups/conclave.backup --passphrase-file ./passphrase',
  ];
  static override args = { backup: Args.string({ description: 'backup file' }) };
  static override flags = flagsOf(knownPassphrase);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Verify);
    const reply = args.backup === undefined ? await this.#store(flags) : await this.#backup(args.backup, flags);
    await this.answer(reply, (screen) => describeChecks(screen, reply));
    if (!reply.ok) this.exit(1);
  }

  async #store(flags: Parameters<Verify['connect']>[0]) {
    await using client = await this.connect(flags);
    return await this.waitFor('Checking the store', perform(client, node.verifyStore, {}));
  }

  async #backup(file: string, flags: Readonly<Record<string, unknown>>) {
    const { passphrase } = await this.inputFor(knownPassphrase, flags);
    return await this.waitFor('Reading the backup', ({ report: onProgress }) =>
      verifyBackup({ file, passphrase, onProgress }),
    );
  }
}
