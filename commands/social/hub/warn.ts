import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubAndPerson, hubNamed, neededReason } from '../../../src/cli/social/hub-named.ts';
import { social } from '../../../src/contract/social.ts';

export default class Warn extends ApiCommand {
  static override summary = 'Warn a member of a hub';
  static override description =
    'For its owner and moderators. The member is notified, and the warning stays in the log.';
  static override examples = ['<%= config.bin %> social hub warn garden bob --reason "Be kind"'];
  static override args = hubAndPerson;
  static override flags = neededReason;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Warn);
    await using client = await this.connect(flags);
    const { id, slug } = await hubNamed(client, args.hub);
    const reply = await perform(client, social.warnMember, { id, userId: args.person, reason: flags.reason });
    await this.answer(reply, () => escapeForTerminal(`Warned ${args.person} in ${slug}.`));
  }
}
