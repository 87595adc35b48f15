import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupArgument } from '../../../src/cli/chat/group-arguments.ts';
import { memberColumns } from '../../../src/cli/chat/group-views.ts';
import { usernamesOf } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { chat } from '../../../src/contract/chat.ts';
import { chatRoles, type ChatRole } from '../../../src/contract/chat/conversation.ts';

export default class Members extends ApiCommand {
  static override summary = 'List the members of a group with their roles';
  static override description = 'Members whom you cannot reach are shown by id.';
  static override examples = [
    '<%= config.bin %> chat group members "tea party"',
    '<%= config.bin %> chat group members "tea party" --role admin',
  ];
  static override args = groupArgument;
  static override flags = {
    role: Flags.string({ description: 'only those with this role', options: [...chatRoles] }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Members);
    await using client = await this.connect(flags);
    const { id } = await groupNamed(client, args.group);
    const filter = { conversationId: id, ...(flags.role !== undefined && { role: flags.role as ChatRole }) };
    const { items, ...more } = await collectPages(client, chat.groupMembers, filter, 'items', shownBy(flags));
    const names = flags.json
      ? new Map()
      : await usernamesOf(
          client,
          items.map((one) => one.memberId),
        );
    await this.answer({ items, ...more }, (screen) => table(screen, items, memberColumns(names)));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
