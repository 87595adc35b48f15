import { Args, Flags } from '@oclif/core';
import { MailListCommand, mailListFlags } from '../../src/cli/mail/mail-list.ts';
import { folders, type Folder } from '../../src/contract/mail/limits.ts';
import { Problem } from '../../src/base/problem.ts';

const { search: _, ...filters } = mailListFlags;

export default class Search extends MailListCommand {
  static override summary = 'Find messages by words of subject, addresses or text';
  static override description =
    'All words must be in the message, each as a whole. Every folder is searched but spam and trash.';
  static override usage = 'mail search WORD... [--folder FOLDER]';
  static override examples = ['<%= config.bin %> mail search invoice march'];
  static override strict = false;
  static override args = { words: Args.string({ description: 'words to search for' }) };
  static override flags = {
    ...filters,
    folder: Flags.string({ description: 'search this folder alone', options: [...folders, 'all'], default: 'all' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Search);
    if (argv.length === 0) throw new Problem('invalid', 'USAGE', 'The words to search for are missing.');
    await this.list(flags.folder as Folder | 'all', { ...flags, search: argv.join(' ') });
  }
}
