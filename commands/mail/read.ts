import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { messageText } from '../../src/cli/mail/message-text.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Read extends ApiCommand {
  static override summary = 'Read a message: its header, its text, and what is attached';
  static override description =
    'It is marked as read, unless --keep-unread is given. Of a message in HTML, the text is shown.';
  static override examples = ['<%= config.bin %> mail read 01a207df9916'];
  static override args = messageArgument;
  static override flags = { 'keep-unread': Flags.boolean({ description: 'do not mark the message as read' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const message = await perform(client, mail.showMessage, { messageId });
    const { id } = message;
    const content = await perform(client, mail.showContent, { messageId: id, as: 'text' });
    if (!message.read && !flags['keep-unread']) await perform(client, mail.markRead, { messageId: id });
    await this.answer({ message, content }, (screen) => messageText(screen, { message, content }));
  }
}
