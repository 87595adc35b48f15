import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { messageArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Report extends ApiCommand {
  static override summary = 'Report a message to the administrators';
  static override description =
    'They see the message as it is now, whatever its sender does to it later, and nothing else of the conversation.';
  static override examples = ['<%= config.bin %> social message report 01a207df9916 --reason "Insults a member"'];
  static override args = messageArgument;
  static override flags = {
    reason: Flags.string({ description: 'what is wrong', helpValue: 'TEXT', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Report);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    await perform(client, social.reportMessage, { messageId, reason: flags.reason });
    await this.answer({ messageId, reported: true }, () => 'The message is reported.');
  }
}
