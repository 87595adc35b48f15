import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { hubAndPerson, hubNamed, neededReason } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class TempBan extends ApiCommand {
  static override summary = 'Ban a member from a hub for some days';
  static override description = 'For its owner and moderators. It ends by itself.';
  static override examples = ['<%= config.bin %> social hub temp-ban garden bob --days 7 --reason "Advertising"'];
  static override args = hubAndPerson;
  static override flags = {
    ...neededReason,
    days: Flags.integer({ description: 'how long', required: true, min: 1, helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TempBan);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.banForDays, {
      id,
      userId: args.person,
      durationDays: flags.days,
      reason: flags.reason,
    });
    await this.answer(reply, (screen) =>
      escapeForTerminal(
        `Banned ${args.person} from ${slug} until ${moment(screen, reply.ban.expiresAt ?? undefined)}.`,
      ),
    );
  }
}
