import { Flags } from '@oclif/core';
import { copyStore } from '../../../src/client/offline.ts';
import { LocalCommand } from '../../../src/cli/command.ts';
import { configFlags } from '../../../src/cli/config-flags.ts';
import { flagsOf } from '../../../src/cli/flags.ts';
import { targetPassword } from '../../../src/cli/forms.ts';
import { copyTarget, describeCopied } from '../../../src/cli/store-work.ts';

export default class Copy extends LocalCommand {
  static override summary = 'Copy the store to PostgreSQL, or from there to a folder, while no server runs';
  static override description =
    'Rows are counted and their hashes compared on both sides before the copy counts. The store itself does not change.';
  static override examples = [
    '<%= config.bin %> admin store copy --to postgres://conclave@db.example/conclave --to-password-file ./password',
    'CONCLAVE_DATABASE=postgres://conclave@db.example/conclave <%= config.bin %> admin store copy --to ./data',
  ];
  static override flags = {
    to: Flags.string({
      description: 'postgres:// URL without its password, or a data directory',
      helpValue: 'PLACE',
      required: true,
    }),
    force: Flags.boolean({ description: 'replace what the target holds' }),
    ...flagsOf(targetPassword),
    ...configFlags(['database']),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Copy);
    const { toPassword = this.terminal.env['PGPASSWORD'] } = await this.inputFor(targetPassword, flags);
    const request = { to: copyTarget(flags.to, toPassword), force: flags.force };
    const report = await this.waitFor('Copying', ({ report: onProgress }) =>
      copyStore(this.storeOf(flags), { ...request, onProgress }),
    );
    await this.answer(report, (screen) => describeCopied(screen, report));
  }
}
