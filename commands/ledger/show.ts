import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { entryData, entryTable } from '../../src/cli/ledger/ledger-details.ts';
import { ledger } from '../../src/contract/ledger.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show entries of the ledger; without --from, the newest';
  static override examples = [
    '<%= config.bin %> ledger show',
    '<%= config.bin %> ledger show --from 0 --limit 100 --json',
  ];
  static override flags = {
    from: Flags.integer({ description: 'index of the first entry', min: 0, helpValue: 'INDEX' }),
    limit: Flags.integer({ description: 'show at most this many', default: 20, min: 1, max: 1000, helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const { limit } = flags;
    const from = flags.from ?? Math.max(0, (await perform(client, ledger.head, {})).size - limit);
    const { size, entries, next } = await perform(client, ledger.entries, { from, limit });
    const data = { size, entries: entries.map(entryData), ...(next !== undefined && { next }) };
    await this.answer(data, (screen) => entryTable(screen, entries));
    if (next !== undefined) this.say(`There are more. Use --from ${next}.`);
  }
}
