import { Args } from '@oclif/core';
import { chat } from '../../../src/contract/chat.ts';
import { perform } from '../../../src/client/perform.ts';
import { membersNamed } from '../../../src/cli/chat/members.ts';
import { ownPresenceText, presenceColumns } from '../../../src/cli/chat/presence.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';

export default class PresenceShow extends ApiCommand {
  static override summary = 'Show which members are there; without names, what you have set';
  static override description =
    'Of members with whom you are in a conversation. Everybody else is offline, and so is everybody if either of you does not show it (see showOnlineStatus in the privacy settings of social.update-profile).';
  static override examples = ['<%= config.bin %> chat presence show bob cleo', '<%= config.bin %> chat presence show'];
  static override usage = 'chat presence show [MEMBER]...';
  static override strict = false;
  static override args = { member: Args.string({ description: 'username or id; repeat for more' }) };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(PresenceShow);
    const names = argv as string[];
    await using client = await this.connect(flags);
    const memberIds = await membersNamed(client, names);
    const presence = await perform(client, chat.showPresence, { memberIds });
    const rows = memberIds.map((id, at) => ({
      name: names[at] ?? id,
      status: presence.items.find(({ memberId }) => memberId === id)?.status ?? 'offline',
    }));
    await this.answer(presence, (screen) =>
      names.length === 0 ? ownPresenceText(presence.own) : table(screen, rows, presenceColumns),
    );
  }
}
