import { Flags } from '@oclif/core';
import { describeCollected } from '../../src/cli/files/checking.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Gc extends ApiCommand {
  static override summary = 'Drop what no file of the node refers to, as its operator';
  static override description =
    'Uploads that have expired, contents without a version, and blocks without a row. What other services refer to stays.';
  static override examples = ['<%= config.bin %> files gc --dry-run'];
  static override flags = { 'dry-run': Flags.boolean({ description: 'only say what would be dropped' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Gc);
    await using client = await this.connect(flags);
    const dryRun = flags['dry-run'];
    const all = { uploads: 0, orphans: 0, blocks: 0, bytes: 0 };
    await this.waitFor('Looking for what belongs to nothing', async () => {
      for (let after: string | undefined; ;) {
        const input = { dryRun, ...(after !== undefined && { after }) };
        const part = await perform(client, filevault.collectFiles, input);
        for (const name of ['uploads', 'orphans', 'blocks', 'bytes'] as const) all[name] += part[name];
        if (part.next === null) return;
        after = part.next;
      }
    });
    await this.answer(all, () => describeCollected(all, dryRun));
  }
}
