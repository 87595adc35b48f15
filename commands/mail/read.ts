import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { messageText } from '../../src/cli/mail/message-views.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Read extends ApiCommand {
  static override summary = 'Read a message';
  static override description =
    'HTML is shown as text, and nothing that it refers to is fetched. The message counts as read.';
  static override examples = ['<%= config.bin %> mail read 01a1fcb906fb'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = { 'keep-unread': Flags.boolean({ description: 'do not mark it as read' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const shown = await perform(client, mailReading.showMessage, { messageId });
    const content = await perform(client, mailReading.showContent, { messageId, as: 'text' });
    await this.answer({ ...shown, ...content }, (screen) => messageText(screen, shown, content));
    if (!shown.read && !flags['keep-unread']) await perform(client, mailReading.markRead, { messageId });
    for (const problem of content.problems) this.warnOf(problem);
  }
}
