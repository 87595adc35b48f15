import { Args } from '@oclif/core';
import { MailListCommand, mailListFlags } from '../../src/cli/mail/mail-list.ts';
import { folders, type Folder } from '../../src/contract/mail/limits.ts';

export default class FolderCommand extends MailListCommand {
  static override summary = 'List the messages of a folder, or of all folders';
  static override description = 'The folder all has every other one but spam and trash.';
  static override examples = ['<%= config.bin %> mail folder archive --label bills'];
  static override args = {
    folder: Args.string({ description: 'name of the folder', options: [...folders, 'all'], required: true }),
  };
  static override flags = mailListFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FolderCommand);
    await this.list(args.folder as Folder | 'all', flags);
  }
}
