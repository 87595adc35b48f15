import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { messageArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete a message that you sent, for everybody';
  static override description = 'Its text and its reactions are erased. Its place stays.';
  static override examples = ['<%= config.bin %> social message remove 01a207df9916'];
  static override args = messageArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    await confirmed(this.terminal, flags.yes, `Delete the message ${messageId} for everybody, for good?`);
    await perform(client, social.deleteMessage, { messageId });
    await this.answer({ deleted: messageId }, () => `Deleted ${messageId}.`);
  }
}
