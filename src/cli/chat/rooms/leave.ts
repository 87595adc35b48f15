import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { confirmed } from '../../kit/confirmation.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { yesFlag } from '../../social/hub-named.ts';
import { forgetEpochs } from '../sealed/own-side.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function leaveOf(type: RoomType) {
  return class Leave extends ApiCommand {
    static override summary = `Leave a ${type}`;
    static override description = `What was said in it is out of your sight then. The owner makes another member the owner before. With its last member, a ${type} is deleted, which is asked before.`;
    static override examples = [`<%= config.bin %> chat ${type} leave ${wordsOf[type].example}`];
    static override args = roomArgument(type);
    static override flags = yesFlag;

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Leave);
      await using client = await this.connect(flags);
      const { id: conversationId, title, memberCount = 1 } = await checkedRoom(client, args[type], type);
      const words = escapeForTerminal(`You are the last member. Delete #${title} for good?`);
      await confirmed(this.terminal, flags.yes || memberCount > 1, words);
      const reply = await perform(client, roomOperations[type].leave, { conversationId });
      await forgetEpochs(client, conversationId);
      await this.answer(reply, () => escapeForTerminal(`You are not in #${title} any more.`));
    }
  };
}
