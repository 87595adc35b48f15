import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { confirmed } from '../../kit/confirmation.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { yesFlag } from '../../social/hub-named.ts';
import { forgetEpochs } from '../sealed/own-side.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function deleteOf(type: RoomType) {
  return class Delete extends ApiCommand {
    static override summary = `Delete a ${type} with everything that was said in it`;
    static override description = 'For the owner. It is gone for all members, and its keys are destroyed.';
    static override examples = [`<%= config.bin %> chat ${type} delete ${wordsOf[type].example}`];
    static override args = roomArgument(type);
    static override flags = yesFlag;

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Delete);
      await using client = await this.connect(flags);
      const { id: conversationId, title, memberCount = 1 } = await checkedRoom(client, args[type], type);
      const words = `Delete #${title} with ${counted(memberCount, 'member')} and everything that was said, for good?`;
      await confirmed(this.terminal, flags.yes, escapeForTerminal(words));
      await perform(client, roomOperations[type].delete, { conversationId });
      await forgetEpochs(client, conversationId);
      await this.answer({ deleted: conversationId }, () => escapeForTerminal(`Deleted #${title}.`));
    }
  };
}
