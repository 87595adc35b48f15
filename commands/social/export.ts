import { Args, Flags } from '@oclif/core';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { social } from '../../src/contract/social.ts';
import { portables } from '../../src/contract/social/transfer.ts';

export default class Export extends ApiCommand {
  static override summary = 'Export whom you follow, block or mute, or your bookmarks, as CSV';
  static override description = 'Mastodon reads these files, and conclave social import does.';
  static override examples = ['<%= config.bin %> social export follows --out follows.csv'];
  static override args = {
    what: Args.string({ description: 'what to export', options: [...portables], required: true }),
  };
  static override flags = {
    out: Flags.string({ description: 'new file; without it, standard output', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    await using client = await this.connect(flags);
    await downloadFile(this.terminal, client, social.exportCsv, { what: args.what }, { output: flags.out });
    if (flags.out === undefined) return;
    await this.answer({ file: flags.out }, () => `Wrote ${flags.out}.`);
  }
}
