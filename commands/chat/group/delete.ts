import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupArgument } from '../../../src/cli/chat/group-arguments.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Delete extends ApiCommand {
  static override summary = 'Delete a group with everything that was said in it';
  static override description = 'For the owner. It is gone for all members, and its keys are destroyed.';
  static override examples = ['<%= config.bin %> chat group delete "tea party"'];
  static override args = groupArgument;
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Delete);
    await using client = await this.connect(flags);
    const { id: conversationId, title, memberCount = 1 } = await groupNamed(client, args.group);
    const words = `Delete #${title} with ${counted(memberCount, 'member')} and everything that was said, for good?`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(words));
    await perform(client, chat.deleteGroup, { conversationId });
    await this.answer({ deleted: conversationId }, () => escapeForTerminal(`Deleted #${title}.`));
  }
}
