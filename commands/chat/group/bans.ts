import { collectPages } from '../../../src/client/pages.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupArgument } from '../../../src/cli/chat/group-arguments.ts';
import { banColumns } from '../../../src/cli/chat/group-views.ts';
import { usernamesOf } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Bans extends ApiCommand {
  static override summary = 'List the bans that are in force, the latest first';
  static override description = 'For moderators and above.';
  static override examples = ['<%= config.bin %> chat group bans "tea party"'];
  static override args = groupArgument;
  static override flags = pageFlags(50);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Bans);
    await using client = await this.connect(flags);
    const { id } = await groupNamed(client, args.group);
    const filter = { conversationId: id };
    const { items, ...more } = await collectPages(client, chat.groupBans, filter, 'items', shownBy(flags));
    const names = flags.json
      ? new Map()
      : await usernamesOf(
          client,
          items.flatMap((one) => [one.memberId, one.bannedBy].filter((member) => member !== null)),
        );
    await this.answer({ items, ...more }, (screen) => table(screen, items, banColumns(names)));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
