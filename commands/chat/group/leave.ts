import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupArgument } from '../../../src/cli/chat/group-arguments.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Leave extends ApiCommand {
  static override summary = 'Leave a group';
  static override description =
    'What was said in it is out of your sight then. The owner makes another member the owner before. With its last member, a group is deleted, which is asked before.';
  static override examples = ['<%= config.bin %> chat group leave "tea party"'];
  static override args = groupArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Leave);
    await using client = await this.connect(flags);
    const { id: conversationId, title, memberCount = 1 } = await groupNamed(client, args.group);
    const words = escapeForTerminal(`You are the last member. Delete #${title} for good?`);
    await confirmed(this.terminal, flags.yes || memberCount > 1, words);
    const reply = await perform(client, chat.groupLeave, { conversationId });
    await this.answer(reply, () => escapeForTerminal(`You are not in #${title} any more.`));
  }
}
