import { perform } from '../../../src/client/perform.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { messageArgument, nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { asShown, socialMessageNamed } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Forward extends ApiCommand {
  static override summary = 'Send a message to another conversation of yours';
  static override description =
    'It is sent as yours, and marked as forwarded. Who reads it sees where it was said only if they can read it there.';
  static override examples = ['<%= config.bin %> social message forward 01a207df9916 cleo'];
  static override args = { ...messageArgument, ...nameArgument };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Forward);
    await using client = await this.connect(flags);
    const messageId = await socialMessageNamed(client, args.message);
    const { id: targetConversationId } = await socialConversationNamed(client, args.name);
    const sent = await perform(client, social.forwardMessage, { messageId, targetConversationId });
    await this.answer(sent, (screen) => messagesText(screen, [asShown(sent)]));
  }
}
