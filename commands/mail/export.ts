import { Args, Flags } from '@oclif/core';
import { counted } from '../../src/cli/kit/counted.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { byFolder, exportMail, mailFormats } from '../../src/cli/mail/export/export-mail.ts';
import { changesSince } from '../../src/cli/mail/transfer/changes.ts';
import { type Folder, folders } from '../../src/contract/mail/limits.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Export extends ApiCommand {
  static override summary = 'Write messages to a file or a folder for other programs';
  static override description = `The format mbox is one file (mboxrd), maildir a folder for mutt and others, and eml a folder with a file for each message. Without --label and --all, the messages of a folder are written. With --all, PATH is a folder with all folders.
Nothing is ever overwritten. Only you can read what is written. It is not encrypted.`;
  static override examples = [
    '<%= config.bin %> mail export inbox.mbox',
    '<%= config.bin %> mail export --format maildir --all Mail',
    '<%= config.bin %> mail export --format eml --label Invoices invoices',
  ];
  static override args = { path: Args.string({ description: 'new file or folder', required: true }) };
  static override flags = {
    format: Flags.string({
      description: 'format of what is written',
      options: [...mailFormats],
      default: 'mbox' as const,
    }),
    folder: Flags.string({ description: 'folder to export; without it, inbox', options: [...folders] }),
    label: Flags.string({ description: 'label to export', helpValue: 'LABEL', exclusive: ['folder', 'all'] }),
    all: Flags.boolean({ description: 'export all folders', exclusive: ['folder'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    const folder = (flags.folder ?? 'inbox') as Folder;
    const { label } = flags;
    await using client = await this.connect(flags);
    const messages = await this.waitFor('Exporting', async (teller) => {
      const every = [...(await changesSince(client, 0)).changed.values()];
      const own = label === undefined ? every.filter((one) => one.folder === folder) : labelled(every, label);
      const mailbox = label === undefined ? { folder } : { label };
      const chosen = flags.all ? byFolder(every) : { mailbox, messages: own };
      await exportMail(client, flags.format as (typeof mailFormats)[number], args.path, chosen, teller);
      return flags.all ? every : own;
    });
    const reply = { path: args.path, format: flags.format, messages: messages.length };
    await this.answer(reply, () => '');
    this.say(`Wrote ${counted(messages.length, 'message')} to ${args.path}.`);
  }
}

/** Labels that differ in case alone are one. */
function labelled<M extends { readonly labels: readonly string[] }>(messages: readonly M[], label: string): M[] {
  const key = label.normalize('NFC').toLowerCase();
  const own = messages.filter(({ labels }) => labels.some((one) => one.normalize('NFC').toLowerCase() === key));
  // A mistyped label would be an empty file.
  if (own.length === 0) throw new Problem('missing', 'NOT_FOUND', `No message has the label ${label}.`);
  return own;
}
