import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ruleChange, ruleFlags } from '../../../src/cli/chat/rooms/rules.ts';
import { groupFactPairs } from '../../../src/cli/chat/rooms/views.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { Problem } from '../../../src/base/problem.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Edit extends ApiCommand {
  static override summary =
    'Change the name of a group, how often its members may speak and how long messages are kept';
  static override description =
    'For the owner. What is not named stays. With --retention, older messages are erased for good.';
  static override examples = [
    '<%= config.bin %> chat group edit "tea party" --slow 30s',
    '<%= config.bin %> chat group edit "tea party" --name cake --slow off',
    '<%= config.bin %> chat group edit "tea party" --retention 7d',
  ];
  static override args = roomArgument('group');
  static override flags = {
    name: Flags.string({ description: 'its new name', helpValue: 'NAME' }),
    ...ruleFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const change = { ...(flags.name !== undefined && { name: flags.name }), ...ruleChange(flags) };
    if (Object.keys(change).length === 0)
      throw new Problem('invalid', 'USAGE', 'Nothing to change. Use --name, --slow or --retention.');
    await using client = await this.connect(flags);
    const { id: conversationId } = await checkedRoom(client, args.group, 'group');
    const group = await perform(client, chat.updateGroup, { conversationId, ...change });
    await this.answer(group, (screen) => details(screen, groupFactPairs(group)));
  }
}
