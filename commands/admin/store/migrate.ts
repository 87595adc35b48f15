import { migrateStore } from '../../../src/client/offline.ts';
import { LocalCommand } from '../../../src/cli/kit/command.ts';
import { configFlags } from '../../../src/cli/kit/config-flags.ts';

export default class Migrate extends LocalCommand {
  static override summary = 'Migrate the store to the version of this program, while no server runs';
  static override description = 'Make a backup first. Older programs cannot open a migrated store.';
  static override examples = ['<%= config.bin %> admin store migrate'];
  static override flags = configFlags(['database']);

  async run(): Promise<void> {
    const { flags } = await this.parse(Migrate);
    const report = await this.waitFor('Migrating', migrateStore(this.storeOf(flags)));
    const { from, to, applied } = report;
    const said =
      from === to ? `The store is up to date, at schema ${to}.` : `Schema ${from} → ${to}: ${applied.join(', ')}`;
    await this.answer(report, () => said);
  }
}
