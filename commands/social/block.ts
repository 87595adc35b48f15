import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { personArgument, undoFlag } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';

export default class Block extends ApiCommand {
  static override summary = 'Block a member, or end a block';
  static override description = 'Neither of you sees or reaches the other. You both stop following each other.';
  static override examples = [
    '<%= config.bin %> social block mallory',
    '<%= config.bin %> social block mallory --undo',
  ];
  static override args = personArgument;
  static override flags = undoFlag('end the block');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Block);
    await using client = await this.connect(flags);
    await perform(client, flags.undo ? social.unblock : social.block, { id: args.person });
    const blocked = !flags.undo;
    await this.answer({ blocked }, () =>
      blocked ? `${args.person} is blocked.` : `${args.person} is not blocked any more.`,
    );
  }
}
