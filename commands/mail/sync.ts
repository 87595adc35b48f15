import { Args } from '@oclif/core';
import { counted } from '../../src/cli/kit/counted.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { syncMaildir } from '../../src/cli/mail/sync/sync-maildir.ts';

export default class Sync extends ApiCommand {
  static override summary = 'Make a Maildir and your mailbox equal, in both directions';
  static override description = `For mutt, notmuch and other programs that read a Maildir. The inbox is DIR itself, other folders are DIR/.Sent, .Drafts, .Archive, .Spam and .Trash, and labels DIR/.Labels.NAME.
A file that is deleted goes to the trash, and one that is deleted there is deleted for ever. Run the command again at any time: an interruption loses and doubles nothing.`;
  static override examples = ['<%= config.bin %> mail sync ~/Mail'];
  static override args = {
    dir: Args.string({ description: 'Maildir; it is made if it is not there', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Sync);
    await using client = await this.connect(flags);
    const outcome = await this.waitFor('Synchronising', (teller) => syncMaildir(client, args.dir, teller));
    await this.answer(outcome, () => '');
    const { messages, failed } = outcome;
    if (!this.wantsJson) for (const { source, message } of failed) this.warnOf(`${source}: ${message}`);
    this.say(`${args.dir} has ${counted(messages, 'message')}.`);
    if (failed.length > 0) this.exit(1);
  }
}
