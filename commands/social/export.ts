import { text } from 'node:stream/consumers';
import { Args, Flags } from '@oclif/core';
import { download } from '../../src/client/bodies.ts';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { social } from '../../src/contract/social.ts';
import { portables, type Portable } from '../../src/contract/social/transfer.ts';

export default class Export extends ApiCommand {
  static override summary = 'Export whom you follow, block or mute, or your bookmarks, as CSV';
  static override description =
    'Mastodon reads these files, and conclave social import does. With --json and without a file, the field `csv` has the text.';
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
    const what = args.what as Portable;
    if (flags.out === undefined && this.wantsJson) {
      const { body } = await download(client, social.exportCsv, { what });
      await this.answer({ what, csv: await text(body) }, () => '');
      return;
    }
    await downloadFile(this.terminal, client, social.exportCsv, { what }, { output: flags.out });
    if (flags.out !== undefined) await this.answer({ file: flags.out }, () => `Wrote ${flags.out}.`);
  }
}
