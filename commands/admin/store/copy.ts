import { Flags } from '@oclif/core';
import { copyStore } from '../../../src/client/offline.ts';
import { LocalCommand } from '../../../src/cli/kit/command.ts';
import { configFlags } from '../../../src/cli/kit/config-flags.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { targetPassword } from '../../../src/cli/kit/forms.ts';
import { copyTarget, describeCopied, refuseUnfit } from '../../../src/cli/node/store-work.ts';

export default class Copy extends LocalCommand {
  static override summary = 'Copy the store to PostgreSQL, or back to a folder, while no server runs';
  static override description =
    'The command compares the rows of both stores before it finishes. A file store that was copied to PostgreSQL is marked as moved, and Conclave does not open it any more. Use --stay to keep using it.';
  static override examples = [
    '<%= config.bin %> admin store copy --to postgres://conclave@db.example/conclave --to-password-file ./password',
    'CONCLAVE_DATABASE=postgres://conclave@db.example/conclave <%= config.bin %> admin store copy --to ./data',
  ];
  static override flags = {
    to: Flags.string({
      description: 'postgres:// URL without a password, or a data directory',
      helpValue: 'PLACE',
      required: true,
    }),
    force: Flags.boolean({ description: 'replace the content of the target' }),
    stay: Flags.boolean({ description: 'keep using this store after a copy to PostgreSQL' }),
    ...flagsOf(targetPassword),
    ...configFlags(['database']),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Copy);
    refuseUnfit(flags);
    const { toPassword = this.terminal.env['PGPASSWORD'] } = await this.inputFor(targetPassword, flags);
    const request = { to: copyTarget(flags.to, toPassword), force: flags.force, stay: flags.stay };
    const report = await this.waitFor('Copying', ({ report: onProgress }) =>
      copyStore(this.storeOf(flags), { ...request, onProgress }),
    );
    await this.answer(report, (screen) => describeCopied(screen, report));
  }
}
