import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Mark extends ApiCommand {
  static override summary = 'Mark a message as read, unread or flagged';
  static override description = 'For yourself alone. Nobody is told.';
  static override examples = ['<%= config.bin %> mail mark 01a1fcb906fb --unread --flag'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = {
    read: Flags.boolean({ description: 'as read', exclusive: ['unread'] }),
    unread: Flags.boolean({ description: 'as unread' }),
    flag: Flags.boolean({ description: 'as flagged', exclusive: ['unflag'] }),
    unflag: Flags.boolean({ description: 'as not flagged' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mark);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const reply = await perform(client, mailReading.changeMessage, {
      messageId,
      ...((flags.read || flags.unread) && { read: !flags.unread }),
      ...(flags.flag && { addKeywords: ['$flagged'] }),
      ...(flags.unflag && { removeKeywords: ['$flagged'] }),
    });
    await this.answer(reply, () => {
      const flagged = reply.keywords.includes('$flagged') ? ', and flagged' : '';
      return `It is ${reply.read ? 'read' : 'unread'}${flagged}.`;
    });
  }
}
