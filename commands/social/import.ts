import { setTimeout as sleep } from 'node:timers/promises';
import { Args, Flags } from '@oclif/core';
import { uploadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { checkImport, importText } from '../../src/cli/social/imports.ts';
import { perform } from '../../src/client/perform.ts';
import { social } from '../../src/contract/social.ts';
import { portables, type SocialImport } from '../../src/contract/social/transfer.ts';

const LOOK_MS = 500;

export default class Import extends ApiCommand {
  static override summary = 'Import whom you follow, block or mute, or your bookmarks, from CSV';
  static override description =
    'The server reads the file in the background. Members of other nodes are refused. Without WHAT and FILE, it shows how far the last import is.';
  static override examples = [
    '<%= config.bin %> social import follows follows.csv --wait',
    '<%= config.bin %> social import mutes mutes.csv --overwrite --yes',
    '<%= config.bin %> social import',
  ];
  static override args = {
    what: Args.string({ description: 'what the file has', options: [...portables] }),
    file: Args.string({ description: 'file (- for standard input)' }),
  };
  static override flags = {
    overwrite: Flags.boolean({ description: 'also end what the file does not have' }),
    wait: Flags.boolean({ description: 'wait for the end' }),
    yes: Flags.boolean({ description: 'do not ask before --overwrite' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import);
    const { what, file } = args;
    await checkImport(this.terminal, args, flags);
    await using client = await this.connect(flags);
    if (what !== undefined) {
      const input = { what, mode: flags.overwrite ? 'overwrite' : 'merge' };
      await uploadFile(this.terminal, client, social.importCsv, input, { body: file ?? '-' });
    }
    const shown = async (): Promise<SocialImport> => (await perform(client, social.showImport, {})).import;
    const ended = await this.waitFor('Importing', async ({ report }) => {
      for (;;) {
        const now = await shown();
        if (!flags.wait || now.state !== 'pending') return now;
        report({ what: 'lines', done: now.done, total: now.total });
        await sleep(LOOK_MS);
      }
    });
    await this.answer({ import: ended }, () => importText(ended));
  }
}
