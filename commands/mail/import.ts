import { Args, Flags } from '@oclif/core';
import { counted } from '../../src/cli/kit/counted.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { importMail } from '../../src/cli/mail/import/import-mail.ts';
import { type Folder, folders } from '../../src/contract/mail/limits.ts';

export default class Import extends ApiCommand {
  static override summary = 'Import messages from files of other programs';
  static override description = `A PATH is an mbox, a Maildir, a message (.eml), or a folder with files of these. Flags of an mbox (Status, X-Status, X-Mozilla-Status) and of a Maildir are kept. What an mbox has as deleted goes to the trash, and the folders of a Maildir, .Sent, .Drafts, .Archive, .Spam, .Trash and .Labels.NAME, go to where they belong, unless --folder names another.
A message that cannot be imported is named at the end, and the others are imported. After an interruption, run the command again with --skip-duplicates.`;
  static override examples = [
    '<%= config.bin %> mail import inbox.mbox --skip-duplicates',
    '<%= config.bin %> mail import ~/Maildir',
    '<%= config.bin %> mail import old.mbox --folder archive --label Old --read',
  ];
  static override usage = 'mail import PATH... [--folder FOLDER] [--label LABEL] [--skip-duplicates] [--read]';
  static override strict = false;
  static override args = { path: Args.string({ description: 'file or folder; repeat for more', required: true }) };
  static override flags = {
    folder: Flags.string({ description: 'folder for all messages', options: [...folders] }),
    label: Flags.string({ description: 'label for all messages', helpValue: 'LABEL' }),
    'skip-duplicates': Flags.boolean({ description: 'skip messages that their folder has already' }),
    read: Flags.boolean({ description: 'mark all messages as read' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Import);
    await using client = await this.connect(flags);
    const choice = {
      folder: flags.folder as Folder | undefined,
      label: flags.label,
      skipDuplicates: flags['skip-duplicates'],
      read: flags.read,
    };
    const outcome = await this.waitFor('Importing', (teller) => importMail(client, argv as string[], choice, teller));
    await this.answer(outcome, () => '');
    const { imported, skipped, failed } = outcome;
    if (!this.wantsJson) for (const { source, message } of failed) this.warnOf(`${source}: ${message}`);
    const more = skipped === 0 ? '' : ` Skipped ${counted(skipped, 'message')} that are there already.`;
    this.say(`Imported ${counted(imported, 'message')}.${more}`);
    if (failed.length > 0) this.exit(1);
  }
}
